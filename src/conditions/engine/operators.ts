import { compareParsed, parseDecimal } from './decimal.js';
import { type FieldValues, Value } from './field-values.js';

/** Everything that distinguishes an operator from the others. */
export interface OperatorDefinition {
  /**
   * How the operator reads the value of the condition. `text`: compared with the whole stored text. `part`: a stored text that begins
   * with it passes the test; others may pass too. `list`: texts separated by commas. `nothing`: the operator ignores it.
   */
  readonly compares: 'text' | 'part' | 'list' | 'number' | 'nothing';
  /** Whether the condition is met if no stored value passes the test, instead of any (C7). */
  readonly isNegated: boolean;
  /** Whether the test calls {@link Value.contains}, whose searches are executed before an evaluation if they take long. */
  readonly searches: boolean;
  /** Returns the test for a condition with this value. */
  readonly testFor: (value: string) => Test['meets'];
}

/** The one place that lists the operators. All other code reads it. */
const TABLE = {
  equals: { compares: 'text', isNegated: false, searches: false, testFor: isText },
  not_equals: { compares: 'text', isNegated: true, searches: false, testFor: isText },
  contains: {
    compares: 'part',
    isNegated: false,
    searches: true,
    testFor: (value) => (stored) => stored.contains(value),
  },
  greater_than: {
    compares: 'number',
    isNegated: false,
    searches: false,
    testFor: (value) => comparesAs(1, value),
  },
  less_than: {
    compares: 'number',
    isNegated: false,
    searches: false,
    testFor: (value) => comparesAs(-1, value),
  },
  in: { compares: 'list', isNegated: false, searches: false, testFor: isIn },
  not_in: { compares: 'list', isNegated: true, searches: false, testFor: isIn },
  empty: { compares: 'nothing', isNegated: true, searches: false, testFor: () => () => true },
  not_empty: { compares: 'nothing', isNegated: false, searches: false, testFor: () => () => true },
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

export function compileTest(operator: Operator, value: string): Test {
  const { isNegated, testFor } = OPERATOR_TABLE[operator];
  return { negated: isNegated, meets: testFor(value) };
}

/** Returns a function that evaluates a condition with this operator and value against the stored values of its field. */
export function evaluatorOf(operator: Operator, value: string): (stored: readonly string[]) => boolean {
  const test = compileTest(operator, value);
  return (stored) =>
    isMet(
      test,
      stored.reduce<FieldValues>((next, text) => (text === '' ? next : new Value(text, next)), undefined),
    );
}

function isText(value: string): Test['meets'] {
  return ({ text }) => text === value;
}

function isIn(list: string): Test['meets'] {
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

/** Not met if either side is not a decimal number (C4). */
function comparesAs(order: -1 | 1, value: string): Test['meets'] {
  const bound = parseDecimal(value);
  if (!bound) return () => false;
  return ({ decimal }) => decimal !== null && compareParsed(decimal, bound) === order;
}
