import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { unauthenticatedProblem } from '../http/errors/problems.js';
import type { SharedLimit } from '../throttling/address-allowance.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user of the bearer token. Undefined if the request has no valid token. */
    user: AuthenticatedUser | undefined;
  }
}

export interface AuthenticatedUser {
  readonly id: number;
  /** Undefined: the token allows everything that its user may do (A4). */
  readonly scope: Scope | undefined;
}

/** The rights of a token. A kind of token may add properties that only this kind reads. */
export interface Scope {
  /** The count in which each request is counted for its address too. */
  readonly sharedLimit: SharedLimit;
  /** Whether the submissions that it begins are tests, which may be of an inactive form. */
  readonly beginsTests: boolean;
  /** Maximum bytes that the user stores, by kind: see `UserStorageService`. */
  readonly maxStored: Readonly<Record<string, number>>;
}

export const CurrentUser = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  userOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

export const UserId = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    userOf(context.switchToHttp().getRequest<FastifyRequest>()).id,
);

/** @throws Problem 401 if the request has no valid token */
export function userOf({ user }: FastifyRequest): AuthenticatedUser {
  if (user === undefined) throw unauthenticatedProblem();
  return user;
}
