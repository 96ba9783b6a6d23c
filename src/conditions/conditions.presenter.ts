import type { ConditionsShape } from '../config/environment.js';
import type { PublishedField } from '../forms/published-form.js';
import { type ExplainedState, type FieldState, HIDDEN, OPTIONAL, REQUIRED } from './rules/index.js';

type Field = Pick<PublishedField, 'id' | 'code'>;

/** The specification's two shapes of a state (C1), the members of an object by field id or of a list. */
const SHAPES: Record<ConditionsShape, (field: Field, state: FieldState) => object> = {
  map: (_field, { visible, required }) => ({ visible, required }),
  list: ({ id, code }, { visible, required }) => ({
    field_id: id,
    field_code: code,
    is_visible: visible,
    is_required: required,
  }),
};

/** The JSON of the answer, joined from texts that are written once for the fields of a form, in schema order. */
export function presentStates(
  shape: ConditionsShape,
  fields: readonly Field[],
  states: readonly FieldState[],
): string {
  let members = '';
  for (const { position, hidden, optional, required } of membersOf(shape, fields)) {
    const state = states[position] as FieldState;
    members += !state.visible ? hidden : state.required ? required : optional;
  }
  return shape === 'map' ? `{"data":{${members}}}` : `{"data":[${members}]}`;
}

/** The same with the conditions that are met. */
export function presentExplained(
  shape: ConditionsShape,
  fields: readonly Field[],
  states: readonly ExplainedState[],
): string {
  const codes = new Map(fields.map(({ id, code }) => [id, code]));
  const explained = fields.map((field, position) => {
    const state = states[position] as ExplainedState;
    const conditions_met = state.met.map(({ dependsOnFieldId, operator, value, action }) => ({
      depends_on_field_code: codes.get(dependsOnFieldId) ?? '',
      operator,
      value,
      action,
    }));
    return [field.id, { ...SHAPES[shape](field, state), conditions_met }] as const;
  });
  return JSON.stringify({
    data: shape === 'map' ? Object.fromEntries(explained) : explained.map(([, state]) => state),
  });
}

/** What the answer has for a field in each of its states, with the comma after the one before it. */
interface Member {
  /** Among the fields of the form. */
  readonly position: number;
  readonly hidden: string;
  readonly optional: string;
  readonly required: string;
}

const written = {
  map: new WeakMap<readonly Field[], readonly Member[]>(),
  list: new WeakMap<readonly Field[], readonly Member[]>(),
};

function membersOf(shape: ConditionsShape, fields: readonly Field[]): readonly Member[] {
  let members = written[shape].get(fields);
  if (members === undefined) {
    members = writeMembers(shape, fields);
    written[shape].set(fields, members);
  }
  return members;
}

function writeMembers(shape: ConditionsShape, fields: readonly Field[]): Member[] {
  const placed = fields.map((field, position) => ({ field, position }));
  // As JSON.stringify writes an object whose keys are integers, which presentExplained leaves it to.
  if (shape === 'map') placed.sort((one, other) => one.field.id - other.field.id);
  return placed.map(({ field, position }, index) => {
    const start = (index === 0 ? '' : ',') + (shape === 'map' ? `"${field.id}":` : '');
    const inState = (state: FieldState) => start + JSON.stringify(SHAPES[shape](field, state));
    return { position, hidden: inState(HIDDEN), optional: inState(OPTIONAL), required: inState(REQUIRED) };
  });
}
