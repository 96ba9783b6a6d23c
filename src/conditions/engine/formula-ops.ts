import { isBlank } from './blank.js';
import { daysBetween, isDate, monthsBetween, yearsBetween } from './dates.js';
import {
  add,
  compare,
  divide,
  type Exact,
  formatExact,
  multiply,
  negate,
  parseExact,
  round,
  ZERO,
} from './exact.js';
import type { FieldValues, Value } from './field-values.js';
import type { Formula, FormulaOp } from './formula.js';

/** The most characters of a joined text. A submission may have a thousand of them. */
const MAX_JOINED = 1_000;
/** The decimal places of a quotient and an average, if the formula does not say how many. */
const DEFAULT_SCALE = 20;
const ONE: Exact = { units: 1n, scale: 0 };
/** A product that exceeds this before its last factor is empty, so that no product takes long. */
const LARGEST_PRODUCT = 10n ** 2_000n;

/** The values of an operand, parsed. Blank ones are left out. */
export interface Content {
  /** In the order of the values. */
  readonly texts: readonly string[];
  /** Those of the texts that are numbers. */
  readonly numbers: readonly Exact[];
  /** Whether a number has too many digits to compute with it. */
  readonly hasTooLong: boolean;
  /** Undefined without numbers. */
  readonly total: Total | undefined;
}

interface Total {
  readonly sum: Exact;
  readonly least: Exact;
  readonly most: Exact;
  readonly count: number;
}

type Compute = (operands: readonly Content[], formula: Formula) => string | undefined;

/** The one place that lists what formulas can compute (K1). Operands that are blank or do not fit do not count, or make the result empty. */
export const COMPUTE: Readonly<Record<FormulaOp, Compute>> = {
  sum: ofTotal(({ sum }) => sum, ZERO),
  min: ofTotal(({ least }) => least),
  max: ofTotal(({ most }) => most),
  average: ofTotal(({ sum, count }, { scale = DEFAULT_SCALE }) =>
    divide(sum, { units: BigInt(count), scale: 0 }, scale),
  ),
  count: (operands) => String(operands.reduce((count, { texts }) => count + texts.length, 0)),
  join: (operands, { with: separator = '' }) => {
    const joined = operands.flatMap(({ texts }) => texts).join(separator);
    return joined === '' || joined.length > MAX_JOINED ? undefined : joined;
  },
  difference: ofNumbers((first, second) => add(first, negate(second))),
  quotient: ofNumbers((dividend, divisor, { scale = DEFAULT_SCALE }) =>
    divisor.units === 0n ? undefined : divide(dividend, divisor, scale),
  ),
  round: ofNumbers((number, _, { scale = 0 }) => round(number, scale)),
  product: productOf,
  days_between: ofDates(daysBetween),
  months_between: ofDates(monthsBetween),
  years_between: ofDates(yearsBetween),
};

/** Computes from all numbers of all operands. `ofNone` is the result without any. */
function ofTotal(compute: (total: Total, formula: Formula) => Exact, ofNone?: Exact): Compute {
  return (operands, formula) => {
    if (operands.some(({ hasTooLong }) => hasTooLong)) return undefined;
    const total = operands.reduce<Total | undefined>((all, { total }) => together(all, total), undefined);
    const result = total === undefined ? ofNone : compute(total, formula);
    return result && formatExact(result);
  };
}

/** Computes from one number of each operand. A formula with one operand has it twice. */
function ofNumbers(compute: (first: Exact, second: Exact, formula: Formula) => Exact | undefined): Compute {
  return ([first, second = first], formula) => {
    const [one, other] = [onlyNumber(first), onlyNumber(second)];
    const result = one && other && compute(one, other, formula);
    return result && formatExact(result);
  };
}

const onlyNumber = (content: Content | undefined): Exact | undefined =>
  content?.texts.length === 1 ? content.numbers[0] : undefined;

/** Has a factor for each value of each operand. */
function productOf(operands: readonly Content[]): string | undefined {
  let product = ONE;
  for (const { texts, numbers } of operands) {
    if (texts.length === 0 || numbers.length < texts.length) return undefined;
    for (const number of numbers) {
      product = multiply(product, number);
      if (product.units > LARGEST_PRODUCT || product.units < -LARGEST_PRODUCT) return undefined;
    }
  }
  return formatExact(product);
}

/** Computes from one date of each operand. */
function ofDates(compute: (first: string, second: string) => number): Compute {
  return ([first, second]) => {
    const [one, other] = [onlyDate(first), onlyDate(second)];
    return one === undefined || other === undefined ? undefined : String(compute(one, other));
  };
}

function onlyDate(content: Content | undefined): string | undefined {
  const text = content?.texts.length === 1 ? content.texts[0]?.trim() : undefined;
  return text !== undefined && isDate(text) ? text : undefined;
}

function together(one: Total | undefined, other: Total | undefined): Total | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    sum: add(one.sum, other.sum),
    least: compare(other.least, one.least) < 0 ? other.least : one.least,
    most: compare(other.most, one.most) > 0 ? other.most : one.most,
    count: one.count + other.count,
  };
}

const NOTHING: Content = { texts: [], numbers: [], hasTooLong: false, total: undefined };
/** By the first value of a list, because many formulas may compute with the same values. */
const contents = new WeakMap<Value, Content>();

export function contentOf(values: FieldValues): Content {
  if (values === undefined) return NOTHING;
  let content = contents.get(values);
  if (content === undefined) contents.set(values, (content = readContent(values)));
  return content;
}

function readContent(values: Value): Content {
  const texts: string[] = [];
  for (let value: FieldValues = values; value !== undefined; value = value.next)
    if (!isBlank(value.text)) texts.push(value.text);
  // A list begins with the value that was added last.
  texts.reverse();
  const numbers: Exact[] = [];
  let hasTooLong = false;
  for (const text of texts) {
    const number = parseExact(text);
    if (number === 'too long') hasTooLong = true;
    else if (number !== undefined) numbers.push(number);
  }
  const total = numbers.reduce<Total | undefined>(
    (all, number) => together(all, { sum: number, least: number, most: number, count: 1 }),
    undefined,
  );
  return { texts, numbers, hasTooLong, total };
}
