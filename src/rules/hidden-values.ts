import { hasCycle, stronglyConnected } from './cycles.js';
import type { FieldValues } from './field-values.js';
import { type ValuesByField, type FieldRule, resolve } from './field-rule.js';

/** The values with which a rule is evaluated. */
export type ValuesFor = (rule: FieldRule) => ValuesByField;

/**
 * Removes the values of hidden fields from `counting`, which begins as a copy of `stored`. With an `entity`, only the fields of
 * this entity are looked at.
 */
export type LeaveOutHidden = (stored: ValuesByField, counting: FieldValues[], entity?: string) => ValuesFor;

/** `keep`: the value of a hidden field counts like any other (C5). */
export const keepHidden: LeaveOutHidden = (stored) => () => stored;

/**
 * `ignore`: a hidden field has no value for the conditions of other fields, to any depth (C5). Fields that decide on each other's
 * visibility in a cycle have no order of evaluation, so they are evaluated with the stored values. A `require` condition hides
 * nothing and closes no cycle.
 *
 * `sources` has the index in {@link ValuesByField} by the id of a field.
 */
export function ignoreHidden(
  rules: readonly FieldRule[],
  sources: ReadonlyMap<number, number>,
): LeaveOutHidden {
  const deciders = new Map<number, number>();
  for (const [index, { fieldId }] of rules.entries()) {
    const source = sources.get(fieldId);
    if (source !== undefined) deciders.set(source, index);
  }
  const dependencies = rules.map(({ groups }) =>
    groups
      .filter(({ action }) => action !== 'require')
      .flatMap(({ conditions }) => conditions.flatMap(({ source }) => deciders.get(source) ?? [])),
  );

  const circular = new Set<FieldRule>();
  const hideable: { rule: FieldRule; source: number }[] = [];
  for (const component of stronglyConnected(dependencies)) {
    const isCircular = hasCycle(component, dependencies);
    for (const rule of component.flatMap((index) => rules[index] ?? [])) {
      if (isCircular) circular.add(rule);
      const source = sources.get(rule.fieldId);
      if (source !== undefined) hideable.push({ rule, source });
    }
  }

  return (stored, counting, entity) => {
    const valuesFor = (rule: FieldRule) => (circular.has(rule) ? stored : counting);
    // A field is evaluated after the fields that it depends on, so that their values are final.
    for (const { rule, source } of hideable) {
      if (entity !== undefined && rule.entity !== entity) continue;
      if (!resolve(rule, valuesFor(rule)).visible) counting[source] = undefined;
    }
    return valuesFor;
  };
}
