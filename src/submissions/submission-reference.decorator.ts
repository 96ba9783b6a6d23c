import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { userIdOf } from '../auth/user-id.decorator.js';
import { readIfMatch } from '../http/headers/conditional-requests.js';
import { notFound } from '../http/errors/problems.js';
import { UUID } from '../http/bodies/uuid.js';

/** The submission that a request names, and the states in which it may be. */
export interface SubmissionReference {
  readonly userId: number;
  /** In lower case. The path may have any letter case (F6). */
  readonly uuid: string;
  /** The ETag of the submission must be one of these. Undefined: any state will do (S11). */
  readonly ifMatch: readonly string[] | undefined;
}

/** The submission that `:uuid` and `If-Match` name. A malformed UUID gets 404, like an unknown one (F6). */
export const Reference = createParamDecorator(
  (_data: unknown, context: ExecutionContext): SubmissionReference => {
    const request = context.switchToHttp().getRequest<FastifyRequest<{ Params: { uuid: string } }>>();
    const uuid = request.params.uuid.toLowerCase();
    if (!UUID.test(uuid)) throw notFound('Submission');
    return { userId: userIdOf(request), uuid, ifMatch: readIfMatch(request.headers['if-match']) };
  },
);
