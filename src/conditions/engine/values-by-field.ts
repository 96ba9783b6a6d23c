import { type FieldValues, Value } from './field-values.js';
import type { Searches } from './searches.js';
import type { StoredValue } from './vocabulary.js';

/** The stored values of each field that a condition depends on. An empty text counts as no value (C2). */
export function valuesByField(
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
export function valuesByRecord(
  values: readonly StoredValue[],
  sources: ReadonlyMap<number, number>,
  searches?: Searches,
): Map<number, FieldValues[]> {
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
