import type { FormSchema, SubmissionWithValues } from 'formtrail-client';
import { type AnswerKey, answerKey } from './answer-key';

/** What the service holds of a submission. */
export interface StoredAnswers {
  readonly values: ReadonlyMap<AnswerKey, string>;
  /**
   * The entity records that repeatable fields have entries for, and null for the entry without one, at the end. No request
   * makes entity records, so these are the ones that hold a value.
   */
  readonly records: readonly (number | null)[];
}

export function storedAnswers({ values }: SubmissionWithValues, { steps }: FormSchema): StoredAnswers {
  const fields = steps.flatMap((step) => step.fields);
  const repeatable = new Set(fields.filter((field) => field.is_repeatable).map(({ id }) => id));
  const answers = values.map(({ field_id, entity_record_id, value }) => ({
    fieldId: field_id,
    // A field that is not repeatable has one value, whatever record it was stored with (V5).
    recordId: repeatable.has(field_id) ? entity_record_id : null,
    value,
  }));
  const records = new Set(answers.map(({ recordId }) => recordId).filter((recordId) => recordId !== null));
  return {
    values: new Map(answers.map(({ fieldId, recordId, value }) => [answerKey(fieldId, recordId), value])),
    records: [...[...records].sort((a, b) => a - b), null],
  };
}
