import type { FieldState } from '../../conditions/rules/index.js';
import type { RuleKind } from '../../forms/entities/field-rule.js';
import type { PublishedField, PublishedForm } from '../../forms/published-form.js';
import type { FieldErrors } from '../../http/problems.js';
import type { StoredValue } from '../submission.statements.js';
import { expectedOf, isUnticked } from './expected-value.js';

export interface Judging {
  /** As YYYY-MM-DD, in UTC. */
  readonly today: string;
  /** Whose fields are judged; undefined: those of all steps. */
  readonly stepNumber: number | undefined;
  /** Told of each rule that would have been asked and cannot be applied (J5). */
  readonly leftOut: (kind: RuleKind) => void;
}

/**
 * What keeps a submission with these values from completion under the strict policy (S4), by field code; of a value that
 * belongs to a record by `code.<record id>` (J4). A hidden field is not looked at.
 */
export function completionMistakes(
  form: PublishedForm,
  values: readonly StoredValue[],
  judging: Judging,
): FieldErrors {
  const mistakes: [key: string, sentences: string[]][] = [];
  const places = valuesByPlace(values);
  const states = form.rules.resolveStates(values);
  for (const [index, field] of form.fields.entries()) {
    if (judging.stepNumber !== undefined && field.stepNumber !== judging.stepNumber) continue;
    const judge = (value: string | undefined, key: string) => {
      const sentences = sentencesOf(field, states[index] as FieldState, value, judging);
      if (sentences.length > 0) mistakes.push([key, sentences]);
    };
    const placed = places.get(field.id);
    if (placed === undefined) judge(undefined, field.code);
    else for (const [recordId, value] of placed) judge(value, keyOf(field, recordId));
  }
  return Object.fromEntries(mistakes);
}

/** By field, and by record with the one without a record first. The empty string is no value (V4). */
function valuesByPlace(values: readonly StoredValue[]): Map<number, Map<number | null, string>> {
  const byField = new Map<number, Map<number | null, string>>();
  for (const [fieldId, recordId, value] of values.toSorted((one, other) => (one[1] ?? 0) - (other[1] ?? 0))) {
    if (value === '') continue;
    const placed = byField.get(fieldId);
    if (placed === undefined) byField.set(fieldId, new Map([[recordId, value]]));
    else placed.set(recordId, value);
  }
  return byField;
}

/** The one value of a field that is not repeatable belongs to the field, whatever record it names (V5). */
const keyOf = ({ code, isRepeatable }: PublishedField, recordId: number | null) =>
  recordId === null || !isRepeatable ? code : `${code}.${recordId}`;

/** What is wrong with a value, or with there being none. Rules are asked of what fits the field's type only. */
function sentencesOf(
  field: PublishedField,
  state: FieldState,
  value: string | undefined,
  { today, leftOut }: Judging,
): string[] {
  // V8: what is for display only can hold no value, whatever the form says of it.
  if (!state.visible || field.isDisplayOnly) return [];
  const say = (demand: string) => `The ${field.code} ${demand}.`;
  if (value === undefined) return state.required ? [say('is required')] : [];
  const { description, fits } = expectedOf(field);
  if (!fits(value)) return [say(`must be ${description}`)];
  if (state.required && isUnticked(field, value)) return [say('is required')];
  const rules = field.rules?.on(today);
  for (const { kind } of rules?.inapplicable ?? []) leftOut(kind);
  const broken = rules?.applied.filter(({ isMet }) => !isMet(value)) ?? [];
  return broken.map(({ message, demand }) => message ?? say(demand));
}
