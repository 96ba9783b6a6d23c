import {
  add,
  compare,
  divide,
  formatExact,
  multiply,
  parseExact,
  round,
  sumOf,
  type Exact,
} from './exact.js';

const exact = (text: string) => parseExact(text) as Exact;

it.each([
  ['0', '0'],
  ['-0.00', '0'],
  ['1.50', '1.5'],
  ['-12.340', '-12.34'],
  ['+007', '7'],
  ['.5', '0.5'],
  ['5.', '5'],
  [' 1e3 ', '1000'],
  ['12e-3', '0.012'],
  ['100e-2', '1'],
  ['0e999999999999', '0'],
  ['1e0000000000000000003', '1000'],
  [`1e999`, `1${'0'.repeat(999)}`],
  [`1e-1000`, `0.${'0'.repeat(999)}1`],
])('writes %j as %j', (text, expected) => {
  expect(formatExact(exact(text))).toBe(expected);
});

it.each(['1e1000', '1e-1001', '1e999999999', '-1e-99999999999999999999', '9'.repeat(1_001)])(
  'says that %.20s has too many digits',
  (text) => {
    expect(parseExact(text)).toBe('too long');
  },
);

it.each(['', 'one', '1,5', '1e', '--1', '0x1'])('reads %j as no number', (text) => {
  expect(parseExact(text)).toBeUndefined();
});

it('does not write a result of more than 1,000 digits', () => {
  expect(formatExact(multiply(exact('1e500'), exact('1e498')))).toHaveLength(999);
  expect(formatExact(multiply(exact('1e500'), exact('1e500')))).toBeUndefined();
});

it.each([
  ['1', '3', 2, '0.33'],
  ['2', '3', 2, '0.67'],
  ['1', '8', 2, '0.13'],
  ['-1', '8', 2, '-0.13'],
  ['1', '-8', 2, '-0.13'],
  ['-1', '-8', 2, '0.13'],
  ['1', '2', 0, '1'],
  ['-1', '2', 0, '-1'],
  ['0.0449', '1', 2, '0.04'],
  ['1e-20', '3e-40', 0, '33333333333333333333'],
  ['7', '0.07', 20, '100'],
])('%s / %s with %i decimal places is %s, half away from zero', (dividend, divisor, scale, expected) => {
  expect(formatExact(divide(exact(dividend), exact(divisor), scale))).toBe(expected);
});

it('adds, compares and rounds numbers of different scales exactly', () => {
  expect(formatExact(add(exact('0.1'), exact('0.2')))).toBe('0.3');
  expect(formatExact(add(exact('1e-50'), exact('1e50')))).toBe(`1${'0'.repeat(50)}.${'0'.repeat(49)}1`);
  expect(compare(exact('1.10'), exact('1.1'))).toBe(0);
  expect(compare(exact('-2'), exact('1e-300'))).toBe(-1);
  expect(compare(exact('1e300'), exact('99'))).toBe(1);
  expect(formatExact(round(exact('2.5'), 0))).toBe('3');
  expect(formatExact(round(exact('-2.45'), 1))).toBe('-2.5');
  expect(formatExact(round(exact('2.5'), 3))).toBe('2.5');
});

it('sums the texts that are numbers', () => {
  const sum = sumOf(['1.1', ' 2.2 ', 'x', '', '1e5000', '-0.3']);
  expect(sum && formatExact(sum)).toBe('3');
  expect(sumOf(['', 'x'])).toBeUndefined();
});
