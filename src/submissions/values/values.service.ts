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
  mistake,
  Problem,
} from '../../http/problems.js';
import type { ValueEntryDto } from '../dto/store-values.dto.js';
import { SubmissionFormsService } from '../submission-forms.service.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import { expectedMoments, FIND_FOREIGN_RECORDS, listOf, STORE_VALUES } from '../submission.statements.js';
import { SubmissionWriter } from '../lifecycle/submission-writer.service.js';
import { FileValuesService } from './file-values.service.js';
import { type FieldValue, lastOfEachKey, resolveEntries, upsertKey } from './value-entries.js';

/** Two are enough unless a form changes again and again. */
const ATTEMPTS = 4;

/** The submission turned out to be for another form than the entries were checked against. */
class OtherForm extends Error {}

export interface StoredValues {
  readonly updatedAt: string;
  /** One for each entry sent, in its order, as it is stored now (V6). */
  readonly values: readonly FieldValue[];
}

@Injectable()
export class ValuesService {
  constructor(
    private readonly database: Database,
    private readonly published: PublishedFormsService,
    private readonly forms: SubmissionFormsService,
    private readonly writer: SubmissionWriter,
    private readonly files: FileValuesService,
  ) {}

  async store(reference: SubmissionReference, entries: readonly ValueEntryDto[]): Promise<StoredValues> {
    // The form that the first field belongs to: whether it is the submission's, the statement finds out by itself.
    let form = this.published.withField(entries[0]?.field_id);
    for (let attempts = 1; ; attempts += 1) {
      let values = form && resolveEntries(form, entries);
      if (form === undefined || values === undefined || values instanceof Problem) {
        const resolved = await this.forms.resolve(this.database, reference, (own) =>
          resolveEntries(own, entries),
        );
        ({ form, found: values } = resolved);
      }
      try {
        return await (this.files.concerns(values)
          ? this.upsertFiles(reference, form, values)
          : this.upsert(this.database, reference, form, values));
      } catch (error) {
        const isChanging = isForeignKeyViolation(error);
        if (!isChanging && !(error instanceof OtherForm)) throw error;
        if (attempts === ATTEMPTS) throw databaseUnavailable();
        // Another program has just dropped fields or records: resolve the entries again in the form as it is now.
        if (isChanging) this.forms.forgetForm(form.id);
        else this.forms.forget(reference.uuid);
        form = undefined;
      }
    }
  }

  /** U3: locks the submission first, so that the files that values name are there and stay. */
  private upsertFiles(
    reference: SubmissionReference,
    form: PublishedForm,
    entries: readonly FieldValue[],
  ): Promise<StoredValues> {
    return this.database.transaction(async (executor) => {
      const { status, form_id } = await this.writer.lockUnchanged(executor, reference);
      if (form_id !== form.id) throw new OtherForm();
      if (status === 'completed') throw alreadyCompleted();
      const errors = await this.files.mistakes(executor, reference.uuid, entries);
      if (Object.keys(errors).length > 0) throw invalid(errors);
      return this.upsert(executor, reference, form, entries);
    }, reference.uuid);
  }

  private async upsert(
    executor: Executor,
    reference: SubmissionReference,
    form: PublishedForm,
    entries: readonly FieldValue[],
  ): Promise<StoredValues> {
    const { uuid } = reference;
    const kept = lastOfEachKey(entries);
    const isEachKept = kept.size === entries.length;
    const rows = isEachKept ? entries : [...kept.values()];
    // Every record that was sent must be the submission's own, also of an entry that a later one replaces.
    const named = entries.map(({ entityRecordId }) => entityRecordId).filter((id) => id !== null);
    const write = this.writeOf(reference, form, rows, named);
    let foreign: readonly { readonly id: number }[] = [];
    const updatedAt = await this.writer.write(
      executor,
      reference,
      async (executor) => {
        const stored = await write(executor);
        if (stored !== undefined) return stored.updated_at;
        // Before the submission's state is looked at: fields of another form are wrong in any state.
        const { id } = await this.forms.formOf(executor, reference);
        if (id !== form.id) throw new OtherForm();
        foreign = named.length === 0 ? [] : await executor.query(FIND_FOREIGN_RECORDS, [uuid, named]);
        return undefined;
      },
      (draft) => {
        // The cache was wrong about the form of the submission.
        if (draft.form_id !== form.id) throw new OtherForm();
        return foreign.length === 0 ? undefined : invalid(foreignRecords(entries, foreign));
      },
    );
    const values = isEachKept ? entries : entries.map((entry) => kept.get(upsertKey(entry)) ?? entry);
    return { updatedAt, values };
  }

  /** Gives undefined where the submission is not as it has to be, and nothing was stored. */
  private writeOf(
    { uuid, userId, ifMatch }: SubmissionReference,
    form: PublishedForm,
    rows: readonly FieldValue[],
    named: readonly number[],
  ): (executor: Executor) => Promise<{ readonly updated_at: string } | undefined> {
    const parameters = [
      uuid,
      userId,
      expectedMoments(ifMatch),
      form.id,
      listOf(named),
      arrayOf(rows.map(({ field }) => field.id)),
      arrayOf(rows.map(({ field }) => field.isRepeatable)),
      arrayOf(rows.map(({ entityRecordId }) => entityRecordId)),
      arrayOf(rows.map(({ value }) => value)),
    ];
    return (executor) => executor.share(STORE_VALUES, parameters);
  }
}

/** V7. */
function foreignRecords(
  entries: readonly FieldValue[],
  foreign: readonly { readonly id: number }[],
): FieldErrors {
  const errors: FieldErrors = {};
  for (const [index, { entityRecordId }] of entries.entries()) {
    if (foreign.some(({ id }) => id === entityRecordId)) {
      errors[`values.${index}.entity_record_id`] = [
        mistake('unknown_record', 'This submission has no entity record with this id.'),
      ];
    }
  }
  return errors;
}
