import { Injectable } from '@nestjs/common';
import { arrayOf } from '../../database/array-literal.js';
import { Database } from '../../database/database.js';
import type { Executor } from '../../database/statement.js';
import { isForeignKeyViolation } from '../../database/database-errors.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { PublishedFormsService } from '../../forms/published-forms.service.js';
import {
  alreadyCompleted,
  databaseUnavailable,
  type FieldErrors,
  invalid,
  fieldError,
  Problem,
} from '../../http/errors/problems.js';
import type { ValueEntryDto } from '../dto/store-values.dto.js';
import { SubmissionFormsService } from '../lifecycle/submission-forms.service.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import { type FoundSubmission, ifMatchVersions, listOf } from '../submission.statements.js';
import { SubmissionWriter } from '../lifecycle/submission-writer.service.js';
import { FileValuesService } from './file-values.service.js';
import { MAX_TEXT, MAX_VALUES, sizeOf, type StoredSize } from './stored-size.js';
import { COUNT_OTHER_VALUES, SET_STORED_SIZE } from './stored-size.statements.js';
import { UserStorageService } from './user-storage.service.js';
import { FIND_FOREIGN_RECORDS, STORE_VALUES } from './value.statements.js';
import { type FieldValue, lastOfEachKey, recordKey, resolveEntries, upsertKey } from './value-entries.js';

/** Maximum number of attempts. Two attempts are enough unless a form changes repeatedly. */
const ATTEMPTS = 4;

/** Thrown if the entries were checked against a form that is not the form of the submission. */
class OtherForm extends Error {}

/** Thrown if a submission may exceed a limit, according to its counters. The values must then be counted exactly. */
class NotCounted extends Error {}

const LIMITS: StoredSize = { count: MAX_VALUES, bytes: MAX_TEXT };

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
    private readonly files: FileValuesService,
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
      try {
        return await (isLocking || this.files.concerns(values)
          ? this.upsertLocked(reference, form, values)
          : this.upsert(this.database, reference, form, values, LIMITS));
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
      }
    }
  }

  /** Locks the submission first, so that no named file is deleted (U3), and the values are counted exactly (V9). */
  private upsertLocked(
    reference: SubmissionReference,
    form: PublishedForm,
    entries: readonly FieldValue[],
  ): Promise<StoredValues> {
    return this.database.transaction(async (executor) => {
      const { status, form_id } = await this.writer.lockUnchanged(executor, reference);
      if (form_id !== form.id) throw new OtherForm();
      if (status === 'completed') throw alreadyCompleted();
      const errors = await this.files.fieldErrors(executor, reference.uuid, entries);
      if (Object.keys(errors).length > 0) throw invalid(errors);
      const limits = await this.makeRoom(executor, reference.uuid, [...lastOfEachKey(entries).values()]);
      return this.upsert(executor, reference, form, entries, limits);
    }, reference.uuid);
  }

  /**
   * Counts the values, and returns the limits for the statement that stores them (V9). A submission that exceeded the limits
   * before they were introduced may still change as long as it does not grow.
   *
   * @throws Problem 422 under `values` if the submission would exceed a limit
   */
  private async makeRoom(executor: Executor, uuid: string, rows: readonly FieldValue[]): Promise<StoredSize> {
    const keys = [rows.map(({ field }) => field.id), rows.map(recordKey)];
    const [counted] = await executor.query(COUNT_OTHER_VALUES, [uuid, ...keys]);
    const { count, bytes, otherCount, otherBytes } = counted as NonNullable<typeof counted>;
    const added = sizeOf(rows);
    const limits = { count: Math.max(LIMITS.count, count), bytes: Math.max(LIMITS.bytes, bytes) };
    if (otherCount + added.count > limits.count) throw invalid({ values: [tooManyValues()] });
    if (otherBytes + added.bytes > limits.bytes) throw invalid({ values: [tooMuchText()] });
    await executor.query(SET_STORED_SIZE, [uuid, otherCount, otherBytes]);
    return limits;
  }

  private async upsert(
    executor: Executor,
    reference: SubmissionReference,
    form: PublishedForm,
    entries: readonly FieldValue[],
    limits: StoredSize,
  ): Promise<StoredValues> {
    const { uuid } = reference;
    const entriesByKey = lastOfEachKey(entries);
    const areDistinct = entriesByKey.size === entries.length;
    const rows = areDistinct ? entries : [...entriesByKey.values()];
    // All named records must belong to the submission, even those of an entry that a later entry replaces.
    const named = entries.map(({ entityRecordId }) => entityRecordId).filter((id) => id !== null);
    const added = sizeOf(rows);
    const counting = this.userStorage.addText(reference.userId, added.bytes);
    if (counting !== undefined)
      await counting.catch((error: unknown) => this.rejectAfterStateCheck(executor, reference, error));
    const write = this.writeOf(reference, form, rows, named, added, limits);
    let foreign: readonly { readonly id: number }[] = [];
    const updatedAt = await this.writer.write(
      executor,
      reference,
      async (executor) => {
        const stored = await write(executor);
        if (stored !== undefined) return stored.updated_at;
        // Check the form before the status: fields of another form are an error even if the submission is completed.
        const { id } = await this.forms.formOf(executor, reference);
        if (id !== form.id) throw new OtherForm();
        foreign = named.length === 0 ? [] : await executor.query(FIND_FOREIGN_RECORDS, [uuid, named]);
        return undefined;
      },
      (draft) => {
        // The assumed form was not the form of the submission.
        if (draft.form_id !== form.id) throw new OtherForm();
        if (foreign.length > 0) return invalid(foreignRecords(entries, foreign));
        if (!hasRoom(draft, added, limits)) throw new NotCounted();
        return undefined;
      },
    );
    const values = areDistinct
      ? entries
      : entries.map((entry) => entriesByKey.get(upsertKey(entry)) ?? entry);
    return { updatedAt, values, formVersion: form.version };
  }

  /** Throws 404, 412 or "already completed" if applicable, because these errors take precedence over `error`. */
  private async rejectAfterStateCheck(
    executor: Executor,
    reference: SubmissionReference,
    error: unknown,
  ): Promise<never> {
    const { status } = await this.writer.readUnchanged(executor, reference);
    throw status === 'completed' ? alreadyCompleted() : error;
  }

  /**
   * Returns a function that stores the rows. The function's result is undefined if the statement has stored nothing.
   */
  private writeOf(
    { uuid, userId, ifMatch }: SubmissionReference,
    form: PublishedForm,
    rows: readonly FieldValue[],
    named: readonly number[],
    added: StoredSize,
    limits: StoredSize,
  ): (executor: Executor) => Promise<{ readonly updated_at: string } | undefined> {
    const parameters = [
      uuid,
      userId,
      ifMatchVersions(ifMatch),
      form.id,
      listOf(named),
      arrayOf(rows.map(({ field }) => field.id)),
      arrayOf(rows.map(({ field }) => field.isRepeatable)),
      arrayOf(rows.map(({ entityRecordId }) => entityRecordId)),
      arrayOf(rows.map(({ value }) => value)),
      added.count,
      added.bytes,
      limits.count,
      limits.bytes,
    ];
    return (executor) => executor.batch(STORE_VALUES, parameters);
  }
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

const tooManyValues = () =>
  fieldError('too_many_values', `The submission must not hold more than ${MAX_VALUES} values.`, {
    max: MAX_VALUES,
  });

const tooMuchText = () =>
  fieldError(
    'too_much_text',
    `The values of the submission must not have more than ${MAX_TEXT} bytes together.`,
    {
      max: MAX_TEXT,
    },
  );

/** Returns the errors of entries that name records of other submissions (V7). */
function foreignRecords(
  entries: readonly FieldValue[],
  foreign: readonly { readonly id: number }[],
): FieldErrors {
  const errors: FieldErrors = {};
  for (const [index, { entityRecordId }] of entries.entries()) {
    if (foreign.some(({ id }) => id === entityRecordId)) {
      errors[`values.${index}.entity_record_id`] = [
        fieldError('unknown_record', 'This submission has no entity record with this id.'),
      ];
    }
  }
  return errors;
}
