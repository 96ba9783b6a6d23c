import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isHostMalformed } from '../headers/base-url.js';
import { malformedRequestProblem, type Problem, unknownExpectationProblem } from '../errors/problems.js';

const WITH_UNKNOWN_EXPECTATION = new WeakSet<IncomingMessage>();

/** Rejects requests that violate HTTP but that Node.js accepts. Runs in a hook, so that the response has the usual headers. */
export function rejectMalformedRequests(fastify: FastifyInstance): void {
  // Node.js emits this event for an unknown `Expect` header (RFC 9110, section 10.1.1).
  fastify.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    WITH_UNKNOWN_EXPECTATION.add(request);
    fastify.server.emit('request', request, response);
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    done(problemOf(request));
  });
}

function problemOf(request: FastifyRequest): Problem | undefined {
  if (isHostMalformed(request)) return malformedRequestProblem();
  if (request.headers.expect !== undefined && WITH_UNKNOWN_EXPECTATION.has(request.raw))
    return unknownExpectationProblem();
  return undefined;
}
