import type { DefinedCondition } from './form-definition.js';

/** Returns the conditions that are never met, because they, or others of their group (C9), test a retired field (N6). */
export function neverMet(conditions: readonly DefinedCondition[], isRetired: (code: string) => boolean) {
  const keyOf = (condition: DefinedCondition) =>
    condition.group === undefined ? condition : `${condition.action} ${condition.group}`;
  const keys = new Set(conditions.filter(({ depends_on_field_code: code }) => isRetired(code)).map(keyOf));
  return new Set(conditions.filter((condition) => keys.has(keyOf(condition))));
}
