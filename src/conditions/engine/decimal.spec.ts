import fc from 'fast-check';
import { compareDecimals } from './index.js';

const nines = '9'.repeat(60_000);
const powerOfTen = `1${'0'.repeat(60_000)}`;

describe('C4: a decimal number', () => {
  it.each('5 +5 5. 5.0 05 .5e1 50E-1 5e0 5E+0 5e-0 0.05e+2'.split(' ').concat(' 5 ', '\t\n5\u00a0'))(
    'is read from %j, as five',
    (text) => {
      expect([compareDecimals(text, '5'), compareDecimals('5', text)]).toEqual([0, 0]);
    },
  );

  it.each(`0 -0 +0 .0 0. -0.000 0e5 -0e-99 0e${nines}`.split(' '))('is read as zero (%#)', (text) => {
    expect(['-1', '0', '1'].map((other) => compareDecimals(text, other))).toEqual([1, 0, -1]);
  });

  it.each([
    ...['', ' ', '- 1', '1 000', '\u0665'],
    ...'. + - -. e5 .e5 1e 1e+ 1e5. 1e5.5 1e5e5 --1 +-1 1,5 1_000 1.2.3 0x10 0b1 1n'.split(' '),
    ...'Infinity -Infinity NaN five 5a'.split(' '),
  ])('is not read from %j', (text) => {
    expect([compareDecimals(text, '5'), compareDecimals('5', text)]).toEqual([null, null]);
  });
});

describe('C4: decimal numbers are compared exactly', () => {
  it.each([
    ['0.1', '0.10000000000000000000000000001'],
    ['1e308', '1e309'],
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
  ])('finds the lesser of two (%#)', (less, greater) => {
    expect([compareDecimals(less, greater), compareDecimals(greater, less)]).toEqual([-1, 1]);
  });

  it.each([
    ['1e0000000000000000000000000000000003', '1000'],
    [powerOfTen, '1e60000'],
    [`0.${'0'.repeat(59_999)}1`, '1e-60000'],
    [`10e${nines}`, `1e${powerOfTen}`],
    [`100e-${powerOfTen}`, `10e-${nines}`],
    [`${powerOfTen}e1000000000`, '1e1000060000'],
  ])('finds two spellings equal (%#)', (left, right) => {
    expect([compareDecimals(left, right), compareDecimals(right, left)]).toEqual([0, 0]);
  });

  const digits = (minLength: number) =>
    fc.string({ unit: fc.constantFrom('0', '0', '1', '9'), minLength, maxLength: 12 });
  const decimals = fc.record({
    negative: fc.boolean(),
    integer: digits(1),
    fraction: digits(0),
    exponent: fc.integer({ min: -20, max: 20 }),
  });
  /** The same number with its point moved and zeros around it, sometimes with one more digit at the end. */
  const respelled = fc
    .tuple(decimals, fc.nat(12), fc.constantFrom('', '1'))
    .map(([one, position, tail]): [Spelling, Spelling] => {
      const moved = Math.min(position, one.fraction.length);
      const integer = `00${one.integer}${one.fraction.slice(0, moved)}`;
      const fraction = `${one.fraction.slice(moved)}000${tail}`;
      return [one, { ...one, integer, fraction, exponent: one.exponent - moved }];
    });

  it('as BigInt compares the same numbers scaled to integers', () => {
    const met = new Set<number | null>();
    fc.assert(
      fc.property(fc.oneof(respelled, fc.tuple(decimals, decimals)), ([left, right]) => {
        const difference = scaled(left) - scaled(right);
        const order = compareDecimals(spell(left), spell(right));
        expect(order).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
        met.add(order);
      }),
      { numRuns: 500 },
    );
    expect(met.size).toBe(3);
  });
});

interface Spelling {
  readonly negative: boolean;
  readonly integer: string;
  readonly fraction: string;
  readonly exponent: number;
}

function spell({ negative, integer, fraction, exponent }: Spelling): string {
  return `${negative ? '-' : ''}${integer}${fraction && `.${fraction}`}${exponent === 0 ? '' : `e${exponent}`}`;
}

function scaled({ negative, integer, fraction, exponent }: Spelling): bigint {
  const magnitude = BigInt(integer + fraction) * 10n ** BigInt(80 + exponent - fraction.length);
  return negative ? -magnitude : magnitude;
}
