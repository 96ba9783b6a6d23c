import { finish } from './finish.js';
import { entitiesOf, NO_FIELDS, withEntityValues, withRecordValues } from './entity-fields.js';
import { type FieldValues, Value } from './field-values.js';
import {
  type CompiledCondition,
  type ConditionGroup,
  type ContainerConditions,
  explain,
  explainHidden,
  type FieldConditions,
  HIDDEN,
  OPTIONAL,
  REQUIRED,
  resolve,
  type ConditionSet,
  type ValuesByField,
} from './condition-set.js';
import { ignoreHidden, keepHidden } from './hidden-values.js';
import { compileTest, NEVER_MET } from './operators.js';
import { searchEach, type Searched, type Searches, takesLong } from './searches.js';
import type {
  CompiledRules,
  ExplainedState,
  FieldState,
  HiddenValues,
  RuleCondition,
  RuleContainer,
  RuleField,
  RuleRecord,
  StoredValue,
} from './vocabulary.js';

/** Compiles the fields of a form, which are in schema order, and `empty` steps and entities. Keeps no state between evaluations. */
export function compileRules(
  fields: readonly RuleField[],
  hiddenValues?: HiddenValues,
  empty?: readonly RuleContainer[],
): CompiledRules {
  return finish(compileRulesInParts(fields, hiddenValues, empty));
}

/** The same for a large form. Yields after each part of the work, so that the caller can pause. */
export function* compileRulesInParts(
  fields: readonly RuleField[],
  hiddenValues: HiddenValues = 'keep',
  empty: readonly RuleContainer[] = [],
): Generator<undefined, CompiledRules> {
  const sources = new Map<number, number>();
  const defaults = fields.map(({ isRequired }) => (isRequired ? REQUIRED : OPTIONAL));
  const rules: FieldConditions[] = [];
  for (const [position, { id, entity, conditions }] of fields.entries()) {
    if (conditions.length === 0) continue;
    // Not with the spread syntax, because V8 then evaluates the rules ten times slower.
    const { byDefault, hasShow, groups } = ruleOf(conditions, defaults[position] ?? OPTIONAL, sources);
    rules.push({ byDefault, hasShow, groups, fieldId: id, position, entity });
    yield;
  }
  const containers = containersOf(fields, empty, sources);
  yield;
  const searchedById = yield* searchedFields([...fields, ...containers.map(({ container }) => container)]);
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

  function statesOf<State extends FieldState>(
    values: readonly StoredValue[],
    { defaults, evaluate, hide }: Evaluation<State>,
    searches?: Searches,
  ): State[] {
    const { valuesFor, hidden } = begin(values, searches);
    const states = defaults.slice();
    for (const rule of rules) states[rule.position] = evaluate(rule, valuesFor(rule));
    for (const rule of hidden) {
      const hideField = hide(rule, valuesFor(rule));
      for (const position of rule.positions) states[position] = hideField(states[position] as State);
    }
    return states;
  }

  function* recordStatesOf<State extends FieldState>(
    values: readonly StoredValue[],
    records: readonly RuleRecord[],
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

  /** The stored texts that `contains` conditions search, each with the parts that they search for. */
  function* searchedTexts(values: readonly StoredValue[]) {
    for (const [fieldId, , text] of values) {
      const searched = searchedById.get(fieldId);
      if (searched !== undefined) yield [text, searched] as const;
    }
  }

  return {
    canHide:
      containers.length > 0 ||
      rules.some(({ hasShow, groups }) => hasShow || groups.some(({ action }) => action === 'hide')),
    search: (values) =>
      searchedById.size > 0 && takesLong(searchedTexts(values))
        ? searchEach(searchedTexts(values))
        : undefined,
    hiddenContainers: (values, searches) =>
      new Set(begin(values, searches).hidden.map(({ container }) => container)),
    resolveStates: (values, searches) => statesOf(values, resolving, searches),
    explainStates: (values, searches) => statesOf(values, explaining, searches),
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

function ruleOf(
  conditions: readonly RuleCondition[],
  byDefault: FieldState,
  sources: Map<number, number>,
): ConditionSet {
  const groups = groupsOf(conditions, sources);
  return { byDefault, hasShow: groups.some(({ action }) => action === 'show'), groups };
}

/** Folds the steps and entities of all fields into one rule each, so that each is evaluated once. */
function containersOf(
  fields: readonly RuleField[],
  empty: readonly RuleContainer[],
  sources: Map<number, number>,
): ContainerConditions[] {
  const positions = new Map(empty.map((container): [RuleContainer, number[]] => [container, []]));
  for (const [position, { containers = [] }] of fields.entries())
    for (const container of containers) {
      const known = positions.get(container);
      if (known === undefined) positions.set(container, [position]);
      else known.push(position);
    }
  const rules = [...positions].map(([container, own]) => ({
    container,
    positions: own,
    rule: ruleOf(container.conditions, OPTIONAL, sources),
  }));
  // The sources of a container are known only after all conditions are compiled.
  return rules.map(({ container, positions, rule: { byDefault, hasShow, groups } }) => ({
    byDefault,
    hasShow,
    groups,
    container,
    positions,
    sources: positions.flatMap((position) => sources.get(fields[position]?.id ?? 0) ?? []),
  }));
}

/** The parts that `contains` conditions search for, by the id of the field whose values they search. */
function* searchedFields(
  owners: readonly Pick<RuleField, 'conditions'>[],
): Generator<undefined, Map<number, Searched>> {
  const byField = new Map<number, Searched>();
  for (const { conditions } of owners) {
    for (const { operator, dependsOnFieldId, value, testsRetired } of conditions) {
      if (operator !== 'contains' || testsRetired === true) continue;
      let searched = byField.get(dependsOnFieldId);
      if (searched === undefined)
        byField.set(dependsOnFieldId, (searched = { parts: new Set<string>(), conditions: 0 }));
      searched.parts.add(value);
      searched.conditions += 1;
    }
    yield;
  }
  return byField;
}

/** Conditions with the same action and group number form one group (C9), at the position of its first condition. */
function groupsOf(conditions: readonly RuleCondition[], sources: Map<number, number>): ConditionGroup[] {
  const groups: { action: ConditionGroup['action']; conditions: CompiledCondition[] }[] = [];
  const numbered = new Map<string, CompiledCondition[]>();
  for (const condition of conditions) {
    const { action, group } = condition;
    const compiled = compile(condition, sources);
    const number = group == null ? undefined : `${action} ${group}`;
    const existing = number === undefined ? undefined : numbered.get(number);
    if (existing !== undefined) {
      existing.push(compiled);
      continue;
    }
    const members = [compiled];
    groups.push({ action, conditions: members });
    if (number !== undefined) numbered.set(number, members);
  }
  return groups;
}

function compile(condition: RuleCondition, sources: Map<number, number>): CompiledCondition {
  const { dependsOnFieldId, operator, value, testsRetired } = condition;
  const source = sources.get(dependsOnFieldId) ?? sources.size;
  sources.set(dependsOnFieldId, source);
  return { condition, source, test: testsRetired === true ? NEVER_MET : compileTest(operator, value) };
}

/** The stored values of each field that a condition depends on. An empty text counts as no value (C2). */
function valuesByField(
  values: readonly StoredValue[],
  sources: ReadonlyMap<number, number>,
  searches?: Searches,
): FieldValues[] {
  const byField = new Array<FieldValues>(sources.size).fill(undefined);
  for (const [fieldId, , text] of values) {
    const source = sources.get(fieldId);
    if (source !== undefined && text !== '') byField[source] = new Value(text, byField[source], searches);
  }
  return byField;
}

/** Like {@link valuesByField} for each record, with only the values of that record. */
function valuesByRecord(
  values: readonly StoredValue[],
  sources: ReadonlyMap<number, number>,
  searches?: Searches,
) {
  const byRecord = new Map<number, FieldValues[]>();
  for (const [fieldId, recordId, text] of values) {
    const source = sources.get(fieldId);
    if (recordId === null || source === undefined || text === '') continue;
    let byField = byRecord.get(recordId);
    if (byField === undefined) byRecord.set(recordId, (byField = []));
    byField[source] = new Value(text, byField[source], searches);
  }
  return byRecord;
}
