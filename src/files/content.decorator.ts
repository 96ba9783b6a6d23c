import { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { grantTime } from '../http/client-error.js';

/** The bytes of a request, unread. They may take longer to arrive than other bodies (see `UPLOAD_TIMEOUT`). */
export const Content = createParamDecorator((_data: unknown, context: ExecutionContext): Readable => {
  const http = context.switchToHttp();
  const { body, raw } = http.getRequest<FastifyRequest>();
  if (!(body instanceof Readable)) return Readable.from([]);
  grantTime(raw, http.getResponse<FastifyReply>().raw);
  return body;
});
