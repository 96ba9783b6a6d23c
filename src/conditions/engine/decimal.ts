/** sign × 0.digits × 10^(exponent + shift). The exponent is text, because it may have any number of digits. */
export interface Decimal {
  readonly sign: -1 | 0 | 1;
  /** Has no leading or trailing zeros, so that the texts sort like the fractions. */
  readonly digits: string;
  readonly exponentSign: -1 | 1;
  readonly exponent: string;
  readonly shift: number;
}

// Larger than the difference of any two shifts: a shift is at most the length of a string, which is below 2^30.
const BEYOND_ANY_SHIFT = 2 ** 40;

const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);

/**
 * Parses a decimal number (C4) in linear time. Returns null if the text is not a decimal number. Parsing is most of the cost of a
 * numeric condition, and a regular expression would take twice as long.
 */
export function parseDecimal(text: string): Decimal | null {
  const number = text.trim();
  const integerStart = afterSign(number, 0);
  const integerEnd = afterDigits(number, integerStart);
  const fractionStart = number[integerEnd] === '.' ? integerEnd + 1 : integerEnd;
  const fractionEnd = afterDigits(number, fractionStart);
  const digits = number.slice(integerStart, integerEnd) + number.slice(fractionStart, fractionEnd);
  if (digits === '') return null;

  let exponentStart = fractionEnd;
  let end = fractionEnd;
  if (number[fractionEnd] === 'e' || number[fractionEnd] === 'E') {
    exponentStart = afterSign(number, fractionEnd + 1);
    end = afterDigits(number, exponentStart);
    if (end === exponentStart) return null;
  }
  if (end !== number.length) return null;

  let first = 0;
  let last = digits.length;
  while (first < last && digits.charCodeAt(first) === ZERO) first++;
  while (last > first && digits.charCodeAt(last - 1) === ZERO) last--;
  return {
    sign: first === last ? 0 : number[0] === '-' ? -1 : 1,
    digits: digits.slice(first, last),
    exponentSign: number[exponentStart - 1] === '-' ? -1 : 1,
    exponent: number.slice(exponentStart, end),
    shift: integerEnd - integerStart - first,
  };
}

const afterSign = (text: string, at: number): number => (text[at] === '+' || text[at] === '-' ? at + 1 : at);

function afterDigits(text: string, at: number): number {
  while (at < text.length && text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= NINE) at++;
  return at;
}

/** Returns -1, 0 or 1 if `left` is less than, equal to or greater than `right`. Exact for numbers of any size (C4). */
export function compareParsed(left: Decimal, right: Decimal): number {
  if (left.sign !== right.sign) return left.sign < right.sign ? -1 : 1;
  if (left.sign === 0) return 0;
  return left.sign < 0 ? compareMagnitudes(right, left) : compareMagnitudes(left, right);
}

export const isDecimal = (text: string): boolean => parseDecimal(text) !== null;

/** Compares two texts as decimal numbers (C4). Returns -1, 0 or 1, or null if one of them is not a decimal number. */
export function compareDecimals(left: string, right: string): number | null {
  const parsedLeft = parseDecimal(left);
  const parsedRight = parseDecimal(right);
  return parsedLeft && parsedRight && compareParsed(parsedLeft, parsedRight);
}

function compareMagnitudes(left: Decimal, right: Decimal): number {
  const scale = exponentDifference(left, right) + left.shift - right.shift;
  if (scale !== 0) return scale < 0 ? -1 : 1;
  if (left.digits === right.digits) return 0;
  return left.digits < right.digits ? -1 : 1;
}

/** Exact unless it exceeds BEYOND_ANY_SHIFT. Beyond that only the sign matters, and further digits cannot change the sign. */
function exponentDifference(left: Decimal, right: Decimal): number {
  let difference = 0;
  for (let place = Math.max(left.exponent.length, right.exponent.length); place > 0; place--) {
    difference = difference * 10 + exponentDigit(left, place) - exponentDigit(right, place);
    if (Math.abs(difference) > BEYOND_ANY_SHIFT) break;
  }
  return difference;
}

/** Returns the signed digit at a position. The last digit has position 1. Returns 0 if there are fewer digits. */
function exponentDigit({ exponent, exponentSign }: Decimal, place: number): number {
  return place > exponent.length ? 0 : exponentSign * (exponent.charCodeAt(exponent.length - place) - ZERO);
}
