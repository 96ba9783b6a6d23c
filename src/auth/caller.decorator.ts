import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Arrival } from '../database/connection.js';
import { type Scope, userOf } from './authenticated-user.js';

/** The user who sends a request. The time for the request begins when its body has arrived. */
export interface Caller extends Arrival {
  readonly userId: number;
  /** The restrictions of the request's token. Undefined: the token may do everything that its user may do. */
  readonly scope?: Scope | undefined;
  /** The `Idempotency-Key` (S10). */
  readonly idempotencyKey?: string | undefined;
}

export function callerOf(request: FastifyRequest): Caller {
  const { id: userId, scope } = userOf(request);
  const idempotencyKey = request.headers['idempotency-key'] as string | undefined;
  return { userId, scope, idempotencyKey, arrivedAt: performance.now() };
}

export const RequestCaller = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
