import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { BodyLease } from './body-budget.js';
import { readJson } from './json-body.js';

const LEASES = new WeakMap<FastifyRequest, BodyLease>();

/** RFC 9110, section 8.3.1. */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** Bodies are handed on unread: nobody is told about theirs, or has it parsed, who is rejected for something else. */
export function deferBodyParsing(fastify: FastifyInstance): void {
  // Fastify itself would reject what is no media type, before anything else is known of the request.
  fastify.addHook('preParsing', ({ headers }, _reply, payload, done) => {
    const type = headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) delete headers['content-type'];
    done(null, payload);
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => {
    done(null, payload);
  });
  // From here on, memory is needed for the response only, which a client may read as slowly as it likes.
  fastify.addHook('onSend', (request, _reply, _payload, done) => {
    LEASES.get(request)?.end();
    done();
  });
}

/**
 * Reads the body of a request, which is JSON or nothing: 400, 413 or 415 for one that cannot be read (E2). It comes after
 * the guards of the whole application, and before what pipes say of the body and of parameters.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (request.body === undefined) return true;
    const leaseFor = () => {
      const lease = new BodyLease();
      LEASES.set(request, lease);
      // Fastify does not send a response to a client that has gone.
      http.getResponse<FastifyReply>().raw.once('close', () => {
        lease.end();
      });
      return lease;
    };
    request.body = await readJson(request.body as IncomingMessage, leaseFor);
    return true;
  }
}
