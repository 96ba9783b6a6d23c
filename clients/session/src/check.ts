// A chunk of its own, loaded when an answer is checked for the first time.
import type { Field, Mistake } from 'formtrail-client';
import type { AnswerKey } from './answer-key.js';
import type { Answers } from './answers.js';

/** With fewer requests left in the minute, check nothing, because saving and moving need them. */
const FEW_REQUESTS = 20;
/** Components that reject some texts. */
const CHECKED = /^(email|number|date)-input$/;

/**
 * Asks the service for the field errors of one answer. Empty if the answer is missing, cannot be wrong, is not stored, or has changed
 * meanwhile: its question is checked again, or with its step.
 */
export async function mistakesIn(key: AnswerKey, answers: Answers): Promise<readonly Mistake[]> {
  const { submission } = answers;
  const { field } = submission.places.of(key) ?? {};
  const value = answers.values.get(key);
  // The service validates the stored value. After a failed save or a conflict, it differs from the value on the page.
  const isStored = () => answers.values.get(key) === value && submission.values.get(key) === value;
  if (!field || !value || !mayBeWrong(field) || submission.remaining < FEW_REQUESTS || !isStored()) return [];
  const step = submission.form.steps.find(({ fields }) => fields.includes(field));
  const mistakes = await submission.validate(step?.step_number);
  if (!isStored()) return [];
  return mistakes.filter(
    (mistake) => mistake.code !== 'required' && submission.places.keyOfError(mistake.field) === key,
  );
}

function mayBeWrong({ field_type, rules, options }: Field): boolean {
  return (
    rules.length > 0 || CHECKED.test(field_type.component) || options.some(({ is_exclusive }) => is_exclusive)
  );
}
