import { Injectable } from '@nestjs/common';
import { arrayLiteral } from '../../database/array-literal.js';
import { Database } from '../../database/database.js';
import { isForeignKeyViolation, RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { invalidDataProblem, type Problem } from '../../http/errors/problems.js';
import { DraftsService, ifCompleted, throwIfInvalid } from '../drafts/drafts.service.js';
import { SubmissionFormsService } from '../drafts/submission-forms.service.js';
import type { IncludeQuery } from '../dto/include-query.dto.js';
import type { ValueEntryDto } from '../dto/store-values.dto.js';
import { IncludedConditionsService } from '../included-conditions.service.js';
import { ifMatchVersions, numberList } from '../submission.columns.js';
import { presentStoredValues, type StoredValues } from '../submission.presenter.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import type { SubmissionState } from '../submission-state.js';
import type { FoundSubmission } from '../submission.rows.js';
import { type ValuesCheck, ValuesChecks } from './checks-values.js';
import { MAX_TEXT, MAX_VALUES, sizeOf, type StoredSize } from './stored-size.js';
import { COUNT_OTHER_VALUES } from './stored-size.statements.js';
import { type TextReservation, UserStorageService } from './user-storage.service.js';
import { type FieldValue, lastOfEachKey, recordKey, resolveEntries, upsertKey } from './value-entries.js';
import { foreignRecordErrors, tooManyValuesError, tooMuchTextError } from './value-errors.js';
import { FIND_FOREIGN_RECORDS, STORE_VALUES } from './value.statements.js';

/** The entries of a request, resolved to fields of a form. */
interface Upsert {
  readonly reference: SubmissionReference;
  readonly form: PublishedForm;
  readonly entries: readonly FieldValue[];
  /** The entries to store: the last one of each key (V6). */
  readonly rows: readonly FieldValue[];
  readonly added: StoredSize;
  /** All named records must belong to the submission, even those of an entry that a later entry replaces. */
  readonly namedRecords: readonly number[];
  /** Undefined if what the user stores has no limit. */
  readonly text: TextReservation | undefined;
}

/** Stores values in drafts. */
@Injectable()
export class ValuesService {
  constructor(
    private readonly database: Database,
    private readonly drafts: DraftsService,
    private readonly forms: SubmissionFormsService,
    private readonly checks: ValuesChecks,
    private readonly userStorage: UserStorageService,
    private readonly conditions: IncludedConditionsService,
  ) {}

  /** Stores all entries or none. */
  async store(
    reference: SubmissionReference,
    entries: readonly ValueEntryDto[],
    query: IncludeQuery,
  ): Promise<SubmissionState> {
    const stored = await this.database
      .forRequest(reference)
      .retryWhileLocked(reference.uuid, (executor) => this.attempt(executor, reference, entries));
    return this.conditions.include(presentStoredValues(stored), reference, query);
  }

  /** Each attempt resolves the entries, because another program may have changed the form. */
  private async attempt(
    executor: Executor,
    reference: SubmissionReference,
    entries: readonly ValueEntryDto[],
  ): Promise<StoredValues> {
    await this.drafts.requireWritable(executor, reference);
    const resolved = await this.forms.resolve(executor, reference, (form) => resolveEntries(form, entries));
    const upsert = this.upsertOf(reference, resolved.form, resolved.found);
    const checks = this.checks.of(upsert.entries);
    try {
      return checks.length === 0
        ? await this.upsert(executor, upsert)
        : await executor.transaction((executor) => this.upsertChecked(executor, upsert, checks));
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      // Another program has just deleted a field or a record.
      this.forms.forgetForm(upsert.form.id);
      throw new RowLockedError();
    } finally {
      // Not before the transaction has ended: only then do other requests see the stored bytes.
      upsert.text?.release();
    }
  }

  private upsertOf(
    reference: SubmissionReference,
    form: PublishedForm,
    entries: readonly FieldValue[],
  ): Upsert {
    const entriesByKey = lastOfEachKey(entries);
    const rows = entriesByKey.size === entries.length ? entries : [...entriesByKey.values()];
    const added = sizeOf(rows);
    const namedRecords = entries.map(({ entityRecordId }) => entityRecordId).filter((id) => id !== null);
    const text = this.userStorage.reserveText(reference.userId, added.bytes);
    return { reference, form, entries, rows, added, namedRecords, text };
  }

  /** Locks the draft first, so that what the checks have read stays. */
  private async upsertChecked(
    executor: Executor,
    upsert: Upsert,
    checks: readonly ValuesCheck[],
  ): Promise<StoredValues> {
    const { reference, form, entries } = upsert;
    const found = await this.drafts.lock(executor, reference);
    this.forms.requireForm(form, reference.uuid, found);
    const problem = ifCompleted(found);
    if (problem !== undefined) throw problem;
    for (const check of checks) throwIfInvalid(await check.fieldErrors(executor, reference.uuid, entries));
    return this.upsert(executor, upsert);
  }

  private async upsert(executor: Executor, upsert: Upsert): Promise<StoredValues> {
    const { reference, form, rows, added, namedRecords, text } = upsert;
    const stored = await executor.batch(STORE_VALUES, [
      reference.uuid,
      reference.userId,
      ifMatchVersions(reference.ifMatch),
      form.id,
      numberList(namedRecords),
      arrayLiteral(rows.map(({ field }) => field.id)),
      arrayLiteral(rows.map(({ field }) => field.isRepeatable)),
      arrayLiteral(rows.map(({ entityRecordId }) => entityRecordId)),
      arrayLiteral(rows.map(({ value }) => value)),
      added.count,
      added.bytes,
      text?.mostStored() ?? null,
    ]);
    if (stored === undefined) {
      const found = await this.drafts.find(executor, reference);
      throw (await this.rejection(executor, upsert, found)) ?? new RowLockedError();
    }
    text?.learn(stored);
    return { updatedAt: stored.updated_at, values: storedValues(upsert), formVersion: form.version };
  }

  /** Returns why the values were not stored. Undefined: they can be stored now. */
  private async rejection(
    executor: Executor,
    { reference, form, entries, rows, added, namedRecords, text }: Upsert,
    found: FoundSubmission,
  ): Promise<Problem | undefined> {
    const { uuid } = reference;
    this.forms.requireForm(form, uuid, found);
    const completed = ifCompleted(found);
    if (completed !== undefined) return completed;
    const foreign =
      namedRecords.length === 0 ? [] : await executor.query(FIND_FOREIGN_RECORDS, [uuid, namedRecords]);
    if (foreign.length > 0) return invalidDataProblem(foreignRecordErrors(entries, foreign));
    if (!fitsSurely(found, added)) {
      // Throws if the submission is locked: counting takes long, and the next attempt may find room.
      await this.drafts.lock(executor, reference);
      const keys = [rows.map(({ field }) => field.id), rows.map(recordKey)];
      const [counted] = await executor.query(COUNT_OTHER_VALUES, [uuid, ...keys]);
      const { count, bytes, otherCount, otherBytes } = counted as NonNullable<typeof counted>;
      if (otherCount + added.count > Math.max(MAX_VALUES, count))
        return invalidDataProblem({ values: [tooManyValuesError()] });
      if (otherBytes + added.bytes > Math.max(MAX_TEXT, bytes))
        return invalidDataProblem({ values: [tooMuchTextError()] });
    }
    return (await text?.isTooMuch(executor)) === true
      ? invalidDataProblem({ values: [this.userStorage.tooMuchTextError()] })
      : undefined;
  }
}

/** Returns the stored value of each entry. */
function storedValues({ entries, rows }: Upsert): readonly FieldValue[] {
  if (rows === entries) return entries;
  const byKey = new Map(rows.map((row) => [upsertKey(row), row]));
  return entries.map((entry) => byKey.get(upsertKey(entry)) ?? entry);
}

/** Whether the counters, which are upper bounds, prove that the submission has room. */
function fitsSurely({ value_count, value_bytes }: FoundSubmission, added: StoredSize): boolean {
  if (value_count === null || value_bytes === null) return false;
  return value_count + added.count <= MAX_VALUES && value_bytes + added.bytes <= MAX_TEXT;
}
