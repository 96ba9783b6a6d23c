import { runToCompletion } from './finish.js';
import { entitiesOf, NO_FIELDS, withEntityValues, withRecordValues } from './entity-fields.js';
import { compileConditions, compileContainers } from './compile-conditions.js';
import {
  type ContainerConditions,
  explain,
  explainHidden,
  type FieldConditions,
  HIDDEN,
  OPTIONAL,
  REQUIRED,
  resolve,
  type ValuesByField,
} from './condition-set.js';
import { compileComputed } from './computed-values.js';
import { noToday, type Today } from './dates.js';
import { ignoreHidden, keepHidden } from './hidden-values.js';
import { searchedFields, searchedTexts } from './searched-texts.js';
import { searchEach, type Searches, takesLong } from './searches.js';
import { valuesByField, valuesByRecord } from './values-by-field.js';
import type {
  CompiledConditions,
  ExplainedState,
  FieldState,
  HiddenValues,
  EngineContainer,
  EngineField,
  EngineRecord,
  StoredValue,
} from './vocabulary.js';

export interface CompileOptions {
  /** Returns the date of today whenever an evaluation needs it. Without it, `today` is no date. */
  readonly today?: () => Today;
  /** The default is `keep`. */
  readonly hiddenValues?: HiddenValues;
  /** Steps and entities with conditions, and perhaps without fields. */
  readonly containers?: readonly EngineContainer[];
}

/** Compiles the fields of a form, which are in schema order. Keeps no state between evaluations. */
export function compileRules(
  fields: readonly EngineField[],
  options: CompileOptions = {},
): CompiledConditions {
  return runToCompletion(compileRulesInParts(fields, options));
}

/** The same for a large form. Yields after each part of the work, so that the caller can pause. */
export function* compileRulesInParts(
  fields: readonly EngineField[],
  { today = noToday, hiddenValues = 'keep', containers: empty = [] }: CompileOptions = {},
): Generator<undefined, CompiledConditions> {
  const sources = new Map<number, number>();
  const compilation = { sources, today };
  const defaults = fields.map(({ isRequired }) => (isRequired ? REQUIRED : OPTIONAL));
  const rules: FieldConditions[] = [];
  for (const [position, { id, entity, conditions }] of fields.entries()) {
    if (conditions.length === 0) continue;
    // Not with the spread syntax, because V8 then evaluates the rules ten times slower.
    const { byDefault, hasShow, groups } = compileConditions(
      conditions,
      defaults[position] ?? OPTIONAL,
      compilation,
    );
    rules.push({ byDefault, hasShow, groups, fieldId: id, position, entity });
    yield;
  }
  const containers = compileContainers(fields, empty, compilation);
  yield;
  const searchedById = yield* searchedFields([...fields, ...containers.map(({ container }) => container)]);
  const computed = yield* compileComputed(fields, { rules, containers }, compilation, hiddenValues);
  const removeHidden =
    hiddenValues === 'ignore' ? yield* ignoreHidden(rules, containers, sources) : keepHidden;
  yield;
  const entities = entitiesOf(fields, rules, containers, sources);
  const resolving: Evaluation<FieldState> = { defaults, evaluate: resolve, hide: () => () => HIDDEN };
  const explaining: Evaluation<ExplainedState> = {
    defaults: defaults.map((state) => ({ ...state, met: [] })),
    evaluate: explain,
    hide: explainHidden,
  };

  /** Evaluates the steps and entities, and prepares the values for the fields. */
  function begin(values: readonly StoredValue[], searches?: Searches) {
    const stored = valuesByField(values, sources, searches);
    const visible = hiddenValues === 'ignore' ? stored.slice() : stored;
    const valuesFor = removeHidden(stored, visible);
    const hidden = containers.filter((rule) => !resolve(rule, valuesFor(rule)).visible);
    return { stored, visible, valuesFor, hidden };
  }

  function resolveStates(values: readonly StoredValue[], searches?: Searches): FieldState[] {
    const { valuesFor, hidden } = begin(values, searches);
    const states = defaults.slice();
    for (const rule of rules) states[rule.position] = resolve(rule, valuesFor(rule));
    for (const { positions } of hidden) for (const position of positions) states[position] = HIDDEN;
    return states;
  }

  // Not one function with `resolveStates`: a generator takes twice the time, and conditions are seldom explained.
  function* explainStates(
    values: readonly StoredValue[],
    searches?: Searches,
  ): Generator<undefined, ExplainedState[]> {
    const { valuesFor, hidden } = begin(values, searches);
    const states = explaining.defaults.slice();
    for (const rule of rules) {
      states[rule.position] = explain(rule, valuesFor(rule));
      yield;
    }
    for (const rule of hidden) {
      const hideField = explainHidden(rule, valuesFor(rule));
      for (const position of rule.positions) states[position] = hideField(states[position] as ExplainedState);
      yield;
    }
    return states;
  }

  function* recordStatesOf<State extends FieldState>(
    values: readonly StoredValue[],
    records: readonly EngineRecord[],
    { defaults, evaluate, hide }: Evaluation<State>,
    searches?: Searches,
  ): Generator<[recordId: number, states: State[]], void> {
    const { stored, visible, valuesFor: valuesForContainer, hidden } = begin(values, searches);
    const hiding = hidden.map((rule) => ({ rule, hideField: hide(rule, valuesForContainer(rule)) }));
    const byRecord = valuesByRecord(values, sources, searches);
    for (const { id, entity: name } of records) {
      const entity = entities.get(name) ?? NO_FIELDS;
      const ofRecord = byRecord.get(id) ?? [];
      const storedInRecord = withRecordValues(stored, ofRecord, entity);
      const record = { entity: name, hidden };
      const valuesFor = removeHidden(
        storedInRecord,
        withEntityValues(visible, storedInRecord, entity),
        record,
      );
      const states = entity.positions.map((position) => defaults[position] as State);
      for (const { rule, index } of entity.rules) states[index] = evaluate(rule, valuesFor(rule));
      for (const { rule, hideField } of hiding)
        for (const index of entity.containers.get(rule) ?? [])
          states[index] = hideField(states[index] as State);
      yield [id, states];
    }
  }

  return {
    computed,
    canHide:
      containers.length > 0 ||
      rules.some(({ hasShow, groups }) => hasShow || groups.some(({ action }) => action === 'hide')),
    search: (values) =>
      searchedById.size > 0 && takesLong(searchedTexts(values, searchedById))
        ? searchEach(searchedTexts(values, searchedById))
        : undefined,
    hiddenContainers: (values, searches) =>
      new Set(begin(values, searches).hidden.map(({ container }) => container)),
    resolveStates,
    explainStates,
    resolveRecords: (values, records, searches) => recordStatesOf(values, records, resolving, searches),
    explainRecords: (values, records, searches) => recordStatesOf(values, records, explaining, searches),
  };
}

/** How fields get their states: with an explanation, or without. */
interface Evaluation<State extends FieldState> {
  readonly defaults: readonly State[];
  readonly evaluate: (rule: FieldConditions, values: ValuesByField) => State;
  /** Returns a function that hides a field of this step or entity. */
  readonly hide: (rule: ContainerConditions, values: ValuesByField) => (state: State) => State;
}
