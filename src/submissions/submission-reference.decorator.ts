import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { userIdOf } from '../auth/authenticated-user.js';
import { readIfMatch } from '../http/headers/conditional-requests.js';
import { notFound } from '../http/errors/problems.js';
import { UUID } from '../http/bodies/uuid.js';

/** Which submission a request is about, and what it expects of it. */
export interface SubmissionReference {
  readonly userId: number;
  /** In lower case; matched whatever its letter case (F6). */
  readonly uuid: string;
  /** Validators, one of which must be the submission's; undefined: any state of it will do (S11). */
  readonly ifMatch: readonly string[] | undefined;
}

/** A submission of a user, in whatever state. */
export type Owned = Pick<SubmissionReference, 'userId' | 'uuid'>;

/** The submission that a route's `:uuid` and `If-Match` name; a malformed UUID is as unknown as any other (F6). */
export const Reference = createParamDecorator(
  (_data: unknown, context: ExecutionContext): SubmissionReference => {
    const request = context.switchToHttp().getRequest<FastifyRequest<{ Params: { uuid: string } }>>();
    const uuid = request.params.uuid.toLowerCase();
    if (!UUID.test(uuid)) throw notFound('Submission');
    return { userId: userIdOf(request), uuid, ifMatch: readIfMatch(request.headers['if-match']) };
  },
);
