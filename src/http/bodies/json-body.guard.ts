import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { ByteLease } from './body-budget.js';
import { readJson } from './json-body.js';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Throws if the token of the request has ended. A body may arrive over half a minute, and the token may end meanwhile: call this
     * when the body is complete. Undefined if the request has no valid token.
     */
    confirmToken: (() => Promise<void>) | undefined;
  }
}

const LEASES = new WeakMap<FastifyRequest, ByteLease>();

/** The syntax of a media type (RFC 9110, section 8.3.1). */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** Makes Fastify pass bodies on as streams, so that the bodies of rejected requests are not parsed. */
export function deferBodyParsing(fastify: FastifyInstance): void {
  // Removes a malformed media type, because Fastify would reject it before the guards run.
  fastify.addHook('preParsing', ({ headers }, _reply, payload, done) => {
    const type = headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) delete headers['content-type'];
    done(null, payload);
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => {
    done(null, payload);
  });
  // Ends the lease. The body is no longer needed, and a slow client may take long to read the response.
  fastify.addHook('onSend', (request, _reply, _payload, done) => {
    LEASES.get(request)?.end();
    done();
  });
}

/**
 * Reads the body of a request, which must be JSON or empty. Rejects any other body with 400, 413 or 415 (E2). Then rejects a
 * request whose token ended while the body arrived (A3). Runs after the guards of the application and before the pipes.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (request.body === undefined) return true;
    const leaseFor = () => {
      const lease = new ByteLease();
      LEASES.set(request, lease);
      // Fastify calls no `onSend` hook if the client has disconnected.
      http.getResponse<FastifyReply>().raw.once('close', () => {
        lease.end();
      });
      return lease;
    };
    const payload = request.body as IncomingMessage;
    const hasArrived = payload.complete;
    request.body = await readJson(payload, leaseFor);
    if (!hasArrived || LEASES.has(request)) await request.confirmToken?.();
    return true;
  }
}
