import { hasCycle, operandsOf, stronglyConnected } from '../../conditions/engine/index.js';
import { groupBy } from '../../forms/group-by.js';
import { listed, quote, type Report } from './definition-error.js';
import {
  type DefinedCondition,
  fieldsOf,
  type FormDefinition,
  type LocatedField,
} from './form-definition.js';
import { codesIn } from './never-met.js';

/** A step or an entity, which hides its fields. */
export interface Container {
  /** For messages, such as `step 2`. */
  readonly name: string;
  readonly path: string;
  readonly conditions: readonly DefinedCondition[];
  readonly codes: readonly string[];
}

export function conditionalContainers(definition: FormDefinition): Container[] {
  const fields = fieldsOf(definition).map(({ field }) => field);
  const codesByEntity = groupBy(fields, ({ entity }) => entity);
  return [
    ...definition.steps.map(({ step_number, conditions, fields }, index) => ({
      ...{ name: `step ${step_number}`, path: `steps[${index}]`, conditions },
      codes: fields.map(({ code }) => code),
    })),
    ...definition.entities.map(({ name, conditions }, index) => ({
      ...{ name: `entity ${quote(name)}`, path: `entities[${index}]`, conditions },
      codes: (codesByEntity.get(name) ?? []).map(({ code }) => code),
    })),
  ].filter(({ conditions }) => conditions.length > 0);
}

/**
 * Reports each cycle at its first member. A condition depends on a field, and so on the step and the entity that hide the field. It
 * depends on the operands of a computed field too, because hidden ones may not count (K1). Ignores `require` conditions, because they do not affect visibility.
 */
export function lintCycles(all: readonly LocatedField[], containers: readonly Container[], report: Report) {
  // Nothing depends on a retired field, because conditions on it are never met (N6).
  const fields = all.filter(({ field }) => field.retired !== true);
  const members = [
    ...fields.map(({ field, path }) => ({ name: quote(field.code), path, conditions: field.conditions })),
    ...containers,
  ];
  const hidersOf = new Map(fields.map(({ field }, position) => [field.code, [position]]));
  for (const [index, { codes }] of containers.entries())
    for (const code of codes) hidersOf.get(code)?.push(fields.length + index);
  const sourcesOf = valueSources(fields);
  const dependencies = members.map(({ conditions }) =>
    conditions
      .filter(({ action }) => action !== 'require')
      .flatMap(codesIn)
      .flatMap((code) => [...sourcesOf(code)])
      .flatMap((code) => hidersOf.get(code) ?? []),
  );
  for (const component of stronglyConnected(dependencies)) {
    if (!hasCycle(component, dependencies)) continue;
    const cycle = component
      .toSorted((one, other) => one - other)
      .flatMap((position) => members[position] ?? []);
    const names = listed(cycle.map(({ name }) => name));
    const isField = component.some((position) => position < fields.length);
    const own = isField ? 'its own value' : 'the value of one of its own fields';
    const message =
      cycle.length > 1
        ? `${names} show or hide each other in a cycle; remove the conditions of one of them on the others`
        : `${names} is shown or hidden by ${own}; remove its conditions on itself`;
    report(cycle[0]?.path ?? '', message);
  }
}

/** Returns a function that finds the fields that decide the value of a field: itself, and the operands of its formula, and of theirs. */
function valueSources(fields: readonly LocatedField[]): (code: string) => ReadonlySet<string> {
  const formulas = new Map(fields.map(({ field }) => [field.code, field.computed]));
  const known = new Map<string, Set<string>>();
  return (code) => {
    let sources = known.get(code);
    if (sources === undefined) {
      sources = new Set([code]);
      known.set(code, sources);
      // The set grows while this loop visits it.
      for (const source of sources) {
        const formula = formulas.get(source);
        for (const operand of formula === undefined ? [] : operandsOf(formula)) sources.add(operand);
      }
    }
    return sources;
  };
}
