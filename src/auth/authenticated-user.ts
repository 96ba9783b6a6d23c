import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { unauthenticated } from '../http/errors/problems.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user of the bearer token. Undefined if the request has no valid token. */
    user: AuthenticatedUser | undefined;
  }
}

export interface AuthenticatedUser {
  readonly id: number;
}

/** Injects the id of the user whose token the request has. */
export const UserId = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  userIdOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

export function userIdOf({ user }: FastifyRequest): number {
  if (user === undefined) throw unauthenticated();
  return user.id;
}
