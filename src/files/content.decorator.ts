import { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { grantTime } from '../http/client-error.js';

/** The bytes of a request, unread. They may take longer to arrive than other bodies (see `UPLOAD_TIMEOUT`). */
export const Content = createParamDecorator((_data: unknown, context: ExecutionContext): Readable => {
  const { body, raw } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!(body instanceof Readable)) return Readable.from([]);
  grantTime(raw.socket);
  return body;
});
