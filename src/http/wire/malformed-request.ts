import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isHostMalformed } from '../headers/base-url.js';
import { badRequest, type Problem, unknownExpectation } from '../errors/problems.js';

const EXPECTING = new WeakSet<IncomingMessage>();

/** Rejects what HTTP does not allow though Node.js does: as late as this, so that the response has the headers of all others. */
export function rejectMalformedRequests(fastify: FastifyInstance): void {
  // An `Expect` that Node.js does not know (RFC 9110, section 10.1.1).
  fastify.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    EXPECTING.add(request);
    fastify.server.emit('request', request, response);
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    done(problemOf(request));
  });
}

function problemOf(request: FastifyRequest): Problem | undefined {
  if (isHostMalformed(request)) return badRequest();
  if (request.headers.expect !== undefined && EXPECTING.has(request.raw)) return unknownExpectation();
  return undefined;
}
