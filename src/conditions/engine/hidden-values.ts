import { findComponents, hasCycle } from './cycles.js';
import type { FieldValues } from './field-values.js';
import {
  type ContainerConditions,
  type FieldConditions,
  resolve,
  sourcesOf,
  type ConditionSet,
  type ValuesByField,
} from './condition-set.js';

/** Returns the values with which a rule is evaluated. */
export type ValuesFor = (rule: ConditionSet) => ValuesByField;

/** Limits {@link RemoveHidden} to the values of one record. `hidden` are the steps and entities that are hidden. */
export interface OneRecord {
  readonly entity: string;
  readonly hidden: readonly ContainerConditions[];
}

/**
 * Removes the values of hidden fields from `visible`, which is a copy of `stored` at first. With a `record`, it removes only
 * values of fields of its entity.
 */
export type RemoveHidden = (stored: ValuesByField, visible: FieldValues[], record?: OneRecord) => ValuesFor;

/** `keep`: conditions use the values of hidden fields like any others (C5). */
export const keepHidden: RemoveHidden = (stored) => () => stored;

/**
 * `ignore`: conditions treat a hidden field as a field without a value (C5, C15). This may hide further fields, and so on. Fields,
 * steps and entities that depend on each other in a cycle have no order of evaluation, so they are evaluated with the stored
 * values. A `require` condition cannot be part of a cycle, because it hides nothing.
 *
 * @param sources the index in {@link ValuesByField} of each field, by its id
 */
export function* ignoreHidden(
  rules: readonly FieldConditions[],
  containers: readonly ContainerConditions[],
  sources: ReadonlyMap<number, number>,
): Generator<undefined, RemoveHidden> {
  const hiders: Hider[] = [
    ...rules.map((rule) => {
      const source = sources.get(rule.fieldId);
      return { rule, entity: rule.entity, sources: source === undefined ? [] : [source] };
    }),
    ...containers.map((rule) => ({ rule, entity: undefined, sources: rule.sources })),
  ];
  const hidersAt = hidersOf(hiders);
  yield;
  const dependencies: number[][] = [];
  for (const hider of hiders) {
    dependencies.push(decidingSources(hider).flatMap((source) => hidersAt.get(source) ?? []));
    yield;
  }

  const circular = new Set<ConditionSet>();
  const ordered: Hider[] = [];
  for (const component of yield* findComponents(dependencies)) {
    const isCircular = hasCycle(component, dependencies);
    for (const hider of component.flatMap((index) => hiders[index] ?? [])) {
      if (isCircular) circular.add(hider.rule);
      if (hider.sources.length > 0) ordered.push(hider);
    }
  }

  return (stored, visible, record) => {
    const valuesFor = (rule: ConditionSet) => (circular.has(rule) ? stored : visible);
    for (const { sources } of record?.hidden ?? []) for (const source of sources) visible[source] = undefined;
    // `ordered` has each rule after the rules that it depends on, so their values are final.
    for (const { rule, entity, sources } of ordered) {
      if (record !== undefined && entity !== record.entity) continue;
      if (resolve(rule, valuesFor(rule)).visible) continue;
      for (const source of sources) visible[source] = undefined;
    }
    return valuesFor;
  };
}

/** A rule, and the indexes in {@link ValuesByField} of the values that it can remove. */
export interface Hider {
  readonly rule: ConditionSet;
  /** The entity of the field. Undefined for a step or an entity, which is not evaluated for a single record. */
  readonly entity: string | undefined;
  readonly sources: readonly number[];
}

/** The indexes in {@link ValuesByField} of the values that decide whether the rule hides anything. */
export const decidingSources = ({ rule: { groups } }: Hider): number[] =>
  groups.filter(({ action }) => action !== 'require').flatMap(sourcesOf);

/** The positions of the hiders of each value. */
export function hidersOf(hiders: readonly Hider[]): Map<number, number[]> {
  const positions = new Map<number, number[]>();
  for (const [position, hider] of hiders.entries())
    for (const source of hider.sources) {
      const others = positions.get(source);
      if (others === undefined) positions.set(source, [position]);
      else others.push(position);
    }
  return positions;
}
