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
  /** Undefined for a user who is not a respondent. */
  readonly respondent: RespondentRights | undefined;
}

/** What a respondent may begin (P3, P10). */
export interface RespondentRights {
  /** The id of the only form of which the respondent may begin submissions. */
  readonly formId: number;
  /** Whether the submissions are tests, which may be of an inactive form. */
  readonly isPreview: boolean;
  /** The SHA-256 of the token of this request, in hexadecimal. */
  readonly tokenHash: string;
}

/**
 * The row that requests of a respondent lock, for `Executor.retryWhileLocked`. They would only wait for each other, so they are
 * serialized. Requests of other users do not lock the user.
 */
export function rowOf({ id, respondent }: AuthenticatedUser): string | undefined {
  return respondent === undefined ? undefined : `respondent ${id}`;
}

export const User = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  userOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

export const UserId = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  userIdOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

function userOf({ user }: FastifyRequest): AuthenticatedUser {
  if (user === undefined) throw unauthenticated();
  return user;
}

export const userIdOf = (request: FastifyRequest): number => userOf(request).id;
