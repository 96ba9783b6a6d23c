import { Injectable } from '@nestjs/common';
import type { Executor, Statement } from '../../database/statement.js';
import {
  alreadyCompleted,
  databaseUnavailable,
  notFound,
  preconditionFailed,
  type Problem,
} from '../../http/problems.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import { FIND_SUBMISSION, type FoundSubmission } from '../submission.statements.js';

/** Between a write that found nothing to write and the look at why, another call may have moved the submission. */
const ATTEMPTS = 25;

/** Writes that hold all of their conditions in one statement, so that calls at the same time cannot pass them (S9). */
@Injectable()
export class SubmissionWriter {
  /**
   * The result of `attempt`, which gives undefined where it wrote nothing. Only then the reason is looked for: 404
   * (S1), 412 (S11), completed (S3), or what `rejection` makes of the draft, in this order.
   */
  async write<Result>(
    executor: Executor,
    reference: SubmissionReference,
    attempt: () => Promise<Result | undefined>,
    rejection: (draft: FoundSubmission) => Problem | undefined = () => undefined,
  ): Promise<Result> {
    for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
      const written = await attempt();
      if (written !== undefined) return written;
      const row = await this.readUnchanged(executor, reference);
      if (row.status === 'completed') throw alreadyCompleted();
      const problem = rejection(row);
      if (problem !== undefined) throw problem;
    }
    throw databaseUnavailable();
  }

  /** The submission, if it is this user's and as the request expects it. */
  async readUnchanged(
    executor: Executor,
    { userId, uuid, ifMatch }: SubmissionReference,
    statement: Statement<FoundSubmission> = FIND_SUBMISSION,
  ): Promise<FoundSubmission> {
    const [row] = await executor.query(statement, [uuid, userId]);
    if (row === undefined) throw notFound('Submission');
    if (ifMatch !== undefined && !ifMatch.includes(row.updated_at)) throw preconditionFailed();
    return row;
  }
}
