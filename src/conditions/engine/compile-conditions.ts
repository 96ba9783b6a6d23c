import {
  type CompiledCondition,
  type ConditionGroup,
  type ConditionSet,
  type ContainerConditions,
  OPTIONAL,
} from './condition-set.js';
import type { Today } from './dates.js';
import { compileComparison, compileTest, NEVER_MET } from './operators.js';
import type { FieldState, EngineCondition, EngineContainer, EngineField } from './vocabulary.js';

/** The state that all conditions of a form share while they are compiled. */
export interface Compilation {
  /** The index of each field that conditions test, by its id. */
  readonly sources: Map<number, number>;
  readonly today: () => Today;
}

/** Compiles the conditions of a field, a step or an entity. Gives each field that they test an index in `sources`. */
export function compileConditions(
  conditions: readonly EngineCondition[],
  byDefault: FieldState,
  compilation: Compilation,
): ConditionSet {
  const groups = groupsOf(conditions, compilation);
  return { byDefault, hasShow: groups.some(({ action }) => action === 'show'), groups };
}

/** Folds the steps and entities of all fields into one rule each, so that each is evaluated once. */
export function compileContainers(
  fields: readonly EngineField[],
  empty: readonly EngineContainer[],
  compilation: Compilation,
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
    rule: compileConditions(container.conditions, OPTIONAL, compilation),
  }));
  // The sources of a container are known only after all conditions are compiled.
  return rules.map(({ container, positions, rule: { byDefault, hasShow, groups } }) => ({
    byDefault,
    hasShow,
    groups,
    container,
    positions,
    sources: positions.flatMap((position) => compilation.sources.get(fields[position]?.id ?? 0) ?? []),
  }));
}

/** Conditions with the same action and group number form one group (C9), at the position of its first condition. */
function groupsOf(conditions: readonly EngineCondition[], compilation: Compilation): ConditionGroup[] {
  const groups: { action: ConditionGroup['action']; conditions: CompiledCondition[] }[] = [];
  const numbered = new Map<string, CompiledCondition[]>();
  for (const condition of conditions) {
    const { action, group } = condition;
    const compiled = compile(condition, compilation);
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

function compile(condition: EngineCondition, { sources, today }: Compilation): CompiledCondition {
  const { dependsOnFieldId, operator, value, valueFieldId, choicesIn, testsRetired } = condition;
  const sourceOf = (fieldId: number) => {
    const source = sources.get(fieldId) ?? sources.size;
    sources.set(fieldId, source);
    return source;
  };
  const source = sourceOf(dependsOnFieldId);
  const context = { today, choicesIn };
  if (testsRetired === true) return { condition, source, test: NEVER_MET, comparison: undefined };
  if (valueFieldId == null)
    return { condition, source, test: compileTest(operator, value, context), comparison: undefined };
  const comparison = compileComparison(operator, context);
  return {
    ...{ condition, source, test: NEVER_MET },
    comparison: comparison && { ...comparison, source: sourceOf(valueFieldId) },
  };
}
