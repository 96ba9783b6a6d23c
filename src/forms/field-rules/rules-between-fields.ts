import { addDays, compareParsed, type Decimal, isDate, parseDecimal } from '../../conditions/engine/index.js';
import { type FieldError, fieldError } from '../../http/errors/problems.js';
import type { RuleKind } from '../entities/rule-kinds.js';
import type { ErrorOfRule, Rule } from './rule.js';

/** The answer to a field, as rules compare it. Parses its number once, even if many rules compare it. */
export class ComparableAnswer {
  private parsed: Decimal | null | undefined;

  /** @param isNumber whether the field is for numbers, so that `1` equals `1.0` */
  constructor(
    readonly text: string,
    readonly isNumber: boolean,
  ) {}

  /** Null if the answer is not a decimal number. */
  get decimal(): Decimal | null {
    if (this.parsed === undefined) this.parsed = parseDecimal(this.text);
    return this.parsed;
  }

  /** Undefined if the answer is not a date. */
  get date(): string | undefined {
    const date = this.text.trim();
    return isDate(date) ? date : undefined;
  }
}

/** Compares an answer with the answer to another field (J9). Returns the bound that the answer breaks, or undefined. */
type FindBrokenBound = (
  answer: ComparableAnswer,
  other: ComparableAnswer,
  offsetDays: number | null,
) => string | undefined;

interface RuleBetweenKind {
  readonly brokenBound: FindBrokenBound;
  readonly error: (
    message: string,
    bound: string,
    params: { readonly other_field_code: string },
  ) => FieldError;
  /** Completes the sentence "The value must …", before the other field's code. */
  readonly must: string;
}

const ofNumbers =
  (isBroken: (order: number) => boolean): FindBrokenBound =>
  ({ decimal }, other) =>
    decimal !== null && other.decimal !== null && isBroken(compareParsed(decimal, other.decimal))
      ? other.text.trim()
      : undefined;

const ofDates =
  (isBroken: (date: string, bound: string) => boolean): FindBrokenBound =>
  (answer, other, offsetDays) => {
    const bound = offsetDays === null ? other.date : addDays(other.date ?? '', offsetDays);
    const { date } = answer;
    // ISO dates of equal length sort chronologically as text.
    return bound !== undefined && date !== undefined && isBroken(date, bound) ? bound : undefined;
  };

const areEqual = (one: ComparableAnswer, other: ComparableAnswer) =>
  one.isNumber && other.isNumber && one.decimal !== null && other.decimal !== null
    ? compareParsed(one.decimal, other.decimal) === 0
    : one.text === other.text;

/** Longest bound that an error repeats. Without a limit, one long answer could be in the errors of every field. */
const MAX_SHOWN_BOUND = 100;

const shown = (bound: string) =>
  bound.length > MAX_SHOWN_BOUND ? `${bound.slice(0, MAX_SHOWN_BOUND)}…` : bound;

const KINDS: Partial<Record<RuleKind, RuleBetweenKind>> = {
  min: {
    brokenBound: ofNumbers((order) => order < 0),
    error: (message, bound, params) => fieldError('below_minimum', message, { min: shown(bound), ...params }),
    must: 'not be less than',
  },
  max: {
    brokenBound: ofNumbers((order) => order > 0),
    error: (message, bound, params) => fieldError('above_maximum', message, { max: shown(bound), ...params }),
    must: 'not be more than',
  },
  min_date: {
    brokenBound: ofDates((date, bound) => date < bound),
    error: (message, bound, params) => fieldError('too_early', message, { min: bound, ...params }),
    must: 'not be before',
  },
  max_date: {
    brokenBound: ofDates((date, bound) => date > bound),
    error: (message, bound, params) => fieldError('too_late', message, { max: bound, ...params }),
    must: 'not be after',
  },
  equal: {
    brokenBound: (answer, other) => (areEqual(answer, other) ? undefined : other.text),
    error: (message, _, params) => fieldError('not_equal_to', message, params),
    must: 'be the same as',
  },
  not_equal: {
    brokenBound: (answer, other) => (areEqual(answer, other) ? other.text : undefined),
    error: (message, _, params) => fieldError('equal_to', message, params),
    must: 'not be the same as',
  },
};

/** A rule that compares the value of a field with the answer to another field. */
export interface RuleBetweenFields extends ErrorOfRule {
  readonly otherFieldId: number;
  /** Returns the bound that the answer breaks. Undefined if it breaks none, or if one of the answers cannot be compared. */
  readonly brokenBound: (answer: ComparableAnswer, other: ComparableAnswer) => string | undefined;
}

/** Compiles a rule if it names another field. */
export function rulesBetween(rule: Rule): RuleBetweenFields[] {
  const { kind, message, otherFieldId, otherFieldCode, offsetDays } = rule;
  const definition = KINDS[kind];
  if (otherFieldId === null || otherFieldCode === null || definition === undefined) return [];
  const { brokenBound, error, must } = definition;
  return [
    {
      ...{ kind, message, otherFieldId, otherFieldCode },
      brokenBound: (answer, other) => brokenBound(answer, other, offsetDays),
      errorOf: (code, message, bound) =>
        error(message ?? `The ${code} must ${must} ${otherFieldCode}${distance(offsetDays)}.`, bound, {
          other_field_code: otherFieldCode,
        }),
    },
  ];
}

/** Returns the end of a sentence, such as " plus 7 days". */
function distance(days: number | null): string {
  if (days === null || days === 0) return '';
  const count = Math.abs(days);
  return ` ${days < 0 ? 'minus' : 'plus'} ${count} ${count === 1 ? 'day' : 'days'}`;
}
