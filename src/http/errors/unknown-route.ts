import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { API_PREFIX } from '../api-prefix.js';
import { malformedUrl, notFound, type Problem } from './problems.js';

/** Paths that no request can have, because of the space. */
const MALFORMED = '/ malformed';
const EMPTY_SEGMENT = '/ empty';

/** What comes before the path where a request names all of a URL (RFC 9112, section 3.2.2). */
const ORIGIN = /^[a-z]+:\/\/[^/?]*\/?/i;

/**
 * The target to route: a path that cannot be decoded, and one of the API's with nothing between two slashes, which the
 * router would take for an empty parameter, go where unknown ones go, to be counted and rejected there.
 */
export function routableUrl({ url: target = '/' }: IncomingMessage): string {
  const url = target.startsWith('/') ? target : target.replace(ORIGIN, '/');
  const [path = ''] = url.split('?', 1);
  const isOfApi = path.startsWith(`${API_PREFIX}/`);
  if (path.includes('%') && !isDecodable(path)) return isOfApi ? API_PREFIX + MALFORMED : MALFORMED;
  return isOfApi && (path.endsWith('/') || path.includes('//')) ? API_PREFIX + EMPTY_SEGMENT : url;
}

/** The pattern of a request's route; undefined where there is none. */
export function routeOf({ routeOptions }: FastifyRequest): string | undefined {
  const { url } = routeOptions;
  return url === API_PREFIX || url === `${API_PREFIX}/*` ? undefined : url;
}

/** 404, or 400 where no path can be read (E2, E3). */
export function unknownRoute({ url }: FastifyRequest): Problem {
  return url.endsWith(MALFORMED) ? malformedUrl() : notFound('Route');
}

function isDecodable(path: string): boolean {
  try {
    decodeURI(path);
    return true;
  } catch {
    return false;
  }
}
