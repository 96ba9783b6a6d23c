import type { FieldState } from '../../conditions/rules/index.js';
import type { PublishedField, PublishedForm } from '../../forms/published-form.js';
import { type FieldErrors, type Mistake, mistake } from '../../http/problems.js';
import { valuesByField } from '../values/stored-values.js';
import type { StoredValue } from '../submission.statements.js';
import { expectedOf } from './expected-value.js';

/**
 * What keeps a submission with these values from completion under the strict policy, by field code (S4). A hidden field
 * is not required and is not looked at.
 */
export function completionMistakes(form: PublishedForm, values: readonly StoredValue[]): FieldErrors {
  const stored = valuesByField(values);
  const states = form.rules.resolveStates(values);
  return Object.fromEntries(
    form.fields.flatMap((field, index) => {
      const found = fieldMistake(field, states[index] as FieldState, stored.get(field.id) ?? []);
      return found === undefined ? [] : [[field.code, [found]]];
    }),
  );
}

function fieldMistake(
  field: PublishedField,
  state: FieldState,
  stored: readonly string[],
): Mistake | undefined {
  // V8: what is for display only can hold no value, whatever the form says of it.
  if (!state.visible || field.isDisplayOnly) return undefined;
  const present = stored.filter((value) => value !== '');
  if (state.required && present.length === 0) return mistake('required', `The ${field.code} is required.`);
  const expected = expectedOf(field);
  if (expected === undefined || present.every(expected.fits)) return undefined;
  return mistake(expected.code, `The ${field.code} must be ${expected.description}.`);
}
