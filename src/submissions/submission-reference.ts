import type { FastifyRequest } from 'fastify';
import { userOf } from '../auth/bearer.guard.js';
import { readIfMatch } from '../http/conditional-requests.js';
import { notFound } from '../http/problems.js';

/** Which submission a request is about, and what it expects of it. */
export interface SubmissionReference {
  readonly userId: number;
  /** In lower case; matched whatever its letter case (F6). */
  readonly uuid: string;
  /** Validators, one of which must be the submission's; undefined: any state of it will do (S11). */
  readonly ifMatch: readonly string[] | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The submission that a route's `:uuid` names; a malformed one is as unknown as any other (F6). */
export function referenceOf(request: FastifyRequest): SubmissionReference {
  const { uuid } = request.params as { uuid: string };
  const lowered = uuid.toLowerCase();
  if (!UUID.test(lowered)) throw notFound('Submission');
  return { userId: userOf(request), uuid: lowered, ifMatch: readIfMatch(request.headers['if-match']) };
}
