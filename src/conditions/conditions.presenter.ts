import type { ConditionsShape } from '../config/environment.js';
import type { PublishedForm } from '../forms/published-form.js';
import type { ExplainedState, FieldState } from './rules/index.js';

/** The specification's two shapes of the result (C1): by field id, or a list in schema order. */
export function presentStates(
  shape: ConditionsShape,
  form: PublishedForm,
  states: readonly (FieldState | ExplainedState)[],
): object {
  const pairs = form.fields.map((field, index) => ({
    field,
    state: states[index] as FieldState | ExplainedState,
  }));
  switch (shape) {
    case 'map':
      return Object.fromEntries(
        pairs.map(({ field, state }) => [
          field.id,
          explained(form, state, { visible: state.visible, required: state.required }),
        ]),
      );
    case 'list':
      return pairs.map(({ field, state }) =>
        explained(form, state, {
          field_id: field.id,
          field_code: field.code,
          is_visible: state.visible,
          is_required: state.required,
        }),
      );
  }
}

function explained(form: PublishedForm, state: FieldState | ExplainedState, presented: object): object {
  if (!('met' in state)) return presented;
  const conditions_met = state.met.map(({ dependsOnFieldId, operator, value, action }) => ({
    depends_on_field_code: form.fieldsById.get(dependsOnFieldId)?.code ?? '',
    operator,
    value,
    action,
  }));
  return { ...presented, conditions_met };
}
