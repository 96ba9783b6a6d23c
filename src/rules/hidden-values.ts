import { hasCycle, stronglyConnected } from './cycles.js';
import type { FieldValues } from './field-values.js';
import { type ValuesByField, type FieldRule, resolve } from './field-rule.js';

/** Returns the values with which a rule is evaluated. */
export type ValuesFor = (rule: FieldRule) => ValuesByField;

/**
 * Removes the values of hidden fields from `visible`, which is a copy of `stored` at first. With an `entity`, it removes only
 * values of fields of that entity.
 */
export type RemoveHidden = (stored: ValuesByField, visible: FieldValues[], entity?: string) => ValuesFor;

/** `keep`: the value of a hidden field counts like any other (C5). */
export const keepHidden: RemoveHidden = (stored) => () => stored;

/**
 * `ignore`: conditions treat a hidden field as a field without a value (C5). This may hide further fields, and so on. Fields
 * that depend on each other in a cycle have no order of evaluation, so they are evaluated with the stored values. A `require`
 * condition cannot be part of a cycle, because it hides nothing.
 *
 * @param sources the index in {@link ValuesByField} of each field, by its id
 */
export function ignoreHidden(
  rules: readonly FieldRule[],
  sources: ReadonlyMap<number, number>,
): RemoveHidden {
  const ruleOfSource = new Map<number, number>();
  for (const [index, { fieldId }] of rules.entries()) {
    const source = sources.get(fieldId);
    if (source !== undefined) ruleOfSource.set(source, index);
  }
  const dependencies = rules.map(({ groups }) =>
    groups
      .filter(({ action }) => action !== 'require')
      .flatMap(({ conditions }) => conditions.flatMap(({ source }) => ruleOfSource.get(source) ?? [])),
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

  return (stored, visible, entity) => {
    const valuesFor = (rule: FieldRule) => (circular.has(rule) ? stored : visible);
    // `hideable` has each field after the fields that it depends on, so their values are final.
    for (const { rule, source } of hideable) {
      if (entity !== undefined && rule.entity !== entity) continue;
      if (!resolve(rule, valuesFor(rule)).visible) visible[source] = undefined;
    }
    return valuesFor;
  };
}
