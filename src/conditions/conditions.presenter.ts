import type { ConditionsShape } from '../config/environment.js';
import type { PublishedField } from '../forms/published-form.js';
import type { FieldState } from './rules/index.js';

/** The specification's two shapes of the result (C1): by field id, or a list in schema order. */
export function presentStates(
  shape: ConditionsShape,
  fields: readonly PublishedField[],
  states: readonly FieldState[],
): object {
  const pairs = fields.map((field, index) => ({ field, state: states[index] as FieldState }));
  switch (shape) {
    case 'map':
      return Object.fromEntries(
        pairs.map(({ field, state }) => [field.id, { visible: state.visible, required: state.required }]),
      );
    case 'list':
      return pairs.map(({ field, state }) => ({
        field_id: field.id,
        field_code: field.code,
        is_visible: state.visible,
        is_required: state.required,
      }));
  }
}
