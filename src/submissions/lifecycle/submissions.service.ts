import { Injectable } from '@nestjs/common';
import type { AuthenticatedUser } from '../../auth/authenticated-user.js';
import { Database } from '../../database/database.js';
import type { BatchedStatement, Executor } from '../../database/statement.js';
import { FormVersionsService } from '../../forms/form-versions.service.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { type FieldErrors, invalid, notFound } from '../../http/errors/problems.js';
import { inSlices } from '../../http/slices.js';
import type { StoredValue } from '../../rules/index.js';
import { CompletionService } from '../completion/completion.service.js';
import type { PatchSubmissionDto } from '../dto/patch-submission.dto.js';
import { unknownStep } from '../dto/validation-query.dto.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { SubmissionFormsService } from './submission-forms.service.js';
import {
  DELETE_SUBMISSION,
  FIND_SUBMISSION_WITH_VALUES,
  FIND_VALUES,
  FIND_VALUES_AND_RECORDS,
  LONG_JSON,
  PATCH_SUBMISSION,
  type PatchedSubmission,
  type ShownSubmission,
  type SubmissionRow,
  type Unparsed,
  type ValuesAndRecordsRow,
  type ValuesRow,
} from '../submission.statements.js';
import type { Owned, SubmissionReference } from '../submission-reference.decorator.js';
import { FileValuesService } from '../values/file-values.service.js';
import { HeavyReadsService } from './heavy-reads.service.js';
import { SubmissionCreator } from './submission-creator.service.js';
import { SubmissionWriter, throwIfInvalid, update } from './submission-writer.service.js';

/** A submission and its form. */
export interface Found<Row> {
  readonly submission: Row;
  readonly form: PublishedForm;
}

type StoredRow = ValuesRow & Partial<ValuesAndRecordsRow>;

/** States of fields within records. Evaluating as many takes about 50 ms. */
const MANY_STATES = 100_000;

/** The lifecycle of a submission and its progress through the steps (specification, section 3). */
@Injectable()
export class SubmissionsService {
  constructor(
    private readonly database: Database,
    private readonly creator: SubmissionCreator,
    private readonly forms: SubmissionFormsService,
    private readonly idempotency: IdempotencyService,
    private readonly writer: SubmissionWriter,
    private readonly completion: CompletionService,
    private readonly files: FileValuesService,
    private readonly versions: FormVersionsService,
    private readonly heavyReads: HeavyReadsService,
  ) {}

  create(user: AuthenticatedUser, formUuid: string, key: string | undefined): Promise<ShownSubmission> {
    const request = { userId: user.id, key, operation: ['create', formUuid.toLowerCase()] };
    return this.idempotency.once(request, (executor) => this.creator.create(executor, user, formUuid));
  }

  /** Passes the submission to `work`. */
  getWithValues<Result>(
    reference: SubmissionReference,
    work: (found: Found<ShownSubmission & ValuesAndRecordsRow>) => Result | Promise<Result>,
  ): Promise<Result> {
    return this.read<ShownSubmission & ValuesAndRecordsRow, Result>(
      FIND_SUBMISSION_WITH_VALUES,
      reference,
      work,
    );
  }

  /**
   * Passes the values on which conditions are evaluated to `work`, with the records if conditions of each record are needed
   * (R6).
   */
  getStored<Result>(
    reference: Owned,
    withRecords: boolean,
    work: (found: Found<StoredRow>) => Result | Promise<Result>,
  ): Promise<Result> {
    return withRecords
      ? this.read<ValuesAndRecordsRow, Result>(FIND_VALUES_AND_RECORDS, reference, work)
      : this.read<ValuesRow, Result>(FIND_VALUES, reference, work);
  }

  /** Reads a submission and passes it to `work`. Few heavy reads of one user run at a time, because each takes much memory and CPU. */
  private async read<Row extends StoredRow, Result>(
    statement: BatchedStatement<Unparsed<Row>>,
    owned: Owned,
    work: (found: Found<Row>) => Result | Promise<Result>,
  ): Promise<Result> {
    const { userId, uuid } = owned;
    const short = await this.database.batch(statement, [uuid, userId, null]);
    if (short === undefined) throw notFound('Submission');
    if (short.values === null)
      return this.heavyReads.run(userId, async () => work(await this.find(this.database, statement, owned)));
    const found = await this.parsed<Row>(this.database, short, short.values);
    const states = found.form.fields.length * (found.submission.records?.length ?? 0);
    return states < MANY_STATES ? work(found) : this.heavyReads.run(userId, () => work(found));
  }

  async find<Row extends StoredRow>(
    executor: Executor,
    statement: BatchedStatement<Unparsed<Row>>,
    { userId, uuid }: Owned,
  ): Promise<Found<Row>> {
    const read = await executor.batch(statement, [uuid, userId, uuid]);
    if (read === undefined) throw notFound('Submission');
    return this.parsed<Row>(executor, read, read.values ?? '[]');
  }

  private async parsed<Row extends StoredRow>(
    executor: Executor,
    read: Unparsed<Row>,
    json: string,
  ): Promise<Found<Row>> {
    const values = json.length > LONG_JSON ? await inSlices(parsing(json)) : parse(json);
    const submission = Object.assign(read, { values }) as unknown as Row;
    const form = this.forms.formHolding(executor, submission.form_id, values, submission.records);
    return { submission, form: form instanceof Promise ? await form : form };
  }

  async patch(reference: SubmissionReference, changes: PatchSubmissionDto): Promise<Found<SubmissionRow>> {
    if (changes.status === 'completed') return this.complete(reference, changes);
    const submission =
      changes.status === undefined && changes.meta === undefined
        ? await this.writer.readUnchanged(this.database, reference)
        : await this.write(this.database, reference, changes, null);
    return { submission, form: await this.forms.withId(this.database, submission.form_id) };
  }

  /** Checks the values if completion is strict (S4, S13), and keeps the schema of the completed version (N3). */
  private async complete(
    reference: SubmissionReference,
    changes: PatchSubmissionDto,
  ): Promise<Found<SubmissionRow>> {
    const form = await this.forms.formOf(this.database, reference);
    if (!form.isCompletionStrict && this.versions.isKept(form))
      return { submission: await this.write(this.database, reference, changes, form.version), form };
    const { isKept, ...completed } = await this.database.transaction(async (executor) => {
      const checked = form.isCompletionStrict ? await this.requireComplete(executor, reference, form) : form;
      const submission = await this.write(executor, reference, changes, checked.version);
      // A submission that was completed before keeps its version.
      const isKept = submission.completed_version === checked.version;
      if (isKept) await this.versions.keep(executor, checked);
      return { submission, form: checked, isKept };
    }, reference.uuid);
    if (isKept) this.versions.remember(completed.form);
    return completed;
  }

  private write(
    executor: Executor,
    reference: SubmissionReference,
    { status, meta }: PatchSubmissionDto,
    formVersion: number | null,
  ): Promise<PatchedSubmission> {
    const changes = [status ?? null, meta === undefined ? null : JSON.stringify(meta), formVersion];
    return this.writer.write(executor, reference, (executor) =>
      update(executor, PATCH_SUBMISSION, reference, changes),
    );
  }

  /**
   * Throws 422 if strict completion rejects the draft (S4). Keeps it locked, so that its values cannot change after the check.
   * Returns the form that the values were checked against.
   */
  private async requireComplete(
    executor: Executor,
    reference: SubmissionReference,
    form: PublishedForm,
  ): Promise<PublishedForm> {
    const { status } = await this.writer.lockUnchanged(executor, reference);
    if (status === 'completed') return form;
    // Read the values after taking the lock, to include values that were stored in the meantime.
    const found = await this.find(executor, FIND_VALUES_AND_RECORDS, reference);
    throwIfInvalid(await this.fieldErrors(executor, reference, found));
    return found.form;
  }

  /** Deletes a draft with its values and records (O2, S3). */
  async delete(reference: SubmissionReference): Promise<void> {
    await this.writer.write(this.database, reference, (executor) =>
      update(executor, DELETE_SUBMISSION, reference),
    );
    this.forms.forget(reference.uuid);
  }

  /** The errors of strict completion, for all steps or for one step (J3). Throws 422 if the form has no step with this number. */
  async validate(
    reference: SubmissionReference,
    stepNumber: number | undefined,
  ): Promise<{ readonly form: PublishedForm; readonly errors: FieldErrors }> {
    return this.read<ValuesAndRecordsRow, { form: PublishedForm; errors: FieldErrors }>(
      FIND_VALUES_AND_RECORDS,
      reference,
      async (found) => {
        const { form } = found;
        if (stepNumber !== undefined && !form.steps.some((step) => step.stepNumber === stepNumber))
          throw invalid({ step: [unknownStep()] });
        return { form, errors: await this.fieldErrors(this.database, reference, found, stepNumber) };
      },
    );
  }

  async fieldErrors(
    executor: Executor,
    { uuid }: Owned,
    { form, submission }: Found<ValuesAndRecordsRow>,
    stepNumber?: number,
  ): Promise<FieldErrors> {
    const files = await this.files.known(executor, uuid, form);
    return this.completion.fieldErrors(form, submission, files, stepNumber);
  }
}

const parse = (json: string) => JSON.parse(json) as StoredValue[];

/** Parses in a slice of its own, because parsing 2 MiB takes 15 ms. */
function* parsing(json: string): Generator<undefined, StoredValue[]> {
  yield;
  const values = parse(json);
  yield;
  return values;
}
