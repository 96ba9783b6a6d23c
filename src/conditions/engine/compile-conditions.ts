import {
  type CompiledCondition,
  type ConditionGroup,
  type ConditionSet,
  type ContainerConditions,
  OPTIONAL,
} from './condition-set.js';
import { compileTest, NEVER_MET, OPERATOR_TABLE } from './operators.js';
import type { FieldSearch } from './searches.js';
import type { FieldState, EngineCondition, EngineContainer, EngineField } from './vocabulary.js';

/** Compiles the conditions of a field, a step or an entity. Gives each field that they test an index in `sources`. */
export function compileConditions(
  conditions: readonly EngineCondition[],
  byDefault: FieldState,
  sources: Map<number, number>,
): ConditionSet {
  const groups = groupsOf(conditions, sources);
  return { byDefault, hasShow: groups.some(({ action }) => action === 'show'), groups };
}

/** Folds the steps and entities of all fields into one rule each, so that each is evaluated once. */
export function compileContainers(
  fields: readonly EngineField[],
  empty: readonly EngineContainer[],
  sources: Map<number, number>,
): ContainerConditions[] {
  const positions = new Map(empty.map((container): [EngineContainer, number[]] => [container, []]));
  for (const [position, { containers = [] }] of fields.entries())
    for (const container of containers) {
      const known = positions.get(container);
      if (known === undefined) positions.set(container, [position]);
      else known.push(position);
    }
  const rules = [...positions].map(([container, own]) => ({
    container,
    positions: own,
    rule: compileConditions(container.conditions, OPTIONAL, sources),
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

/** Conditions with the same action and group number form one group (C9), at the position of its first condition. */
function groupsOf(conditions: readonly EngineCondition[], sources: Map<number, number>): ConditionGroup[] {
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

function compile(condition: EngineCondition, sources: Map<number, number>): CompiledCondition {
  const { dependsOnFieldId, operator, value, testsRetired } = condition;
  const source = sources.get(dependsOnFieldId) ?? sources.size;
  sources.set(dependsOnFieldId, source);
  return { condition, source, test: testsRetired === true ? NEVER_MET : compileTest(operator, value) };
}

/** The parts that conditions search for, by the id of the field whose values they search. */
export function* searchedFields(
  owners: readonly Pick<EngineField, 'conditions'>[],
): Generator<undefined, Map<number, FieldSearch>> {
  const byField = new Map<number, FieldSearch>();
  for (const { conditions } of owners) {
    for (const { operator, dependsOnFieldId, value, testsRetired } of conditions) {
      if (!OPERATOR_TABLE[operator].searches || testsRetired === true) continue;
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
