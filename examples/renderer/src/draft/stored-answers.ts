import type { FormSchema, SubmissionWithValues } from 'formtrail-client';
import { type AnswerKey, answerKey, namedBy } from './answer-key';
import { groupedFields } from './questions';

/** What the service holds of a submission, where the form asks for it. */
export function storedAnswers(
  { values }: SubmissionWithValues,
  form: FormSchema,
): ReadonlyMap<AnswerKey, string> {
  const fields = form.steps.flatMap((step) => step.fields);
  const repeatable = new Set(fields.filter((field) => field.is_repeatable).map(({ id }) => id));
  const answers = values.map(({ field_id, entity_record_id, value }) => {
    // A field that is not repeatable has one value, whatever record it was stored with (V5).
    const recordId = repeatable.has(field_id) ? entity_record_id : null;
    return [answerKey(field_id, recordId), value] as const;
  });
  const isAsked = askedAnswers(form);
  return new Map(answers.filter(([key]) => isAsked(key)));
}

/**
 * Tells whether the form asks for an answer: for those of a group in its entries, for all others once. A repeatable field
 * can hold more, which other programs or an earlier version of the form may have stored.
 */
export function askedAnswers(form: FormSchema): (key: AnswerKey) => boolean {
  const grouped = groupedFields(form);
  return (key) => {
    const { field_id, entity_record_id } = namedBy(key);
    return grouped.has(field_id) === (entity_record_id !== undefined);
  };
}
