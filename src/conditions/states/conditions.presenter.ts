import type { ConditionsShape } from '../../config/environment.js';
import type { PublishedField, PublishedForm } from '../../forms/published-form.js';
import type { MetConditionResponse } from './conditions.response.js';
import {
  type ExplainedState,
  type FieldState,
  HIDDEN,
  type HiddenContainer,
  OPTIONAL,
  REQUIRED,
  type EngineCondition,
  type EngineContainer,
} from '../engine/index.js';
import type { EntityState, StepState } from './step-states.js';

type Field = Pick<PublishedField, 'id' | 'code'>;

interface Shape {
  readonly open: string;
  readonly close: string;
  /** JSON prefix per field. */
  readonly start: (field: Field) => string;
  /** JSON suffix per state, without the closing brace. */
  readonly state: (state: FieldState) => string;
}

/** The two shapes of the result (C1): an object by field id, or a list in schema order. */
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

/** Returns the states of fields as JSON. `states` are in the order of `fields`. */
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

/** The same with the conditions that are met, and the steps and entities that hide a field. Yields after each field. */
export function* presentExplainedStates(
  shape: ConditionsShape,
  fields: readonly Field[],
  states: readonly ExplainedState[],
  form: Containers,
): Generator<undefined, string> {
  const hiddenByText = hiddenByTexts(form);
  let text = SHAPES[shape].open;
  for (const { start, position } of startsOf(shape, fields)) {
    const state = states[position] as ExplainedState;
    const met = state.met.map((condition) => conditionText(condition, form));
    text += `${start}${SHAPES[shape].state(state)},"conditions_met":[${met.join()}]`;
    if (state.hiddenBy !== undefined) text += `,"hidden_by":[${state.hiddenBy.map(hiddenByText).join()}]`;
    text += '}';
    yield;
  }
  return text + SHAPES[shape].close;
}

/** Maximum characters of `hidden_by` conditions in a list of states. Each field of a hidden step repeats them. */
const MAX_REPEATED = 1024 * 1024;

type Codes = Pick<PublishedForm, 'fieldsById' | 'retiredCodes'>;
type Containers = Codes & Pick<PublishedForm, 'steps' | 'entitiesById'>;

/** Returns a function that writes an entry of `hidden_by`. Leaves the conditions out when all entries together exceed MAX_REPEATED. */
function hiddenByTexts(form: Containers) {
  let length = 0;
  return (hidden: HiddenContainer): string => {
    const conditions = reasonText(hidden, form);
    length += conditions.length;
    const name = containerNames(form).get(hidden.container);
    return length > MAX_REPEATED ? `{${name}}` : `{${name},"conditions":[${conditions}]}`;
  };
}

const reasonTexts = new WeakMap<HiddenContainer, string>();

/** Cached, because each field of the step or entity repeats the text. */
function reasonText(hidden: HiddenContainer, form: Codes): string {
  let text = reasonTexts.get(hidden);
  if (text === undefined) {
    text = hidden.because.map((condition) => conditionText(condition, form)).join();
    reasonTexts.set(hidden, text);
  }
  return text;
}

const namesByForm = new WeakMap<PublishedForm['steps'], ReadonlyMap<EngineContainer | undefined, string>>();

/** The JSON member that names each step and entity with conditions. Cached per form. */
function containerNames({ steps, entitiesById }: Containers) {
  let names = namesByForm.get(steps);
  if (names === undefined) {
    names = new Map([
      ...[...entitiesById.values()].map(
        ({ container, name }) => [container, `"entity":${JSON.stringify(name)}`] as const,
      ),
      ...steps.map(({ container, stepNumber }) => [container, `"step_number":${stepNumber}`] as const),
    ]);
    namesByForm.set(steps, names);
  }
  return names;
}

/** The states of steps and entities, as further members of the response (C12). */
export function presentSteps({
  steps,
  entities,
}: {
  readonly steps: readonly StepState[];
  readonly entities: readonly EntityState[];
}): string {
  const stepTexts = steps.map(
    ({ stepNumber, isVisible, hasVisibleFields }) =>
      `{"step_number":${stepNumber},"is_visible":${isVisible},"has_visible_fields":${hasVisibleFields}}`,
  );
  const entityTexts = entities.map(
    ({ name, isVisible }) => `{"name":${JSON.stringify(name)},"is_visible":${isVisible}}`,
  );
  return `,"steps":[${stepTexts.join()}],"entities":[${entityTexts.join()}]`;
}

const conditionTexts = new WeakMap<EngineCondition, string>();

/** Cached per condition, because a response may repeat the text for each record. */
function conditionText(condition: EngineCondition, { fieldsById, retiredCodes }: Codes): string {
  let text = conditionTexts.get(condition);
  if (text === undefined) {
    const { dependsOnFieldId, operator, value, valueFieldId, action } = condition;
    const codeOf = (id: number) => fieldsById.get(id)?.code ?? retiredCodes.get(id) ?? '';
    text = JSON.stringify({
      depends_on_field_code: codeOf(dependsOnFieldId),
      operator,
      value,
      ...(valueFieldId != null && { value_field_code: codeOf(valueFieldId) }),
      action,
    } satisfies MetConditionResponse);
    conditionTexts.set(condition, text);
  }
  return text;
}

const ENDS = { map: endsIn(SHAPES.map), list: endsIn(SHAPES.list) };

function endsIn({ state }: Shape) {
  const end = (one: FieldState) => flatText(state(one), '}');
  return { hidden: end(HIDDEN), optional: end(OPTIONAL), required: end(REQUIRED) };
}

interface Start {
  /** Begins with the comma that separates the field from the previous one. */
  readonly start: string;
  readonly position: number;
}

const known = {
  map: new WeakMap<readonly Field[], readonly Start[]>(),
  list: new WeakMap<readonly Field[], readonly Start[]>(),
};

/** Returns the prefixes in the order of the response. Cached per list of fields. */
function startsOf(shape: ConditionsShape, fields: readonly Field[]): readonly Start[] {
  let starts = known[shape].get(fields);
  if (starts === undefined) {
    const placed = fields.map((field, position) => ({ field, position }));
    // JavaScript objects have integer keys in ascending order. Do the same, so that a client can reproduce the text.
    if (shape === 'map') placed.sort((one, other) => one.field.id - other.field.id);
    starts = placed.map(({ field, position }, index) => ({
      start: flatText(index === 0 ? '' : ',', SHAPES[shape].start(field)),
      position,
    }));
    known[shape].set(fields, starts);
  }
  return starts;
}

/** Joins texts into a flat string. `+` creates a rope, which V8 would copy piece by piece for each response. */
function flatText(...texts: string[]): string {
  return texts.join('');
}
