import { Injectable } from '@nestjs/common';
import type { AuthenticatedUser } from '../../auth/authenticated-user.js';
import { Database } from '../../database/database.js';
import { RowLockedError } from '../../database/database-errors.js';
import type { BatchedStatement, Executor, Parameter } from '../../database/statement.js';
import { FormVersionsService } from '../../forms/form-versions.service.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { databaseUnavailable, type FieldErrors, invalid, notFound } from '../../http/errors/problems.js';
import { inSlices } from '../../http/slices.js';
import type { StoredValue } from '../../conditions/engine/index.js';
import { CompletionService } from '../completion/completion.service.js';
import { hiddenValues } from '../completion/hidden-values.js';
import type { PatchSubmissionDto } from '../dto/patch-submission.dto.js';
import { unknownStep } from '../dto/validation-query.dto.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { SubmissionGuards } from '../guards-submissions.js';
import { SubmissionFormsService } from './submission-forms.service.js';
import { DELETE_SUBMISSION, PATCH_SUBMISSION } from '../submission.statements.js';
import {
  FIND_SUBMISSION_WITH_VALUES,
  FIND_VALUES,
  FIND_VALUES_AND_RECORDS,
  LONG_JSON,
} from '../read.statements.js';
import type {
  FoundSubmission,
  PatchedSubmission,
  ReadSubmission,
  ShownSubmission,
  StoredStep,
  Unparsed,
  ValuesAndRecordsRow,
  ValuesRow,
  VersionedSubmission,
} from '../submission.rows.js';
import { numberList } from '../submission.columns.js';
import type { Owned, SubmissionReference } from '../submission-reference.decorator.js';
import { HeavyReadsService } from './heavy-reads.service.js';
import { SubmissionCreator } from './submission-creator.service.js';
import { SubmissionWriter, throwIfInvalid, update } from './submission-writer.service.js';

/** Maximum number of attempts to read a submission and its form as of one version. */
const ATTEMPTS = 20;

/** A submission and its form. */
export interface Found<Row> {
  readonly submission: Row;
  readonly form: PublishedForm;
}

type StoredRow = ValuesRow & Partial<ValuesAndRecordsRow>;

type StoredSubmission = Omit<ShownSubmission, 'current_step'> & StoredStep & ValuesAndRecordsRow;

/** States of fields within records. Evaluating as many takes about 50 ms. */
const MANY_STATES = 100_000;

/** The lifecycle of a submission and its progress through the steps (specification, section 3). */
@Injectable()
export class SubmissionsService {
  constructor(
    private readonly database: Database,
    private readonly creator: SubmissionCreator,
    private readonly guards: SubmissionGuards,
    private readonly forms: SubmissionFormsService,
    private readonly idempotency: IdempotencyService,
    private readonly writer: SubmissionWriter,
    private readonly completion: CompletionService,
    private readonly versions: FormVersionsService,
    private readonly heavyReads: HeavyReadsService,
  ) {}

  create(user: AuthenticatedUser, formUuid: string, key: string | undefined): Promise<ShownSubmission> {
    const operation = ['create', formUuid.toLowerCase()];
    const request = { userId: user.id, key, operation, row: this.guards.rowOf(user) };
    const arrivedAt = performance.now();
    return this.idempotency.once(request, (executor) =>
      this.creator.create(executor, user, formUuid, arrivedAt),
    );
  }

  /** Passes the submission to `work`, as it is in the version of the form (N1). */
  async getWithValues<Result extends object | string>(
    reference: SubmissionReference,
    work: (found: Found<ShownSubmission & ValuesAndRecordsRow>) => Result | Promise<Result>,
  ): Promise<Result> {
    for (let attempts = 1; ; attempts += 1) {
      const result = await this.read<StoredSubmission, Result | undefined>(
        FIND_SUBMISSION_WITH_VALUES,
        reference,
        async ({ submission, form }) => {
          const placed = await this.writer.place(this.database, reference, form, submission);
          if (placed.form_version === form.version)
            return work({ submission: Object.assign(submission, placed), form });
          // Another program is changing the form. Read both again.
          this.forms.forgetForm(form.id);
          return undefined;
        },
      );
      if (result !== undefined) return result;
      if (attempts === ATTEMPTS) throw databaseUnavailable();
    }
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

  async patch(reference: SubmissionReference, changes: PatchSubmissionDto): Promise<VersionedSubmission> {
    if (changes.status === undefined && changes.meta === undefined)
      return this.writer.readUnchanged(this.database, reference);
    const { submission, form } = await (changes.status === 'completed'
      ? this.complete(reference, changes)
      : this.change(reference, changes));
    return Object.assign(submission, await this.writer.place(this.database, reference, form, submission));
  }

  private async change(
    reference: SubmissionReference,
    changes: PatchSubmissionDto,
  ): Promise<Found<PatchedSubmission>> {
    const submission = await this.write(this.database, reference, changes, null);
    return { submission, form: await this.forms.withId(this.database, submission.form_id) };
  }

  /** Completes the submission. Reads its values only if completion is strict (S4, S13) or the form can hide values (X1). */
  private async complete(
    reference: SubmissionReference,
    changes: PatchSubmissionDto,
  ): Promise<Found<PatchedSubmission>> {
    const form = await this.forms.formOf(this.database, reference);
    if (!form.isCompletionStrict && !form.rules.canHide && this.versions.isKept(form))
      return { submission: await this.write(this.database, reference, changes, form.version), form };
    const completed = await this.read(FIND_VALUES_AND_RECORDS, reference, (found: Found<ReadSubmission>) =>
      this.completeUnlocked(found, reference, changes),
    );
    return completed ?? this.heavyReads.run(reference.userId, () => this.completeLocked(reference, changes));
  }

  /**
   * Evaluates the values without a lock, and completes the draft only if it has not changed since they were read. Undefined: another
   * request has changed or locked it. Throws 422 if strict completion rejects the draft.
   */
  private async completeUnlocked(
    found: Found<ReadSubmission>,
    reference: SubmissionReference,
    changes: PatchSubmissionDto,
  ): Promise<Found<PatchedSubmission> | undefined> {
    const { form, submission: draft } = found;
    const { status, updated_at } = this.writer.requireUnchanged(draft, reference);
    if (status === 'completed')
      return { submission: await this.write(this.database, reference, changes, form.version), form };
    const asRead = { ...reference, ifMatch: [updated_at] };
    const patch = await this.checkedPatch(this.database, found, reference, changes);
    const complete = (executor: Executor) => this.completeChecked(executor, form, asRead, patch);
    const submission = await (this.versions.isKept(form)
      ? complete(this.database)
      : this.database.transaction(complete));
    if (submission === undefined) return undefined;
    this.versions.remember(form);
    return { submission, form };
  }

  /** Locks the draft first, so that even writers that never pause cannot change it before it is completed. */
  private async completeLocked(
    reference: SubmissionReference,
    changes: PatchSubmissionDto,
  ): Promise<Found<PatchedSubmission>> {
    const completed = await this.database.transaction(async (executor) => {
      const draft = await this.writer.lockUnchanged(executor, reference);
      const found = await this.findLocked(executor, reference, draft);
      const { form } = found;
      if (draft.status === 'completed')
        return { submission: await this.write(executor, reference, changes, form.version), form };
      const patch = await this.checkedPatch(executor, found, reference, changes);
      const submission = await this.completeChecked(executor, form, reference, patch);
      if (submission === undefined) throw new RowLockedError();
      return { submission, form };
    }, reference.uuid);
    if (completed.submission.completed_version === completed.form.version)
      this.versions.remember(completed.form);
    return completed;
  }

  /** Reads a draft that is locked, as it is in the version of the form of `draft`. */
  async findLocked(
    executor: Executor,
    reference: SubmissionReference,
    draft: FoundSubmission,
  ): Promise<Found<ReadSubmission>> {
    const found = await this.find(executor, FIND_VALUES_AND_RECORDS, reference);
    if (found.form.version === draft.form_version) return found;
    // Another program is changing the form. Retry with the current form.
    this.forms.forgetForm(found.form.id);
    throw new RowLockedError();
  }

  /** Evaluates the values, and returns the parameters that complete the draft. Throws 422 if strict completion rejects them. */
  private async checkedPatch(
    executor: Executor,
    found: Found<ReadSubmission>,
    reference: Owned,
    changes: PatchSubmissionDto,
  ): Promise<Parameter[]> {
    const { form, submission } = found;
    if (form.isCompletionStrict)
      throwIfInvalid(await this.completion.fieldErrors(executor, reference, found));
    return patchOf(changes, form.version, form.isCompletionStrict, await hiddenValues(form, submission));
  }

  /** Completes the draft, and keeps the schema of its version in the same transaction (N3). */
  private async completeChecked(
    executor: Executor,
    form: PublishedForm,
    reference: SubmissionReference,
    patch: readonly Parameter[],
  ): Promise<PatchedSubmission | undefined> {
    const completed = await update(executor, PATCH_SUBMISSION, reference, patch);
    if (completed !== undefined) await this.versions.keep(executor, form);
    return completed;
  }

  private write(
    executor: Executor,
    reference: SubmissionReference,
    changes: PatchSubmissionDto,
    formVersion: number | null,
  ): Promise<PatchedSubmission> {
    return this.writer.write(executor, reference, (executor) =>
      update(executor, PATCH_SUBMISSION, reference, patchOf(changes, formVersion)),
    );
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
        return {
          form,
          errors: await this.completion.fieldErrors(this.database, reference, found, stepNumber),
        };
      },
    );
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

/** The parameters of PATCH_SUBMISSION after the reference. */
const patchOf = (
  { status, meta }: PatchSubmissionDto,
  formVersion: number | null,
  isChecked = false,
  hidden: readonly string[] = [],
): Parameter[] => [
  status ?? null,
  meta === undefined ? null : JSON.stringify(meta),
  formVersion,
  isChecked,
  hidden.length === 0 ? null : numberList(hidden),
];
