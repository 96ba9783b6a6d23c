import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { readJson } from './json-body.js';

/** RFC 9110, section 8.3.1. */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/** Bodies are handed on unread: nobody is told about theirs, or has it parsed, who is rejected for something else. */
export function leaveBodiesUnread(fastify: FastifyInstance): void {
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
}

/**
 * Reads the body of a request, which is JSON or nothing: 400, 413 or 415 for one that cannot be read (E2). It comes after
 * the guards of the whole application, and before what pipes say of the body and of parameters.
 */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.body !== undefined) request.body = await readJson(request.body as IncomingMessage);
    return true;
  }
}
