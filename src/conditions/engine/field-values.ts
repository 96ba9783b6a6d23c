import type { ChoicesIn } from './choices.js';
import { isDate } from './dates.js';
import { type Decimal, parseDecimal } from './decimal.js';
import type { Searches } from './searches.js';
import { containsText } from './text-search.js';

/** The stored values of a field during an evaluation, as a linked list (C7). Undefined if the field has no value (C2). */
export type FieldValues = Value | undefined;

const NO_CHOICES: ReadonlySet<string> = new Set();
/** Apart from the values, because few conditions ask for choices. */
const choicesOf = new WeakMap<Value, ReadonlySet<string>>();

export class Value {
  private parsed: Decimal | null | undefined;
  private parsedDate: string | null | undefined;

  constructor(
    readonly text: string,
    readonly next: FieldValues,
    private readonly searches?: Searches,
  ) {}

  contains(part: string): boolean {
    return this.searches?.get(this.text, part) ?? containsText(this.text, part);
  }

  /** Null if the value is not a decimal number. Parsed once, even if many conditions compare it. */
  get decimal(): Decimal | null {
    if (this.parsed === undefined) this.parsed = parseDecimal(this.text);
    return this.parsed;
  }

  /** Null if the value is not a date, or has white space around it (C16). */
  get date(): string | null {
    if (this.parsedDate === undefined) this.parsedDate = isDate(this.text) ? this.text : null;
    return this.parsedDate;
  }

  /** The choices in the value (C18). Read once, even if many conditions test it. */
  choices(choicesIn: ChoicesIn | undefined): ReadonlySet<string> {
    if (choicesIn === undefined) return NO_CHOICES;
    let choices = choicesOf.get(this);
    if (choices === undefined) {
      const read = choicesIn(this.text);
      choices = read === undefined || read === 'several' ? NO_CHOICES : new Set(read);
      choicesOf.set(this, choices);
    }
    return choices;
  }
}
