import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiParam } from '#swagger';
import { UUID } from '../../http/bodies/uuid.js';
import * as schemas from '../../http/openapi/openapi.schemas.js';
import { FILE_PROBLEMS, fileNotFoundProblem } from './problems.js';

/** The file UUID in the path. A malformed UUID gets 404, as an unknown UUID does (F6). */
export const FileUuid = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { file: string } }>>();
  const uuid = params.file.toLowerCase();
  if (!UUID.test(uuid)) throw fileNotFoundProblem();
  return uuid;
});

export const ApiFile = () =>
  ApiParam({ name: 'file', description: 'The UUID of the file.', schema: schemas.UUID_SCHEMA });

export const STORAGE_ERRORS = [
  FILE_PROBLEMS.storage_unavailable,
  'database_unavailable',
  'overloaded',
] as const;
