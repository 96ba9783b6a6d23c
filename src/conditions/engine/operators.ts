import type { ChoicesIn } from './choices.js';
import {
  anyContains,
  anyEquals,
  anyIncludes,
  type Compares,
  comparesDates,
  comparesNumbers,
} from './comparisons.js';
import { dayOf, noToday, type Today } from './dates.js';
import { compareParsed, parseDecimal } from './decimal.js';
import { type FieldValues, Value } from './field-values.js';

/** The inputs of a test besides the value of the condition. */
export interface TestContext {
  readonly today: () => Today;
  /** Reads the choices in a text of the tested field. Undefined if the field has no options. */
  readonly choicesIn?: ChoicesIn | undefined;
}

type Meets = Test['meets'];

/** Everything that distinguishes an operator from the others. */
export interface OperatorDefinition {
  /**
   * How the operator reads the value of the condition. `text`: compared with the whole stored text. `part`: a stored text that begins
   * with it passes the test; others may pass too. `list`: texts separated by commas. `choice`: one of the options of a field that
   * holds several. `nothing`: the operator ignores it.
   */
  readonly compares: 'text' | 'part' | 'list' | 'number' | 'date' | 'choice' | 'nothing';
  /** Whether the condition is met if no stored value passes the test, instead of any (C7). */
  readonly isNegated: boolean;
  /** Whether the test calls {@link Value.contains}, whose searches are executed before an evaluation if they take long. */
  readonly searches: boolean;
  /** Returns the test for a condition with this value. */
  readonly testFor: (value: string, context: TestContext) => Meets;
  /** Returns the test of two answers (C17). Undefined if the operator compares with no other answer. */
  readonly comparison?: (context: TestContext) => Compares;
}

/** The one place that lists the operators. All other code reads it. */
const TABLE = {
  equals: ofTexts({ compares: 'text', isNegated: false, testFor: isText, comparison: () => anyEquals }),
  not_equals: ofTexts({ compares: 'text', isNegated: true, testFor: isText, comparison: () => anyEquals }),
  contains: searching(false),
  greater_than: ofNumbers((order) => order > 0),
  less_than: ofNumbers((order) => order < 0),
  in: ofTexts({ compares: 'list', isNegated: false, testFor: isIn }),
  not_in: ofTexts({ compares: 'list', isNegated: true, testFor: isIn }),
  empty: ofTexts({ compares: 'nothing', isNegated: true, testFor: () => () => true }),
  not_empty: ofTexts({ compares: 'nothing', isNegated: false, testFor: () => () => true }),
  at_least: ofNumbers((order) => order >= 0),
  at_most: ofNumbers((order) => order <= 0),
  before: ofDates('latest', (order) => order < 0),
  after: ofDates('earliest', (order) => order > 0),
  on_or_before: ofDates('latest', (order) => order <= 0),
  on_or_after: ofDates('earliest', (order) => order >= 0),
  includes: ofChoices(false),
  not_includes: ofChoices(true),
  not_contains: searching(true),
} satisfies Readonly<Record<string, OperatorDefinition>>;

export type Operator = keyof typeof TABLE;
export const OPERATOR_TABLE: Readonly<Record<Operator, OperatorDefinition>> = TABLE;
export const OPERATORS = Object.keys(TABLE) as readonly Operator[];

/**
 * A condition is met if any value of the field passes the test (C7). A negated condition is met if no value passes. A field without
 * a value therefore meets only negated conditions (C2).
 */
export interface Test {
  readonly negated: boolean;
  readonly meets: (value: Value) => boolean;
}

export function isMet({ negated, meets }: Test, values: FieldValues): boolean {
  for (let value = values; value !== undefined; value = value.next) if (meets(value)) return !negated;
  return negated;
}

/** The test of a condition on a retired field (N6). No value passes, and no value is not enough. */
export const NEVER_MET: Test = { negated: false, meets: () => false };

export function compileTest(operator: Operator, value: string, context: TestContext): Test {
  const { isNegated, testFor } = OPERATOR_TABLE[operator];
  return { negated: isNegated, meets: testFor(value, context) };
}

/** Compares the answers to two fields (C17). */
export interface Comparison {
  readonly negated: boolean;
  readonly compares: Compares;
}

/** Undefined if the operator compares with no other answer. */
export function compileComparison(operator: Operator, context: TestContext): Comparison | undefined {
  const { isNegated, comparison } = OPERATOR_TABLE[operator];
  return comparison && { negated: isNegated, compares: comparison(context) };
}

/** Without another answer, no operator is met. If only the tested field has no value, negated conditions are met (C17). */
export function isComparisonMet(
  { negated, compares }: Comparison,
  tested: FieldValues,
  other: FieldValues,
): boolean {
  if (other === undefined) return false;
  return tested === undefined ? negated : compares(tested, other) !== negated;
}

/** Returns a function that evaluates a condition with this operator and value against the stored values of its field. */
export function evaluatorOf(
  operator: Operator,
  value: string,
  context: TestContext = { today: noToday },
): (stored: readonly string[]) => boolean {
  const test = compileTest(operator, value, context);
  return (stored) => isMet(test, listOf(stored));
}

function listOf(stored: readonly string[]): FieldValues {
  return stored.reduce<FieldValues>((next, text) => (text === '' ? next : new Value(text, next)), undefined);
}

function ofTexts(definition: Omit<OperatorDefinition, 'searches'>): OperatorDefinition {
  return { ...definition, searches: false };
}

function searching(isNegated: boolean): OperatorDefinition {
  return {
    ...{ compares: 'part', isNegated, searches: true },
    testFor: (value) => (stored) => stored.contains(value),
    comparison: () => anyContains,
  };
}

/** Not met if either side is not a decimal number (C4). */
function ofNumbers(accepts: (order: number) => boolean): OperatorDefinition {
  return {
    ...{ compares: 'number', isNegated: false, searches: false },
    testFor: (value) => {
      const bound = parseDecimal(value);
      if (!bound) return () => false;
      return ({ decimal }) => decimal !== null && accepts(compareParsed(decimal, bound));
    },
    comparison: () => comparesNumbers(accepts),
  };
}

/**
 * Not met if either side is not a date (C16). Without a time zone, `today` is several dates. The condition is met if it holds for
 * any of them, which is `mostLenient` of them.
 */
function ofDates(
  mostLenient: 'earliest' | 'latest',
  accepts: (order: number) => boolean,
): OperatorDefinition {
  return {
    ...{ compares: 'date', isNegated: false, searches: false },
    testFor: (value, { today }) => {
      let known: Today | undefined;
      let bound: string | undefined;
      return ({ date }) => {
        if (date === null) return false;
        const now = today();
        if (now !== known) [known, bound] = [now, dayOf(value, now[mostLenient])];
        return bound !== undefined && accepts(date < bound ? -1 : date > bound ? 1 : 0);
      };
    },
    comparison: () => comparesDates(accepts),
  };
}

/** A field without options has no choices, so it includes none. */
function ofChoices(isNegated: boolean): OperatorDefinition {
  return {
    ...{ compares: 'choice', isNegated, searches: false },
    testFor:
      (value, { choicesIn }) =>
      (stored) =>
        stored.choices(choicesIn).has(value),
    comparison: ({ choicesIn }) => anyIncludes(choicesIn),
  };
}

function isText(value: string): Meets {
  return ({ text }) => text === value;
}

function isIn(list: string): Meets {
  const items = new Set(itemsOf(list));
  return ({ text }) => items.has(text);
}

/** Splits a list at its commas, trims the items, and drops empty ones. Stored values are not trimmed (C3). */
export function itemsOf(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
