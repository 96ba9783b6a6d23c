import { Injectable } from '@nestjs/common';
import { RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import { alreadyCompleted, notFound, preconditionFailed, type Problem } from '../../http/errors/problems.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import { FIND_SUBMISSION, type FoundSubmission, LOCK_SUBMISSION } from '../submission.statements.js';

/** Writes that hold all of their conditions in one statement, so that calls at the same time cannot pass them (S9). */
@Injectable()
export class SubmissionWriter {
  /**
   * The result of `attempt`, which gives undefined where it wrote nothing. Only then the reason is looked for: 404
   * (S1), 412 (S11), completed (S3), or what `rejection` makes of the draft, in this order. Where there is none, others
   * have the submission locked, or have moved it meanwhile: once more, in a moment.
   */
  write<Result>(
    executor: Executor,
    reference: SubmissionReference,
    attempt: (executor: Executor) => Promise<Result | undefined>,
    rejection: (draft: FoundSubmission) => Problem | undefined = () => undefined,
  ): Promise<Result> {
    return executor.retryWhileLocked(reference.uuid, async (executor) => {
      const written = await attempt(executor);
      if (written !== undefined) return written;
      const row = await this.readUnchanged(executor, reference);
      if (row.status === 'completed') throw alreadyCompleted();
      throw rejection(row) ?? new RowLockedError();
    });
  }

  /** The submission, if it is this user's and as the request expects it. */
  async readUnchanged(
    executor: Executor,
    { userId, uuid, ifMatch }: SubmissionReference,
  ): Promise<FoundSubmission> {
    const [row] = await executor.query(FIND_SUBMISSION, [uuid, userId]);
    if (row === undefined) throw notFound('Submission');
    return this.asExpected(row, { ifMatch });
  }

  private asExpected(
    row: FoundSubmission,
    { ifMatch }: Pick<SubmissionReference, 'ifMatch'>,
  ): FoundSubmission {
    if (ifMatch !== undefined && !ifMatch.includes(row.updated_at)) throw preconditionFailed();
    return row;
  }

  /** The same, and until the transaction ends nobody else writes to it. */
  async lockUnchanged(executor: Executor, reference: SubmissionReference): Promise<FoundSubmission> {
    const [row] = await executor.query(LOCK_SUBMISSION, [reference.uuid, reference.userId]);
    if (row !== undefined) return this.asExpected(row, reference);
    const unlocked = await this.readUnchanged(executor, reference);
    if (unlocked.status === 'completed') return unlocked;
    throw new RowLockedError();
  }
}
