import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';
import { addHeader } from './answer.js';

type Origins = Environment['corsOrigins'];

const EXPOSED_HEADERS = 'ETag, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-Id';

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PATCH',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': '86400',
};

/** What tells browsers whether pages may read an answer, as far as it does not depend on the request (E6). */
export function corsHeaders(origins: Origins): Record<string, string> {
  return {
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    // A cache must not hand one origin's answer to another.
    ...(origins === '*' ? { 'Access-Control-Allow-Origin': '*' } : { Vary: 'Origin' }),
  };
}

/** Lets pages of these origins read the answer, whatever it will be (E6). */
export function allowingOrigins(origins: Origins): (request: FastifyRequest, reply: FastifyReply) => void {
  const listed = origins === '*' ? undefined : new Set(origins);
  return ({ headers: { origin } }, reply) => {
    if (origin !== undefined && listed?.has(origin)) addHeader(reply, 'Access-Control-Allow-Origin', origin);
  };
}

/** What a preflight is answered, of whatever path (E6). */
export function answerPreflight(reply: FastifyReply): void {
  void reply.status(204).headers(PREFLIGHT_HEADERS).send();
}
