import type { ConditionsShape } from '../../config/environment.js';
import type { PublishedField } from '../published-form.js';
import type { MetConditionResponse } from './conditions.response.js';
import {
  type ExplainedState,
  type FieldState,
  HIDDEN,
  OPTIONAL,
  REQUIRED,
  type RuleCondition,
} from '../../rules/index.js';

type Field = Pick<PublishedField, 'id' | 'code'>;

interface Shape {
  readonly open: string;
  readonly close: string;
  /** What is said of a field: the start is its own, and the rest, without the brace at its end, that of its state. */
  readonly start: (field: Field) => string;
  readonly state: (state: FieldState) => string;
}

/** The specification's two shapes of the result (C1): by field id, or a list in schema order. */
const SHAPES: Record<ConditionsShape, Shape> = {
  map: {
    open: '{',
    close: '}',
    start: ({ id }) => `"${id}":{`,
    state: ({ visible, required }) => `"visible":${visible},"required":${required}`,
  },
  list: {
    open: '[',
    close: ']',
    start: ({ id, code }) => `{"field_id":${id},"field_code":${JSON.stringify(code)},`,
    state: ({ visible, required }) => `"is_visible":${visible},"is_required":${required}`,
  },
};

/** The states of fields in schema order, as JSON. */
export function presentStates(
  shape: ConditionsShape,
  fields: readonly Field[],
  states: readonly FieldState[],
): string {
  const { hidden, optional, required } = ENDS[shape];
  let text = SHAPES[shape].open;
  for (const { start, position } of startsOf(shape, fields)) {
    const state = states[position] as FieldState;
    text += start + (!state.visible ? hidden : state.required ? required : optional);
  }
  return text + SHAPES[shape].close;
}

/** The same with the conditions that are met, which may depend on other fields of the form. */
export function presentExplained(
  shape: ConditionsShape,
  fields: readonly Field[],
  states: readonly ExplainedState[],
  fieldsById: ReadonlyMap<number, Field>,
): string {
  let text = SHAPES[shape].open;
  for (const { start, position } of startsOf(shape, fields)) {
    const state = states[position] as ExplainedState;
    const met = state.met.map((condition) => conditionText(condition, fieldsById));
    text += `${start}${SHAPES[shape].state(state)},"conditions_met":[${met.join()}]}`;
  }
  return text + SHAPES[shape].close;
}

const conditionTexts = new WeakMap<RuleCondition, string>();

/** Written once for a condition of a form, because a response may have it once for each record. */
function conditionText(condition: RuleCondition, fieldsById: ReadonlyMap<number, Field>): string {
  let text = conditionTexts.get(condition);
  if (text === undefined) {
    const { dependsOnFieldId, operator, value, action } = condition;
    text = JSON.stringify({
      depends_on_field_code: fieldsById.get(dependsOnFieldId)?.code ?? '',
      operator,
      value,
      action,
    } satisfies MetConditionResponse);
    conditionTexts.set(condition, text);
  }
  return text;
}

const ENDS = { map: endsIn(SHAPES.map), list: endsIn(SHAPES.list) };

function endsIn({ state }: Shape) {
  const end = (one: FieldState) => inOnePiece(state(one), '}');
  return { hidden: end(HIDDEN), optional: end(OPTIONAL), required: end(REQUIRED) };
}

interface Start {
  /** With the comma after the field before. */
  readonly start: string;
  /** Among the fields of the form. */
  readonly position: number;
}

const known = {
  map: new WeakMap<readonly Field[], readonly Start[]>(),
  list: new WeakMap<readonly Field[], readonly Start[]>(),
};

/** Written once for the fields of a form, in the order of the answer. */
function startsOf(shape: ConditionsShape, fields: readonly Field[]): readonly Start[] {
  let starts = known[shape].get(fields);
  if (starts === undefined) {
    const placed = fields.map((field, position) => ({ field, position }));
    // As in an object of JavaScript, so that a client that reads one and writes it has the same text.
    if (shape === 'map') placed.sort((one, other) => one.field.id - other.field.id);
    starts = placed.map(({ field, position }, index) => ({
      start: inOnePiece(index === 0 ? '' : ',', SHAPES[shape].start(field)),
      position,
    }));
    known[shape].set(fields, starts);
  }
  return starts;
}

/** Texts that are added stay apart, and are put together again in every answer that they are part of. */
function inOnePiece(...texts: string[]): string {
  return texts.join('');
}
