import { type Decimal, parseDecimal } from './decimal.js';
import type { Searches } from './searches.js';

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
