import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { API_PREFIX } from '../api-prefix.js';
import { malformedUrlProblem, notFoundProblem, type Problem } from './problems.js';

/** No request can have these paths, because they contain a space. */
const MALFORMED = '/ malformed';
const EMPTY_SEGMENT = '/ empty';

/** The part before the path if the request target is an absolute URL (RFC 9112, section 3.2.2). */
const ORIGIN = /^[a-z]+:\/\/[^/?]*\/?/i;

/**
 * Returns the URL to route. Replaces a path that cannot be decoded, and an API path with an empty segment, which the
 * router would treat as an empty parameter. The replacement matches no route, so the request is rate-limited and
 * rejected like an unknown path.
 */
export function routableUrl({ url: target = '/' }: IncomingMessage): string {
  const url = target.startsWith('/') ? target : target.replace(ORIGIN, '/');
  const [path = ''] = url.split('?', 1);
  const isApiPath = path.startsWith(`${API_PREFIX}/`);
  if (path.includes('%') && !isDecodable(path)) return isApiPath ? API_PREFIX + MALFORMED : MALFORMED;
  return isApiPath && (path.endsWith('/') || path.includes('//')) ? API_PREFIX + EMPTY_SEGMENT : url;
}

/** Returns the pattern of the route, or undefined if no route matches. */
export function routeOf({ routeOptions }: FastifyRequest): string | undefined {
  const { url } = routeOptions;
  return url === API_PREFIX || url === `${API_PREFIX}/*` ? undefined : url;
}

/** Returns the problem of an unknown route: 404, or 400 if the path cannot be decoded (E2, E3). */
export function unknownRoute({ url }: FastifyRequest): Problem {
  return url.endsWith(MALFORMED) ? malformedUrlProblem() : notFoundProblem('Route');
}

function isDecodable(path: string): boolean {
  try {
    decodeURI(path);
    return true;
  } catch {
    return false;
  }
}
