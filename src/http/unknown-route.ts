import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { API_PREFIX } from './api-prefix.js';
import { malformedUrl, notFound, type Problem } from './problems.js';

/** A path that no request can have, because of the space. */
const MALFORMED = '/ malformed';

/** The target to route: a path that cannot be decoded goes where unknown ones go, to be counted and rejected there. */
export function routableUrl({ url = '/' }: IncomingMessage): string {
  const [path = ''] = url.split('?', 1);
  if (!path.includes('%') || isDecodable(path)) return url;
  return path.startsWith(`${API_PREFIX}/`) ? API_PREFIX + MALFORMED : MALFORMED;
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
