import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { beginExchange, endExchange } from './client-error.js';
import { routeOf } from './unknown-route.js';

/** What programs make ids of: UUIDs, ULIDs, Base64, paths of trace ids. */
const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;
/** What nginx logs where the client hung up before its answer. */
const CLIENT_CLOSED_REQUEST = 499;

/** The `X-Request-Id` that the client or a proxy has given, or a new one where that is none (E12). */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * What the log says of a request. The route is its pattern, null for none: paths, queries, headers and bodies may hold
 * what is private, or a token that was sent astray (A1).
 */
export function describeRequest(request: FastifyRequest) {
  return {
    request_id: request.id,
    method: request.method,
    route: routeOf(request) ?? null,
    user_id: request.user?.id,
  };
}

/** Logs one line when the answer is out, or cannot be sent any more. */
export function logWhenOver(request: FastifyRequest, { raw }: FastifyReply, logger: Logger): void {
  const startedAt = performance.now();
  beginExchange(request.raw, raw);
  // Fastify's onResponse hooks neither hear of every hang-up nor of URLs that cannot be read.
  raw.on('close', () => {
    const rejectedWith = endExchange(request.raw);
    const status = raw.writableFinished ? raw.statusCode : (rejectedWith ?? CLIENT_CLOSED_REQUEST);
    const level = levelOf(request, status);
    if (!logger.isLevelEnabled(level)) return;
    const duration_ms = Math.round((performance.now() - startedAt) * 10) / 10;
    logger[level]({ ...describeRequest(request), status, duration_ms }, 'request');
  });
}

function levelOf({ url, is404 }: FastifyRequest, status: number): 'debug' | 'info' | 'error' {
  if (status >= 500) return 'error';
  return url.startsWith('/health/') && !is404 ? 'debug' : 'info';
}
