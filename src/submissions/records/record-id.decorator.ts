import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RECORD_ID } from '../../http/openapi/openapi.schemas.js';
import { notFound } from '../../http/errors/problems.js';

/** The record that a route's `:id` names; one that no record can have is as unknown as any other (R2). */
export const RecordId = createParamDecorator((_data: unknown, context: ExecutionContext): number => {
  const { id } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { id: string } }>>().params;
  if (!/^[1-9]\d{0,15}$/.test(id) || Number(id) > RECORD_ID.maximum) throw notFound('Record');
  return Number(id);
});
