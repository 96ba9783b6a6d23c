import type { FieldState } from '../../conditions/rules/index.js';
import type { PublishedField, PublishedForm } from '../../forms/published-form.js';
import type { FieldErrors } from '../../http/problems.js';
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
      const mistake = fieldMistake(field, states[index] as FieldState, stored.get(field.id) ?? []);
      return mistake === undefined ? [] : [[field.code, [`The ${field.code} ${mistake}.`]]];
    }),
  );
}

function fieldMistake(
  field: PublishedField,
  state: FieldState,
  stored: readonly string[],
): string | undefined {
  // V8: what is for display only can hold no value, whatever the form says of it.
  if (!state.visible || field.isDisplayOnly) return undefined;
  const present = stored.filter((value) => value !== '');
  if (state.required && present.length === 0) return 'is required';
  const { description, fits } = expectedOf(field);
  return present.every(fits) ? undefined : `must be ${description}`;
}
