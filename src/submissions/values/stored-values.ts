import type { StoredValue } from '../submission.statements.js';

/** What each field holds; the empty string is no value (V4). */
export function valuesByField(values: readonly StoredValue[]): Map<number, string[]> {
  const byField = new Map<number, string[]>();
  for (const [fieldId, , value] of values) {
    const others = byField.get(fieldId);
    if (others === undefined) byField.set(fieldId, [value]);
    else others.push(value);
  }
  return byField;
}
