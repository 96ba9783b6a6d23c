import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { RowLockedError } from '../../database/database-errors.js';
import type { BatchedStatement, Executor, Parameter, Statement } from '../../database/statement.js';
import type { PublishedForm } from '../../forms/published-form.js';
import {
  alreadyCompletedProblem,
  type FieldErrors,
  invalidDataProblem,
  notFoundProblem,
  submissionChangedProblem,
  type Problem,
} from '../../http/errors/problems.js';
import { withComputedValues } from '../../conditions/states/computed-values.js';
import { inSlices } from '../../http/slices.js';
import { SubmissionGuards } from '../guards-submissions.js';
import { versionOf } from '../submission.columns.js';
import type { OwnSubmission, SubmissionReference } from '../submission-reference.decorator.js';
import type {
  FoundSubmission,
  ReadSubmission,
  StoredStep,
  UnparsedRow,
  ValuesAndRecordsRow,
  ValuesRow,
} from '../submission.rows.js';
import { FIND_SUBMISSION, LOCK_SUBMISSION } from '../submission.statements.js';
import { HeavyReadsService } from './heavy-reads.service.js';
import { parseValues, parsingValues } from './parse-values.js';
import { FIND_VALUES, FIND_VALUES_AND_RECORDS, LONG_JSON } from './read.statements.js';
import { SubmissionFormsService } from './submission-forms.service.js';

/** States of fields within records. Evaluating as many takes about 50 ms. */
const MANY_STATES = 100_000;

/** A submission that was read, and its form. */
export interface SubmissionWithForm<Row> {
  readonly submission: Row;
  readonly form: PublishedForm;
}

/** The position of a submission among `step_count` steps, in a version of its form. */
type Position = Pick<FoundSubmission, 'current_step' | 'step_count' | 'form_version'>;

export type ValuesOfSubmission = ValuesRow & Partial<ValuesAndRecordsRow & Pick<ReadSubmission, 'status'>>;

const NEEDS_RECORDS = 'needs records';

/** Reads and locks submissions, writes to drafts, and finds out why nothing was written. */
@Injectable()
export class DraftsService {
  constructor(
    private readonly database: Database,
    private readonly forms: SubmissionFormsService,
    private readonly heavyReads: HeavyReadsService,
    private readonly guards: SubmissionGuards,
  ) {}

  /**
   * Passes the values on which conditions are evaluated to `work`, with the records if conditions of each record are needed (R6), or if
   * the form computes values.
   */
  readValues<Result>(
    submission: OwnSubmission,
    withRecords: boolean,
    work: (read: SubmissionWithForm<ValuesOfSubmission>) => Result | Promise<Result>,
  ): Promise<Result> {
    const readAll = () => this.read<ValuesAndRecordsRow, Result>(FIND_VALUES_AND_RECORDS, submission, work);
    if (withRecords || this.forms.knownForm(submission)?.rules.computed !== undefined) return readAll();
    return this.read<ValuesRow, Result | typeof NEEDS_RECORDS>(FIND_VALUES, submission, (read) =>
      read.form.rules.computed === undefined ? work(read) : NEEDS_RECORDS,
    ).then((result) => (result === NEEDS_RECORDS ? readAll() : result));
  }

  /** Reads a submission and passes it to `work`. Few heavy reads of one user run at a time, because each takes much memory and CPU. */
  async read<Row extends ValuesOfSubmission, Result>(
    statement: BatchedStatement<UnparsedRow<Row>>,
    own: OwnSubmission,
    work: (read: SubmissionWithForm<Row>) => Result | Promise<Result>,
  ): Promise<Result> {
    const executor = this.database.forRequest(own);
    const short = await executor.batch(statement, [own.uuid, own.userId, null]);
    if (short === undefined) throw notFoundProblem('Submission');
    if (short.values === null)
      return this.heavyReads.run(own, async () => work(await this.readAll(this.database, statement, own)));
    this.forms.remember(own, short.form_id);
    const read = await this.parsed<Row>(executor, short, short.values);
    const states = read.form.fields.length * (read.submission.records?.length ?? 0);
    return states < MANY_STATES ? work(read) : this.heavyReads.run(own, () => work(read));
  }

  private async readAll<Row extends ValuesOfSubmission>(
    executor: Executor,
    statement: BatchedStatement<UnparsedRow<Row>>,
    { userId, uuid }: OwnSubmission,
  ): Promise<SubmissionWithForm<Row>> {
    const row = await executor.batch(statement, [uuid, userId, uuid]);
    if (row === undefined) throw notFoundProblem('Submission');
    return this.parsed<Row>(executor, row, row.values ?? '[]');
  }

  private async parsed<Row extends ValuesOfSubmission>(
    executor: Executor,
    row: UnparsedRow<Row>,
    json: string,
  ): Promise<SubmissionWithForm<Row>> {
    const values = json.length > LONG_JSON ? await inSlices(parsingValues(json)) : parseValues(json);
    const submission = Object.assign(row, { values }) as unknown as Row;
    const found = this.forms.formHolding(executor, submission.form_id, values, submission.records);
    const form = found instanceof Promise ? await found : found;
    // A completed submission keeps the computed values that were stored when it was completed (K2).
    if (
      form.rules.computed !== undefined &&
      submission.records !== undefined &&
      submission.status === 'draft'
    )
      Object.assign(submission, { values: await withComputedValues(form, submission) });
    return { submission, form };
  }

  /** Reads the submission without its values. Throws 404 if it is not this user's, and 412 if `If-Match` does not match. */
  async find(executor: Executor, reference: SubmissionReference): Promise<FoundSubmission> {
    const [row] = await executor.query(FIND_SUBMISSION, [reference.uuid, reference.userId]);
    if (row === undefined) throw notFoundProblem('Submission');
    return requireUnchanged(row, reference);
  }

  /** Like {@link find}, and locks a draft until the transaction ends. */
  async lock(executor: Executor, reference: SubmissionReference): Promise<FoundSubmission> {
    const [row] = await executor.query(LOCK_SUBMISSION, [reference.uuid, reference.userId]);
    if (row !== undefined) return requireUnchanged(row, reference);
    const unlocked = await this.find(executor, reference);
    if (unlocked.status === 'completed') return unlocked;
    throw new RowLockedError();
  }

  /** Like {@link lock}, and throws 422 if the submission is completed (S3), or if a guard rejects writes to it. */
  async lockDraft(executor: Executor, reference: SubmissionReference): Promise<FoundSubmission> {
    const found = await this.lock(executor, reference);
    const problem = ifCompleted(found);
    if (problem !== undefined) throw problem;
    const form = await this.forms.withId(executor, found.form_id);
    const rejection = await this.guards.rejectionOfWrite(executor, form, reference);
    if (rejection !== undefined) throw rejection;
    return found;
  }

  /**
   * Throws 422 if a guard rejects writes to the draft. The errors that come first are 404 (S1) and 412 (S11). A completed submission
   * passes, because the write itself says what is wrong (S3). Call it before a write that does not call {@link lockDraft}.
   */
  async requireWritable(executor: Executor, reference: SubmissionReference): Promise<void> {
    if (!(await this.guards.rejectsWrites())) return;
    const form = await this.forms.formOf(executor, reference);
    const rejection = await this.guards.rejectionOfWrite(executor, form, reference);
    if (rejection === undefined) return;
    const { status } = await this.find(executor, reference);
    if (status === 'draft') throw rejection;
  }

  /** Reads the values and records of a draft that is locked, in the version of the form that `draft` has. */
  async readLocked(
    executor: Executor,
    reference: SubmissionReference,
    draft: FoundSubmission,
  ): Promise<SubmissionWithForm<ReadSubmission>> {
    const read = await this.readAll(executor, FIND_VALUES_AND_RECORDS, reference);
    if (read.form.version === draft.form_version) return read;
    // Another program is changing the form. Retry with the current form.
    this.forms.forgetForm(read.form.id);
    throw new RowLockedError();
  }

  /**
   * Executes a write whose conditions are all in its statement, so that parallel calls cannot bypass them (S9). An undefined result of
   * `attempt` means that nothing was written. Then this method reads the submission, and throws the first that applies: 404 (S1), 412
   * (S11), or the result of `rejection`. If none applies, another request has locked or changed the submission in the meantime, and
   * the attempt is retried.
   */
  write<Result>(
    executor: Executor,
    reference: SubmissionReference,
    attempt: (executor: Executor) => Promise<Result | undefined>,
    rejection: (found: FoundSubmission) => Problem | undefined = ifCompleted,
  ): Promise<Result> {
    return executor.retryWhileLocked(reference.uuid, async (executor) => {
      const written = await attempt(executor);
      if (written !== undefined) return written;
      const found = await this.find(executor, reference);
      this.forms.remember(reference, found.form_id);
      throw rejection(found) ?? new RowLockedError();
    });
  }

  /**
   * Returns the position of a submission that was just read or written, in the version of `form` (S14). If this version lacks the
   * step, because the step was deleted or is new, the database tells the position in its version. Outside of a transaction, this has
   * time of its own, because a write that is done must not get 503.
   */
  async positionOf(
    executor: Executor,
    own: OwnSubmission,
    form: PublishedForm,
    stored: StoredStep,
  ): Promise<Position> {
    const position = positionIn(form, stored);
    if (position !== undefined)
      return { current_step: position, step_count: form.steps.length, form_version: form.version };
    const afterwards = executor.holdsConnection ? executor : this.database;
    const { current_step, step_count, form_version } = await this.find(afterwards, {
      ...own,
      ifMatch: undefined,
    });
    return { current_step, step_count, form_version };
  }
}

/** Undefined: the form has no such step. */
function positionIn({ steps }: PublishedForm, { step_id, stored_position }: StoredStep): number | undefined {
  if (step_id === null) return Math.max(1, Math.min(stored_position, steps.length));
  const index = steps.findIndex(({ id }) => id === step_id);
  return index === -1 ? undefined : index + 1;
}

/** Throws 412 if `If-Match` does not match (S11). */
export function requireUnchanged<Row extends Pick<FoundSubmission, 'updated_at'>>(
  row: Row,
  { ifMatch }: Pick<SubmissionReference, 'ifMatch'>,
): Row {
  if (ifMatch !== undefined && !ifMatch.includes(row.updated_at)) throw submissionChangedProblem();
  return row;
}

/** Returns the problem of a write to a draft if the submission is completed (S3). */
export const ifCompleted = ({ status }: FoundSubmission): Problem | undefined =>
  status === 'completed' ? alreadyCompletedProblem() : undefined;

export function throwIfInvalid(fieldErrors: FieldErrors): void {
  if (Object.keys(fieldErrors).length > 0) throw invalidDataProblem(fieldErrors);
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
