import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { API_PREFIX } from './api-prefix.js';
import { beginExchange, endExchange } from './errors/client-error.js';
import { routeOf } from './errors/unknown-route.js';
import { UUID } from './bodies/uuid.js';

const SUBMISSIONS = `${API_PREFIX}/submissions`;

/** Allows UUIDs, ULIDs, Base64, and trace ids with separators. */
const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;
/** The status that nginx logs if the client disconnects before the response. */
const CLIENT_CLOSED_REQUEST = 499;

/** Returns the `X-Request-Id` of the request, or a new UUID if the header is missing or malformed (E12). */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * Returns the log fields of a request. `route` is the pattern of the route, or null if no route matches. Paths,
 * queries, headers and bodies are not logged, because they may contain personal data or a misplaced token (A1). The
 * UUID of a submission is no secret, because only its user can read the submission.
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

/**
 * Returns the UUID of the submission in the path. Other text in the place of a UUID is not logged, because it could be a token.
 */
function submissionOf(request: FastifyRequest): string | undefined {
  if (routeOf(request)?.startsWith(`${SUBMISSIONS}/:uuid`) !== true) return undefined;
  return (request.params as { uuid: string }).uuid.toLowerCase().match(UUID)?.[0];
}

/** Returns the UUID of the submission that the request has created. */
function submissionCreatedBy(request: FastifyRequest, reply: FastifyReply): string | undefined {
  if (routeOf(request) !== SUBMISSIONS) return undefined;
  return reply.getHeader('location')?.toString().split('/').at(-1);
}

/** Logs one line when the response has been sent or the connection is closed. */
export function logWhenOver(request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  const { raw } = reply;
  const startedAt = performance.now();
  beginExchange(request.raw, raw);
  // Fastify does not call onResponse hooks for every closed connection, nor for malformed URLs.
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
  // The health check itself logs why the service is not ready, and logs nothing while the server drains.
  if (url.startsWith('/health/') && !is404) return 'debug';
  return status >= 500 ? 'error' : 'info';
}
