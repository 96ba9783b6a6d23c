import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { notFound } from '../http/errors/problems.js';
import { UUID } from '../http/bodies/uuid.js';

/** The file UUID in the path. A malformed UUID gets 404, as an unknown UUID does (F6). */
export const FileUuid = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { file: string } }>>();
  const uuid = params.file.toLowerCase();
  if (!UUID.test(uuid)) throw notFound('File');
  return uuid;
});
