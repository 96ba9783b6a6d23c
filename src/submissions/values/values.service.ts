import { Injectable } from '@nestjs/common';
import { arrayOf } from '../../database/array-literal.js';
import { Database } from '../../database/database.js';
import type { Executor } from '../../database/statement.js';
import { isForeignKeyViolation } from '../../database/database-errors.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { PublishedFormsService } from '../../forms/published-forms.service.js';
import { alreadyCompleted, databaseUnavailable, invalid, Problem } from '../../http/errors/problems.js';
import type { ValueEntryDto } from '../dto/store-values.dto.js';
import { SubmissionFormsService } from '../lifecycle/submission-forms.service.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import type { FoundSubmission } from '../submission.rows.js';
import { ifMatchVersions, numberList } from '../submission.columns.js';
import { SubmissionWriter, throwIfInvalid } from '../lifecycle/submission-writer.service.js';
import { type ValuesCheck, ValuesChecks } from './checks-values.js';
import { MAX_TEXT, MAX_VALUES, sizeOf, type StoredSize } from './stored-size.js';
import { COUNT_OTHER_VALUES, SET_STORED_SIZE } from './stored-size.statements.js';
import { type TextReservation, UserStorageService } from './user-storage.service.js';
import { FIND_FOREIGN_RECORDS, STORE_VALUES } from './value.statements.js';
import { type FieldValue, lastOfEachKey, recordKey, resolveEntries, upsertKey } from './value-entries.js';
import { foreignRecords, tooManyValues, tooMuchText } from './value-errors.js';

/** Maximum number of attempts. Two attempts are enough unless a form changes repeatedly. */
const ATTEMPTS = 4;

/** Thrown if the entries were checked against a form that is not the form of the submission. */
class OtherForm extends Error {}

/** Thrown if a submission may exceed a limit, according to its counters. The values must then be counted exactly. */
class NotCounted extends Error {}

const LIMITS: StoredSize = { count: MAX_VALUES, bytes: MAX_TEXT };

/** The entries of a call, resolved to fields of a form. */
interface Call {
  readonly reference: SubmissionReference;
  readonly form: PublishedForm;
  readonly entries: readonly FieldValue[];
  /** The entries to store: the last one of each key (V6). */
  readonly rows: readonly FieldValue[];
  readonly added: StoredSize;
  /** Undefined if what the user stores has no limit. */
  readonly text: TextReservation | undefined;
}

export interface StoredValues {
  readonly updatedAt: string;
  /** The stored value for each entry, in the order of the request (V6). */
  readonly values: readonly FieldValue[];
  /** The version of the form that the entries were checked against (N1). */
  readonly formVersion: number;
}

@Injectable()
export class ValuesService {
  constructor(
    private readonly database: Database,
    private readonly published: PublishedFormsService,
    private readonly forms: SubmissionFormsService,
    private readonly writer: SubmissionWriter,
    private readonly checks: ValuesChecks,
    private readonly userStorage: UserStorageService,
  ) {}

  async store(reference: SubmissionReference, entries: readonly ValueEntryDto[]): Promise<StoredValues> {
    // Assume that the submission has the form of the first field. The statement checks this.
    let form = this.published.cachedWithField(entries[0]?.field_id);
    let isLocking = false;
    for (let attempts = 1; ; attempts += 1) {
      let values = form && resolveEntries(form, entries);
      if (form === undefined || values === undefined || values instanceof Problem) {
        const resolved = await this.forms.resolve(this.database, reference, (own) =>
          resolveEntries(own, entries),
        );
        ({ form, found: values } = resolved);
      }
      const checks = this.checks.of(values);
      const call = this.callOf(reference, form, values);
      try {
        return await (isLocking || checks.length > 0
          ? this.upsertLocked(call, checks)
          : this.upsert(this.database, call, LIMITS));
      } catch (error) {
        if (error instanceof NotCounted) {
          isLocking = true;
          continue;
        }
        const isChanging = isForeignKeyViolation(error);
        if (!isChanging && !(error instanceof OtherForm)) throw error;
        if (attempts === ATTEMPTS) throw databaseUnavailable();
        // Fields or records were just deleted, or the assumed form was wrong. Resolve the entries again in the current form.
        if (isChanging) this.forms.forgetForm(form.id);
        else this.forms.forget(reference.uuid);
        form = undefined;
      } finally {
        // Not before the transaction has ended: only then do other calls see the stored bytes.
        call.text?.release();
      }
    }
  }

  private callOf(reference: SubmissionReference, form: PublishedForm, entries: readonly FieldValue[]): Call {
    const entriesByKey = lastOfEachKey(entries);
    const rows = entriesByKey.size === entries.length ? entries : [...entriesByKey.values()];
    const added = sizeOf(rows);
    const text = this.userStorage.reserveText(reference.userId, added.bytes);
    return { reference, form, entries, rows, added, text };
  }

  /** Locks the submission first, so that what the checks have read stays, and the values are counted exactly (V9). */
  private upsertLocked(call: Call, checks: readonly ValuesCheck[]): Promise<StoredValues> {
    const { reference, form, entries } = call;
    return this.database.transaction(async (executor) => {
      const { status, form_id } = await this.writer.lockUnchanged(executor, reference);
      if (form_id !== form.id) throw new OtherForm();
      if (status === 'completed') throw alreadyCompleted();
      for (const check of checks) throwIfInvalid(await check.fieldErrors(executor, reference.uuid, entries));
      const limits = await this.makeRoom(executor, call);
      return this.upsert(executor, call, limits);
    }, reference.uuid);
  }

  /**
   * Counts the values, and returns the limits for the statement that stores them (V9). A submission that exceeded the limits
   * before they were introduced may still change as long as it does not grow.
   *
   * @throws Problem 422 under `values` if the submission would exceed a limit
   */
  private async makeRoom(executor: Executor, { reference, rows, added }: Call): Promise<StoredSize> {
    const { uuid } = reference;
    const keys = [rows.map(({ field }) => field.id), rows.map(recordKey)];
    const [counted] = await executor.query(COUNT_OTHER_VALUES, [uuid, ...keys]);
    const { count, bytes, otherCount, otherBytes } = counted as NonNullable<typeof counted>;
    const limits = { count: Math.max(LIMITS.count, count), bytes: Math.max(LIMITS.bytes, bytes) };
    if (otherCount + added.count > limits.count) throw invalid({ values: [tooManyValues()] });
    if (otherBytes + added.bytes > limits.bytes) throw invalid({ values: [tooMuchText()] });
    await executor.query(SET_STORED_SIZE, [uuid, otherCount, otherBytes]);
    return limits;
  }

  private async upsert(executor: Executor, call: Call, limits: StoredSize): Promise<StoredValues> {
    const { reference, form, entries, added, text } = call;
    const { uuid } = reference;
    // All named records must belong to the submission, even those of an entry that a later entry replaces.
    const named = entries.map(({ entityRecordId }) => entityRecordId).filter((id) => id !== null);
    const write = this.writeOf(call, named, limits);
    let foreign: readonly { readonly id: number }[] = [];
    let isTooMuchText = false;
    const updatedAt = await this.writer.write(
      executor,
      reference,
      async (executor) => {
        const stored = await write(executor);
        if (stored !== undefined) {
          text?.learn(stored);
          return stored.updated_at;
        }
        // Check the form before the status: fields of another form are an error even if the submission is completed.
        const { id } = await this.forms.formOf(executor, reference);
        if (id !== form.id) throw new OtherForm();
        foreign = named.length === 0 ? [] : await executor.query(FIND_FOREIGN_RECORDS, [uuid, named]);
        isTooMuchText = (await text?.isTooMuch(executor)) ?? false;
        return undefined;
      },
      (draft) => {
        // The assumed form was not the form of the submission.
        if (draft.form_id !== form.id) throw new OtherForm();
        if (foreign.length > 0) return invalid(foreignRecords(entries, foreign));
        if (!hasRoom(draft, added, limits)) throw new NotCounted();
        return isTooMuchText ? invalid({ values: [this.userStorage.tooMuchText()] }) : undefined;
      },
    );
    return { updatedAt, values: storedValues(call), formVersion: form.version };
  }

  /**
   * Returns a function that stores the rows. The function's result is undefined if the statement has stored nothing.
   */
  private writeOf(
    { reference: { uuid, userId, ifMatch }, form, rows, added, text }: Call,
    named: readonly number[],
    limits: StoredSize,
  ) {
    const parameters = [
      uuid,
      userId,
      ifMatchVersions(ifMatch),
      form.id,
      numberList(named),
      arrayOf(rows.map(({ field }) => field.id)),
      arrayOf(rows.map(({ field }) => field.isRepeatable)),
      arrayOf(rows.map(({ entityRecordId }) => entityRecordId)),
      arrayOf(rows.map(({ value }) => value)),
      added.count,
      added.bytes,
      limits.count,
      limits.bytes,
    ];
    return (executor: Executor) => executor.batch(STORE_VALUES, [...parameters, text?.mostStored() ?? null]);
  }
}

/** Returns the stored value of each entry. */
function storedValues({ entries, rows }: Call): readonly FieldValue[] {
  if (rows === entries) return entries;
  const byKey = new Map(rows.map((row) => [upsertKey(row), row]));
  return entries.map((entry) => byKey.get(upsertKey(entry)) ?? entry);
}

/** Whether the counters, which are upper bounds, prove that the submission has room. */
function hasRoom(
  { value_count, value_bytes }: FoundSubmission,
  added: StoredSize,
  limits: StoredSize,
): boolean {
  if (value_count === null || value_bytes === null) return false;
  return value_count + added.count <= limits.count && value_bytes + added.bytes <= limits.bytes;
}
