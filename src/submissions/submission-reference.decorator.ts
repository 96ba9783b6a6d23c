import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Caller, callerOf } from '../auth/caller.decorator.js';
import { readIfMatch } from '../http/headers/conditional-requests.js';
import { notFoundProblem } from '../http/errors/problems.js';
import { UUID } from '../http/bodies/uuid.js';

/** The submission that a request names, and the versions of it that the request accepts. */
export interface SubmissionReference extends Caller {
  /** In lower case, although requests may use any letter case (F6). */
  readonly uuid: string;
  /** The ETags of `If-Match`. One must be the ETag of the submission (S11). Undefined if every version is accepted. */
  readonly ifMatch: readonly string[] | undefined;
}

/** A submission of a user, without `If-Match`: every version is accepted. */
export type OwnSubmission = Omit<SubmissionReference, 'ifMatch'>;

/** Reads `:uuid` and `If-Match`. Throws 404 for a malformed UUID, as for an unknown one (F6). */
export const Reference = createParamDecorator(
  (_data: unknown, context: ExecutionContext): SubmissionReference => {
    const request = context.switchToHttp().getRequest<FastifyRequest<{ Params: { uuid: string } }>>();
    const uuid = request.params.uuid.toLowerCase();
    if (!UUID.test(uuid)) throw notFoundProblem('Submission');
    return Object.assign(callerOf(request), { uuid, ifMatch: readIfMatch(request.headers['if-match']) });
  },
);
