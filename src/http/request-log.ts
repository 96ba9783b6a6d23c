import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { API_PREFIX } from './api-prefix.js';
import { beginExchange, endExchange } from './errors/client-error.js';
import { routeOf } from './errors/unknown-route.js';
import { UUID } from './bodies/uuid.js';

const SUBMISSIONS = `${API_PREFIX}/submissions`;

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
 * what is private, or a token that was sent astray (A1). The UUID of a submission is no secret, because only its user can
 * read it.
 */
export function describeRequest(request: FastifyRequest) {
  return {
    request_id: request.id,
    method: request.method,
    route: routeOf(request) ?? null,
    user_id: request.user?.id,
    submission_uuid: submissionOf(request),
  };
}

/** The submission that the path names. Anything else in its place could be a token. */
function submissionOf(request: FastifyRequest): string | undefined {
  if (routeOf(request)?.startsWith(`${SUBMISSIONS}/:uuid`) !== true) return undefined;
  return (request.params as { uuid: string }).uuid.toLowerCase().match(UUID)?.[0];
}

/** The submission that the request has created. */
function submissionCreatedBy(request: FastifyRequest, reply: FastifyReply): string | undefined {
  if (routeOf(request) !== SUBMISSIONS) return undefined;
  return reply.getHeader('location')?.toString().split('/').at(-1);
}

/** Logs one line when the answer is out, or cannot be sent any more. */
export function logWhenOver(request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  const { raw } = reply;
  const startedAt = performance.now();
  beginExchange(request.raw, raw);
  // Fastify's onResponse hooks neither hear of every hang-up nor of URLs that cannot be read.
  raw.on('close', () => {
    const rejectedWith = endExchange(request.raw);
    const status = raw.writableFinished ? raw.statusCode : (rejectedWith ?? CLIENT_CLOSED_REQUEST);
    const level = levelOf(request, status);
    if (!logger.isLevelEnabled(level)) return;
    const duration_ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const described = describeRequest(request);
    described.submission_uuid ??= submissionCreatedBy(request, reply);
    logger[level]({ ...described, status, duration_ms }, 'request');
  });
}

function levelOf({ url, is404 }: FastifyRequest, status: number): 'debug' | 'info' | 'error' {
  // The health check itself logs why it is not ready, and nothing while the server drains.
  if (url.startsWith('/health/') && !is404) return 'debug';
  return status >= 500 ? 'error' : 'info';
}
