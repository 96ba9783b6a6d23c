import { parseDecimal, type Decimal } from './decimal.js';

/** What is stored for one field during one evaluation. */
export class Answer {
  static readonly NONE = new Answer([]);

  private parsed: readonly Decimal[] | undefined;

  private constructor(readonly texts: readonly string[]) {}

  /** C2: a field without an entry and one that holds only "" have no value; C7: it may have several. */
  static of(stored: readonly string[] | undefined): Answer {
    if (!stored || stored.length === 0) return Answer.NONE;
    return new Answer(stored.includes('') ? stored.filter((text) => text !== '') : stored);
  }

  /** The values that are decimal numbers. Read once, however many conditions compare them. */
  get decimals(): readonly Decimal[] {
    return (this.parsed ??= this.texts.map(parseDecimal).filter((decimal) => decimal !== null));
  }
}
