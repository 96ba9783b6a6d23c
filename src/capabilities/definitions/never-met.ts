import type { DefinedCondition } from './form-definition.js';

/** The codes of the tested field, and of the field that it is compared with. */
export const codesIn = ({ depends_on_field_code: code, value_field }: DefinedCondition): string[] =>
  value_field === undefined ? [code] : [code, value_field];

/** Returns the conditions that are never met, because they, or others of their group (C9), refer to a retired field (N6, C17). */
export function neverMet(conditions: readonly DefinedCondition[], isRetired: (code: string) => boolean) {
  const keyOf = (condition: DefinedCondition) =>
    condition.group === undefined ? condition : `${condition.action} ${condition.group}`;
  const keys = new Set(conditions.filter((condition) => codesIn(condition).some(isRetired)).map(keyOf));
  return new Set(conditions.filter((condition) => keys.has(keyOf(condition))));
}
