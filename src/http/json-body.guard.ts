import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { readJson } from './json-body.js';

/** Bodies are handed on unread: nobody is told about theirs, or has it parsed, who is rejected for something else. */
export function leaveBodiesUnread(fastify: FastifyInstance): void {
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
