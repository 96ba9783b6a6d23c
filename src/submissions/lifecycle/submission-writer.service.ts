import { Injectable } from '@nestjs/common';
import { RowLockedError } from '../../database/database-errors.js';
import type { Executor, Parameter, Statement } from '../../database/statement.js';
import {
  alreadyCompleted,
  type FieldErrors,
  invalid,
  notFound,
  preconditionFailed,
  type Problem,
} from '../../http/errors/problems.js';
import type { PublishedForm } from '../../forms/published-form.js';
import type { Owned, SubmissionReference } from '../submission-reference.decorator.js';
import { FIND_SUBMISSION, LOCK_SUBMISSION } from '../submission.statements.js';
import type { FoundSubmission, StoredStep } from '../submission.rows.js';
import { versionOf } from '../submission.columns.js';

/** The position of a submission among `step_count` steps, in a version of its form. */
export type Placed = Pick<FoundSubmission, 'current_step' | 'step_count' | 'form_version'>;

/** Executes writes whose conditions are all in one statement, so that parallel calls cannot bypass them (S9). */
@Injectable()
export class SubmissionWriter {
  /**
   * Returns the result of `attempt`. An undefined result means that nothing was written. Then this method throws the first that
   * applies: 404 (S1), 412 (S11), "already completed" (S3), or the result of `rejection`. If none applies, another request has
   * locked or changed the submission in the meantime, and the attempt is retried.
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

  /** Reads the submission. Throws 404 if it is not this user's, and 412 if `If-Match` does not match. */
  async readUnchanged(
    executor: Executor,
    { userId, uuid, ifMatch }: SubmissionReference,
  ): Promise<FoundSubmission> {
    const [row] = await executor.query(FIND_SUBMISSION, [uuid, userId]);
    if (row === undefined) throw notFound('Submission');
    return this.requireUnchanged(row, { ifMatch });
  }

  /**
   * Returns the position of a submission that was just read or written, in the version of `form` (S14). If this version lacks the
   * step, because the step was deleted or is new, the database tells the position in its version.
   */
  async place(
    executor: Executor,
    reference: Owned,
    form: PublishedForm,
    stored: StoredStep,
  ): Promise<Placed> {
    const position = positionIn(form, stored);
    if (position !== undefined)
      return { current_step: position, step_count: form.steps.length, form_version: form.version };
    const [row] = await executor.query(FIND_SUBMISSION, [reference.uuid, reference.userId]);
    if (row === undefined) throw notFound('Submission');
    const { current_step, step_count, form_version } = row;
    return { current_step, step_count, form_version };
  }

  requireUnchanged<Row extends Pick<FoundSubmission, 'updated_at'>>(
    row: Row,
    { ifMatch }: Pick<SubmissionReference, 'ifMatch'>,
  ): Row {
    if (ifMatch !== undefined && !ifMatch.includes(row.updated_at)) throw preconditionFailed();
    return row;
  }

  /** Like {@link readUnchanged}, and locks a draft until the transaction ends. */
  async lockUnchanged(executor: Executor, reference: SubmissionReference): Promise<FoundSubmission> {
    const [row] = await executor.query(LOCK_SUBMISSION, [reference.uuid, reference.userId]);
    if (row !== undefined) return this.requireUnchanged(row, reference);
    const unlocked = await this.readUnchanged(executor, reference);
    if (unlocked.status === 'completed') return unlocked;
    throw new RowLockedError();
  }
}

/** Undefined: the form has no such step. */
function positionIn({ steps }: PublishedForm, { step_id, stored_position }: StoredStep): number | undefined {
  if (step_id === null) return Math.max(1, Math.min(stored_position, steps.length));
  const index = steps.findIndex(({ id }) => id === step_id);
  return index === -1 ? undefined : index + 1;
}

export function throwIfInvalid(fieldErrors: FieldErrors): void {
  if (Object.keys(fieldErrors).length > 0) throw invalid(fieldErrors);
}

/** Executes a statement whose first parameters are {@link versionOf}, and returns its row. */
export async function update<Row>(
  executor: Executor,
  statement: Statement<Row>,
  reference: SubmissionReference,
  values: readonly Parameter[] = [],
): Promise<Row | undefined> {
  return (await executor.query(statement, [...versionOf(reference), ...values]))[0];
}
