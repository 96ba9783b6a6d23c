import { parseDecimal } from './decimal.js';

/** The number `units / 10 ** scale`. */
export interface Exact {
  readonly units: bigint;
  /** Not negative. */
  readonly scale: number;
}

/** Maximum digits of a number that is written out, before and after the point together. */
export const MAX_DIGITS = 1_000;

export const ZERO: Exact = { units: 0n, scale: 0 };

/** Undefined if the text is not a decimal number (C4). `too long` if it has more than {@link MAX_DIGITS} digits. */
export function parseExact(text: string): Exact | 'too long' | undefined {
  const decimal = parseDecimal(text);
  if (decimal === null) return undefined;
  const { sign, digits, exponent, exponentSign, shift } = decimal;
  if (sign === 0) return ZERO;
  const significant = exponent.replace(/^0+/, '');
  if (significant.length > 9) return 'too long';
  /** The digits before the point. If negative, the zeros after the point. */
  const point = exponentSign * Number(significant) + shift;
  const scale = Math.max(digits.length - point, 0);
  if (Math.max(point, 0) + scale > MAX_DIGITS) return 'too long';
  const units = BigInt(digits) * powerOfTen(Math.max(point - digits.length, 0));
  return { units: sign < 0 ? -units : units, scale };
}

const powers: bigint[] = [];
const powerOfTen = (exponent: number): bigint => (powers[exponent] ??= 10n ** BigInt(exponent));

const unitsAt = ({ units, scale }: Exact, wanted: number): bigint => units * powerOfTen(wanted - scale);

export function add(left: Exact, right: Exact): Exact {
  const scale = Math.max(left.scale, right.scale);
  return { units: unitsAt(left, scale) + unitsAt(right, scale), scale };
}

export const negate = ({ units, scale }: Exact): Exact => ({ units: -units, scale });

export const multiply = (left: Exact, right: Exact): Exact => ({
  units: left.units * right.units,
  scale: left.scale + right.scale,
});

/** Returns -1, 0 or 1. */
export function compare(left: Exact, right: Exact): number {
  const scale = Math.max(left.scale, right.scale);
  const difference = unitsAt(left, scale) - unitsAt(right, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Rounds the quotient to `scale` decimal places, half away from zero. `divisor` must not be zero. */
export function divide(dividend: Exact, divisor: Exact, scale: number): Exact {
  const shift = scale + divisor.scale - dividend.scale;
  const numerator = dividend.units * powerOfTen(Math.max(shift, 0));
  const denominator = divisor.units * powerOfTen(Math.max(-shift, 0));
  return { units: roundedQuotient(numerator, denominator), scale };
}

export const round = (number: Exact, scale: number): Exact =>
  number.scale <= scale ? number : divide(number, { units: 1n, scale: 0 }, scale);

function roundedQuotient(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const doubled = 2n * (numerator % denominator);
  if (magnitude(doubled) < magnitude(denominator)) return quotient;
  return quotient + (numerator < 0n === denominator < 0n ? 1n : -1n);
}

const magnitude = (number: bigint): bigint => (number < 0n ? -number : number);

/** Writes a number without an exponent and without zeros at its end. Undefined if it has more than {@link MAX_DIGITS} digits. */
export function formatExact({ units, scale }: Exact): string | undefined {
  if (units === 0n) return '0';
  const digits = String(magnitude(units)).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  if ((whole === '0' ? 0 : whole.length) + fraction.length > MAX_DIGITS) return undefined;
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The sum of these numbers. Texts that are no numbers, or too long, do not count. Undefined if none counts. */
export function sumOf(texts: Iterable<string>): Exact | undefined {
  let sum: Exact | undefined;
  for (const text of texts) {
    const number = parseExact(text);
    if (number !== undefined && number !== 'too long') sum = sum === undefined ? number : add(sum, number);
  }
  return sum;
}
