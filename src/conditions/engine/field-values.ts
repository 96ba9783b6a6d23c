import { type Decimal, parseDecimal } from './decimal.js';
import type { Searches } from './searches.js';
import type { StoredValue } from './vocabulary.js';

/** The stored values of a field during an evaluation, as a linked list (C7). Undefined if the field has no value (C2). */
export type FieldValues = Value | undefined;

export class Value {
  private parsed: Decimal | null | undefined;

  constructor(
    readonly text: string,
    readonly next: FieldValues,
    private readonly searches?: Searches,
  ) {}

  contains(part: string): boolean {
    return this.searches?.get(this.text, part) ?? this.text.includes(part);
  }

  /** Null if the value is not a decimal number. Parsed once, even if many conditions compare it. */
  get decimal(): Decimal | null {
    if (this.parsed === undefined) this.parsed = parseDecimal(this.text);
    return this.parsed;
  }
}

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
