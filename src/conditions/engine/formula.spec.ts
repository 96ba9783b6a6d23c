import { compileRules } from './compile.js';
import { compileFormula } from './compile-formula.js';
import { type Formula, operandsOf, usesToday } from './formula.js';
import { type FieldValues, Value } from './field-values.js';
import { HIDDEN_VALUES } from './vocabulary.js';

const TODAY = { earliest: '2026-11-27', latest: '2026-11-29', single: '2026-11-28' };

/** Computes a formula with the values of fields, which may be several. */
function computed(formula: Formula, fields: Readonly<Record<string, string | readonly string[]>> = {}) {
  const codes = Object.keys(fields);
  const values = Object.values(fields).map((texts) =>
    [texts]
      .flat()
      .reduce<FieldValues>((next, text) => (text === '' ? next : new Value(text, next)), undefined),
  );
  const sourceOf = (code: string) => (codes.includes(code) ? codes.indexOf(code) : undefined);
  return compileFormula(formula, { today: () => TODAY, sourceOf })(values);
}

const constants = (...values: string[]) => values.map((value) => ({ value }));
const many = (count: number, text: string) => Array.from({ length: count }, () => text);

describe('formulas (K1)', () => {
  it.each<[Formula['op'], string[], string | undefined, Partial<Formula>?]>([
    ['sum', ['0.1', '0.2'], '0.3'],
    ['sum', ['1', '', 'x', ' \u200b', '2e2'], '201'],
    ['sum', ['', 'x'], '0'],
    ['sum', [' 7 ', '-7.0'], '0'],
    ['sum', ['1e999', '1e-1000'], undefined],
    ['sum', ['1e1000', '-1e1000'], undefined],
    ['min', ['3', '-2.50', 'x'], '-2.5'],
    ['max', ['3', '-2.50', ''], '3'],
    ['min', ['x'], undefined],
    ['max', [''], undefined],
    ['average', ['1', '2', '2', 'x'], '1.66666666666666666667'],
    ['average', ['1', '2'], '1.5'],
    ['average', ['1', '2', '2'], '1.7', { scale: 1 }],
    ['average', [''], undefined],
    ['count', ['', ' ', 'x', '0'], '2'],
    ['count', [''], '0'],
    ['difference', ['5', '7.25'], '-2.25'],
    ['difference', ['5', ''], undefined],
    ['difference', ['x', '1'], undefined],
    ['product', ['1.5', '2', '-4'], '-12'],
    ['product', ['1.5', ''], undefined],
    ['product', ['1.5', 'x'], undefined],
    ['product', ['1e500', '1e500'], undefined],
    ['product', ['1e900', '1e900', '1e-900'], `1${'0'.repeat(900)}`],
    ['quotient', ['1', '3'], '0.33333333333333333333'],
    ['quotient', ['2', '3'], '0.67', { scale: 2 }],
    ['quotient', ['-1', '8'], '-0.13', { scale: 2 }],
    ['quotient', ['1', '2'], '1', { scale: 0 }],
    ['quotient', ['1', '0.0'], undefined],
    ['quotient', ['1', ''], undefined],
    ['round', ['2.5'], '3'],
    ['round', ['-2.5'], '-3'],
    ['round', ['2.345'], '2.35', { scale: 2 }],
    ['round', ['2.3'], '2.3', { scale: 20 }],
    ['round', ['x'], undefined],
    ['days_between', ['2026-02-27', '2026-03-01'], '2'],
    ['days_between', ['2026-03-01', ' 2026-02-27 '], '-2'],
    ['days_between', ['2026-03-01', 'today'], '272'],
    ['days_between', ['2026-03-01', '2026-02-30'], undefined],
    ['days_between', ['2026-03-01', ''], undefined],
    ['months_between', ['2026-01-31', '2026-02-28'], '0'],
    ['months_between', ['2026-02-28', '2026-01-28'], '-1'],
    ['years_between', ['2008-11-28', 'today'], '18'],
    ['years_between', ['2008-11-29', 'today'], '17'],
    ['join', ['Ada', '', ' Lovelace'], 'Ada Lovelace'],
    ['join', ['Ada', '', 'Lovelace'], 'Ada, Lovelace', { with: ', ' }],
    ['join', ['', ' '], undefined],
    ['join', many(2, 'x'.repeat(500)), 'x'.repeat(1_000)],
    ['join', many(2, 'x'.repeat(501)), undefined],
  ])('%s of %j is %s', (op, values, expected, rest = {}) => {
    expect(computed({ op, of: constants(...values), ...rest })).toBe(expected);
  });

  it('computes with all values of a repeatable field, where one value is not needed', () => {
    const fields = { price: ['1', '2', 'x', '', '3'], name: ['b', 'a'], one: '4' };
    const results = { sum: '6', min: '1', max: '3', average: '2', count: '4' } as const;
    for (const [op, expected] of Object.entries(results))
      expect([op, computed({ op: op as Formula['op'], of: ['price'] }, fields)]).toEqual([op, expected]);
    expect(computed({ op: 'join', of: ['name'], with: '+' }, fields)).toBe('b+a');
    expect(computed({ op: 'product', of: ['price'] }, fields)).toBeUndefined();
    expect(computed({ op: 'product', of: ['price', 'one'] }, { price: ['2', '3'], one: '4' })).toBe('24');
    expect(
      computed({ op: 'difference', of: ['price', 'one'] }, { price: ['2', '3'], one: '4' }),
    ).toBeUndefined();
    expect(computed({ op: 'difference', of: ['price', 'one'] }, { price: ['2'], one: '4' })).toBe('-2');
  });

  it('uses the results of formulas in formulas, also if they are empty', () => {
    const share: Formula = { op: 'quotient', of: ['part', { op: 'sum', of: ['part', 'rest'] }], scale: 3 };
    expect(computed(share, { part: '1', rest: '2' })).toBe('0.333');
    expect(computed(share, { part: '1', rest: '-1' })).toBeUndefined();
    expect(computed({ op: 'sum', of: [share, { value: '5' }] }, { part: '1', rest: '-1' })).toBe('5');
  });

  it('knows no value of a field that the form does not have, or that is retired', () => {
    expect(computed({ op: 'sum', of: ['gone', { value: '1' }] })).toBe('1');
    expect(computed({ op: 'product', of: ['gone', { value: '1' }] })).toBeUndefined();
    expect(computed({ op: 'count', of: ['toString', '__proto__'] })).toBe('0');
  });

  it('names its operands, and says whether it uses the date of today', () => {
    const formula: Formula = { op: 'sum', of: ['a', { op: 'round', of: ['b'] }, { value: 'c' }] };
    expect(operandsOf(formula)).toEqual(['a', 'b']);
    expect(usesToday(formula)).toBe(false);
    const age: Formula = { op: 'years_between', of: ['birth', { value: 'today' }] };
    expect(usesToday(age)).toBe(true);
    expect(usesToday({ op: 'round', of: [age] })).toBe(true);
    expect(usesToday({ op: 'join', of: ['today'] })).toBe(false);
  });
});

it('a form without formulas has nothing to compute, with any setting (K3)', () => {
  const fields = [{ id: 1, code: 'a', isRequired: false, conditions: [] }];
  for (const hiddenValues of HIDDEN_VALUES)
    expect(compileRules(fields, { hiddenValues }).computed).toBeUndefined();
});
