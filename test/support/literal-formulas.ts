import type { Formula, FormulaOperand } from '../../src/conditions/engine/index.js';
import { decimal } from '../fuzz/model-conditions.js';

/** A number as a fraction. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

const fraction = (over: bigint, under: bigint): Fraction =>
  under < 0n ? { over: -over, under: -under } : { over, under };

function numberIn(text: string): Fraction | undefined {
  const parsed = decimal(text);
  if (parsed === undefined) return undefined;
  const { digits, exponent } = parsed;
  return exponent < 0
    ? fraction(digits, 10n ** BigInt(-exponent))
    : fraction(digits * 10n ** BigInt(exponent), 1n);
}

const plus = (one: Fraction, other: Fraction) =>
  fraction(one.over * other.under + other.over * one.under, one.under * other.under);
const minus = ({ over, under }: Fraction) => fraction(-over, under);
const times = (one: Fraction, other: Fraction) => fraction(one.over * other.over, one.under * other.under);
const isLess = (one: Fraction, other: Fraction) => plus(one, minus(other)).over < 0n;

function rounded({ over, under }: Fraction, scale: number): Fraction {
  const unit = 10n ** BigInt(scale);
  const size = over < 0n ? -over : over;
  const nearest = (2n * size * unit + under) / (2n * under);
  return fraction(over < 0n ? -nearest : nearest, unit);
}

/** Writes a number whose digits end. */
function written(number: Fraction): string | undefined {
  const { over, under } = number;
  let scale = 0;
  while ((over * 10n ** BigInt(scale)) % under !== 0n) scale += 1;
  const units = (over * 10n ** BigInt(scale)) / under;
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const point = digits.length - scale;
  const text = `${units < 0n ? '-' : ''}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ''}`;
  return digits.replace(/^0+/, '').length > 1_000 ? undefined : text;
}

/** Computes a formula as the contract says it, with fractions and calendars (K1). */
export function literalResult(
  formula: Formula,
  textsOf: (code: string) => readonly string[],
  today: string,
): string | undefined {
  const { op, of, scale, with: separator = '' } = formula;
  const answers = (operand: FormulaOperand): string[] => {
    const texts =
      typeof operand === 'string'
        ? textsOf(operand)
        : 'op' in operand
          ? [literalResult(operand, textsOf, today) ?? '']
          : [operand.value === 'today' ? today : operand.value];
    return texts.filter((text) => text.trim() !== '');
  };
  const operands = of.map(answers);
  const all = operands.flat();
  const numbers = all.map(numberIn).filter((number) => number !== undefined);
  const only = operands.map((texts) => (texts.length === 1 ? texts[0] : undefined));
  const [first, second] = only.map((text) => (text === undefined ? undefined : numberIn(text)));
  const [from, to] = only.map((text) => (text === undefined ? undefined : dateIn(text.trim())));
  const sum = numbers.reduce(plus, fraction(0n, 1n));
  switch (op) {
    case 'sum':
      return written(sum);
    case 'count':
      return String(all.length);
    case 'min':
    case 'max': {
      const [best] = numbers.toSorted((one, other) => (isLess(one, other) === (op === 'min') ? -1 : 1));
      return best && written(best);
    }
    case 'average':
      return numbers.length === 0
        ? undefined
        : written(rounded(times(sum, fraction(1n, BigInt(numbers.length))), scale ?? 20));
    case 'join':
      return all.length === 0 ? undefined : all.join(separator);
    case 'difference':
      return first && second && written(plus(first, minus(second)));
    case 'quotient':
      return first && second && second.over !== 0n
        ? written(rounded(times(first, fraction(second.under, second.over)), scale ?? 20))
        : undefined;
    case 'round':
      return first && written(rounded(first, scale ?? 0));
    case 'product':
      return operands.some((texts) => texts.length === 0) || numbers.length < all.length
        ? undefined
        : written(numbers.reduce(times, fraction(1n, 1n)));
    case 'days_between':
      return from && to && String((to.getTime() - from.getTime()) / 86_400_000);
    case 'months_between':
    case 'years_between':
      return from && to && String(wholeUnits(from, to, op === 'months_between' ? 1 : 12));
  }
}

function dateIn(text: string): Date | undefined {
  const date = new Date(`${text}T00:00Z`);
  const exists = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime());
  return exists && date.toISOString().startsWith(text) ? date : undefined;
}

/** Counts how many whole units before `to` are still not before `from`. A shorter month takes its last day, as in `today-1m` (J11). */
function wholeUnits(from: Date, to: Date, months: number): number {
  if (to < from) return -wholeUnits(to, from, months) || 0;
  const before = (count: number) => {
    const month = to.getUTCMonth() - count * months;
    const lastDay = new Date(Date.UTC(to.getUTCFullYear(), month + 1, 0)).getUTCDate();
    return Date.UTC(to.getUTCFullYear(), month, Math.min(to.getUTCDate(), lastDay));
  };
  let count = 0;
  while (before(count + 1) >= from.getTime()) count += 1;
  return count;
}
