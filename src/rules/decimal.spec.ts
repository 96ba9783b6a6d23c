import { compareDecimals } from './index.js';

const LONGEST = 65_535;
const nines = '9'.repeat(60_000);
const powerOfTen = `1${'0'.repeat(60_000)}`;

describe('C4: a decimal number may have a sign, a point and an exponent', () => {
  it.each([
    '5',
    '+5',
    '5.',
    '5.0',
    '05',
    '.5e1',
    '50E-1',
    '5e0',
    '5E+0',
    '5e-0',
    '0.05e+2',
    ' 5 ',
    '\t\n5\u00a0',
  ])('reads %j as five', (text) => {
    expect(compareDecimals(text, '5')).toBe(0);
    expect(compareDecimals('5', text)).toBe(0);
  });

  it.each(['0', '-0', '+0', '.0', '0.', '-0.000', '0e5', '-0e-99', `0e${nines}`])(
    'reads %j as zero',
    (text) => {
      expect(compareDecimals(text, '0')).toBe(0);
      expect(compareDecimals(text, '-1')).toBe(1);
      expect(compareDecimals(text, '1')).toBe(-1);
    },
  );

  it.each([
    ...[
      '',
      ' ',
      '.',
      '+',
      '-',
      '-.',
      'e5',
      '.e5',
      '1e',
      '1e+',
      '1e5.',
      '1e5.5',
      '1e5e5',
      '--1',
      '+-1',
      '- 1',
    ],
    ...[
      '1 000',
      '1,5',
      '1_000',
      '1.2.3',
      '0x10',
      '0b1',
      '1n',
      'Infinity',
      '-Infinity',
      'NaN',
      'five',
      '5a',
      '\u0665',
    ],
  ])('rejects %j', (text) => {
    expect(compareDecimals(text, '5')).toBeNull();
    expect(compareDecimals('5', text)).toBeNull();
  });
});

describe('C4: decimal numbers are compared exactly, even beyond the range of a double', () => {
  it.each(
    [
      ['9', '10'],
      ['-10', '-9'],
      ['-5', '5'],
      ['-0.1', '0'],
      ['1.05', '1.5'],
      ['0.1', '0.10000000000000000000000000001'],
      ['9007199254740992', '9007199254740993'],
      ['1e308', '1e309'],
      ['1e-400', '1e-399'],
      ['-1e400', '-1e399'],
      ['1e-999999999999', '1e999999999999'],
      ['9.99e999999999998', '1e999999999999'],
      ['1e-99999999999999999999', '1e-9999999999999999999'],
      [nines, powerOfTen],
      [`0.${nines}`, '1'],
      [`${powerOfTen}.1`, `${powerOfTen}.2`],
      [`1e${nines}`, `1e${powerOfTen}`],
      [`9.9e${nines}`, `1e${powerOfTen}`],
      [`1e-${powerOfTen}`, `1e-${nines}`],
      [`-1e${powerOfTen}`, `-1e${nines}`],
      [`1e-${nines}`, `1e${nines}`],
    ].map(([less = '', greater = '']) => ({
      less,
      greater,
      title: `${brief(less)} less than ${brief(greater)}`,
    })),
  )('finds $title', ({ less, greater }) => {
    expect(compareDecimals(less, greater)).toBe(-1);
    expect(compareDecimals(greater, less)).toBe(1);
  });

  it.each(
    [
      ['1000', '1e3'],
      ['0.001', '1e-3'],
      ['-12.50', '-1250e-2'],
      ['1e0000000000000000000000000000000003', '1000'],
      [powerOfTen, '1e60000'],
      [`0.${'0'.repeat(59_999)}1`, '1e-60000'],
      [`10e${nines}`, `1e${powerOfTen}`],
      [`100e-${powerOfTen}`, `10e-${nines}`],
      [`${powerOfTen}e1000000000`, '1e1000060000'],
    ].map(([left = '', right = '']) => ({ left, right, title: `${brief(left)} equal to ${brief(right)}` })),
  )('finds $title', ({ left, right }) => {
    expect(compareDecimals(left, right)).toBe(0);
    expect(compareDecimals(right, left)).toBe(0);
  });
});

describe('C4: every text of the longest stored length is parsed fast', () => {
  const long = (character: string, length = LONGEST) => character.repeat(length);

  it.each([
    ['zeros before a digit', `${long('0', LONGEST - 1)}1`],
    ['zeros before a letter', `${long('0', LONGEST - 1)}x`],
    ['zeros between digits', `1${long('0', LONGEST - 2)}1`],
    ['digits before a letter', `${long('1', LONGEST - 1)}x`],
    ['digits around a point before a letter', `${long('1', 32_000)}.${long('1', 32_000)}x`],
    ['a long exponent', `1e${long('9', LONGEST - 2)}`],
    ['a long exponent before a letter', `1e${long('9', LONGEST - 3)}x`],
    ['an exponent with leading zeros', `1e${long('0', LONGEST - 3)}1`],
    ['white space around a letter', `${long(' ', 32_000)}x${long(' ', 32_000)}`],
    ['white space inside', `1${long(' ', LONGEST - 2)}1`],
    ['points', long('.')],
    ['signs', long('-')],
  ])('parses %s in at most 500 times the time of plain digits', (_, text) => {
    // A cold start costs a factor of tens. At this length, quadratic time would cost a factor of thousands.
    const plain = long('7');
    expect(fastest(() => compareDecimals(text, text))).toBeLessThan(
      500 * fastest(() => compareDecimals(plain, plain)),
    );
  });
});

function brief(text: string): string {
  return text.length <= 32 ? text : `${text.slice(0, 8)}...${text.slice(-8)} (${text.length} characters)`;
}

function fastest(run: () => unknown): number {
  const times = Array.from({ length: 7 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}
