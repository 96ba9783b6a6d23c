import { type Decimal, parseDecimal } from './decimal.js';
import type { Searches } from './searches.js';

/** What is stored for one field during one evaluation: nothing (C2), or a value that leads to the next one (C7). */
export type Answer = Value | undefined;

export class Value {
  private parsed: Decimal | null | undefined;

  constructor(
    readonly text: string,
    readonly next: Answer,
    private readonly searches?: Searches,
  ) {}

  contains(part: string): boolean {
    return this.searches?.get(this.text, part) ?? this.text.includes(part);
  }

  /** The value as a decimal number, if it is one. Read once, however many conditions compare it. */
  get decimal(): Decimal | null {
    if (this.parsed === undefined) this.parsed = parseDecimal(this.text);
    return this.parsed;
  }
}
