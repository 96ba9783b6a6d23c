import { type FieldValues, Value } from './field-values.js';
import {
  type ValuesByField,
  type CompiledCondition,
  type ConditionGroup,
  explain,
  type FieldRule,
  OPTIONAL,
  REQUIRED,
  resolve,
} from './field-rule.js';
import { ignoreHidden, keepHidden } from './hidden-values.js';
import { compileTest } from './operators.js';
import { searchEach, type Searched, type Searches, takesLong } from './searches.js';
import type {
  CompiledRules,
  ExplainedState,
  FieldState,
  HiddenValues,
  RuleCondition,
  RuleField,
  RuleRecord,
  StoredValue,
} from './vocabulary.js';

/** Compiles the fields of a form, which are in schema order. The result keeps no state between evaluations. */
export function compileRules(
  fields: readonly RuleField[],
  hiddenValues: HiddenValues = 'keep',
): CompiledRules {
  const defaults = fields.map(({ isRequired }) => (isRequired ? REQUIRED : OPTIONAL));
  const explainedDefaults = defaults.map((state): ExplainedState => ({ ...state, met: [] }));
  const sources = new Map<number, number>();
  const rules: FieldRule[] = [];
  for (const [position, field] of fields.entries()) {
    if (field.conditions.length === 0) continue;
    const groups = groupsOf(field.conditions, sources);
    rules.push({
      fieldId: field.id,
      position,
      entity: field.entity,
      byDefault: defaults[position] ?? OPTIONAL,
      hasShow: groups.some(({ action }) => action === 'show'),
      groups,
    });
  }

  const searchedById = searchedFields(fields);
  const removeHidden = hiddenValues === 'ignore' ? ignoreHidden(rules, sources) : keepHidden;
  const entities = entitiesOf(fields, rules, sources);

  function statesOf<State extends FieldState>(
    values: readonly StoredValue[],
    byDefault: readonly State[],
    evaluate: (rule: FieldRule, values: ValuesByField) => State,
    searches?: Searches,
  ): State[] {
    const stored = valuesByField(values, sources, searches);
    const valuesFor = removeHidden(stored, hiddenValues === 'ignore' ? stored.slice() : stored);
    const states = byDefault.slice();
    for (const rule of rules) states[rule.position] = evaluate(rule, valuesFor(rule));
    return states;
  }

  function* recordStatesOf<State extends FieldState>(
    values: readonly StoredValue[],
    records: readonly RuleRecord[],
    byDefault: readonly State[],
    evaluate: (rule: FieldRule, values: ValuesByField) => State,
    searches?: Searches,
  ): Generator<[recordId: number, states: State[]], void> {
    const stored = valuesByField(values, sources, searches);
    const visible = stored.slice();
    removeHidden(stored, visible);
    const byRecord = valuesByRecord(values, sources, searches);
    for (const { id, entity: name } of records) {
      const entity = entities.get(name) ?? NO_FIELDS;
      const ofRecord = byRecord.get(id) ?? [];
      const storedInRecord = withRecordValues(stored, ofRecord, entity);
      const valuesFor = removeHidden(storedInRecord, withRecordValues(visible, ofRecord, entity), name);
      const states = entity.positions.map((position) => byDefault[position] as State);
      for (const { rule, index } of entity.rules) states[index] = evaluate(rule, valuesFor(rule));
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
    search: (values) =>
      searchedById.size > 0 && takesLong(searchedTexts(values))
        ? searchEach(searchedTexts(values))
        : undefined,
    resolveStates: (values, searches) => statesOf(values, defaults, resolve, searches),
    explainStates: (values, searches) => statesOf(values, explainedDefaults, explain, searches),
    resolveRecords: (values, records, searches) =>
      recordStatesOf(values, records, defaults, resolve, searches),
    explainRecords: (values, records, searches) =>
      recordStatesOf(values, records, explainedDefaults, explain, searches),
  };
}

/** The parts that `contains` conditions search for, by the id of the field whose values they search. */
function searchedFields(fields: readonly RuleField[]): Map<number, Searched> {
  const byField = new Map<number, Searched>();
  for (const { operator, dependsOnFieldId, value } of fields.flatMap(({ conditions }) => conditions)) {
    if (operator !== 'contains') continue;
    let searched = byField.get(dependsOnFieldId);
    if (searched === undefined)
      byField.set(dependsOnFieldId, (searched = { parts: new Set<string>(), conditions: 0 }));
    searched.parts.add(value);
    searched.conditions += 1;
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
  const { dependsOnFieldId, operator, value } = condition;
  const source = sources.get(dependsOnFieldId) ?? sources.size;
  sources.set(dependsOnFieldId, source);
  return { condition, source, test: compileTest(operator, value) };
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

interface EntityFields {
  /** Positions among the fields of the form. */
  readonly positions: readonly number[];
  readonly rules: readonly { readonly rule: FieldRule; readonly index: number }[];
  /** Indexes in {@link ValuesByField} of the fields that hold a value for each record. */
  readonly sources: readonly number[];
}

const NO_FIELDS: EntityFields = { positions: [], rules: [], sources: [] };

function entitiesOf(
  fields: readonly RuleField[],
  rules: readonly FieldRule[],
  sources: ReadonlyMap<number, number>,
): Map<string, EntityFields> {
  const ruleAt = new Map(rules.map((rule) => [rule.position, rule]));
  const names = new Set(fields.map(({ entity }) => entity).filter((name) => name !== undefined));
  return new Map(
    [...names].map((name) => {
      const positions = [...fields.keys()].filter((position) => fields[position]?.entity === name);
      return [
        name,
        {
          positions,
          rules: positions.flatMap((position, index) => {
            const rule = ruleAt.get(position);
            return rule === undefined ? [] : [{ rule, index }];
          }),
          sources: positions
            .filter((position) => fields[position]?.isRepeatable)
            .map((position) => sources.get(fields[position]?.id ?? 0))
            .filter((source) => source !== undefined),
        },
      ];
    }),
  );
}

/** Replaces the values of the entity's repeatable fields by the values that the record has for them (R6). */
function withRecordValues(
  values: ValuesByField,
  ofRecord: ValuesByField,
  { sources }: EntityFields,
): FieldValues[] {
  const replaced = values.slice();
  for (const source of sources) replaced[source] = ofRecord[source];
  return replaced;
}
