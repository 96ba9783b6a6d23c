import fc from 'fast-check';
import type { ExportedField } from './exported-form.js';
import { distinctCodes, distinctLabels, optionLabels } from './names.js';

const codes = (...all: string[]) => all.map((code) => ({ code }));
const labels = (...all: [code: string, label: string][]) => all.map(([code, label]) => ({ code, label }));

it('distinctCodes() returns the codes, with a prefix for codes that are taken', () => {
  const names = distinctCodes(codes('a', 'status', 'values.status'), ['status']);
  expect(names).toEqual(['a', 'values.values.status', 'values.status']);
});

describe('distinctLabels()', () => {
  it.each([
    ['the labels', labels(['a', 'One'], ['b', 'Two']), ['One', 'Two']],
    ['the code after a shared label', labels(['a', 'Same'], ['b', 'Same']), ['Same (a)', 'Same (b)']],
    ['the code instead of a blank label', labels(['a', ' ']), ['a']],
    ['the code after a label that is taken', labels(['a', 'meta']), ['meta (a)']],
    [
      'the code twice if a label with the code exists already',
      labels(['a', 'S'], ['b', 'S'], ['c', 'S (a)']),
      ['S (a) (a)', 'S (b)', 'S (a)'],
    ],
  ])('returns %s', (_, named, names) => {
    expect(distinctLabels(named, ['meta'])).toEqual(names);
  });

  it('returns distinct names, as distinctCodes() does', () => {
    const code = fc.stringMatching(/^[ab]{1,2}$/);
    const label = fc.stringMatching(/^[ ab]{0,2}( \([ab]\)){0,2}$/);
    fc.assert(
      fc.property(fc.uniqueArray(fc.record({ code, label }), { selector: (one) => one.code }), (named) => {
        const names = distinctLabels(named, ['a', 'b (a)']);
        expect(new Set([...names, 'a', 'b (a)']).size).toBe(named.length + 2);
        const byCode = distinctCodes([...named, { code: 'values.a' }], ['a', 'b']);
        expect(new Set([...byCode, 'a', 'b']).size).toBe(named.length + 3);
      }),
    );
  });
});

describe('optionLabels()', () => {
  const field = (component: string, options: Record<string, string>): ExportedField => ({
    ...{ id: 1, code: 'a', label: 'A', component, is_repeatable: false, entity_id: null },
    options: Object.entries(options).map(([value, label]) => ({ value, label })),
  });

  const ambiguous = { r: 'Red', w: 'White', 'r,w': 'Both' };
  it.each<[string, component: string, value: string, shown: string, options?: Record<string, string>]>([
    ['an option', 'select-input', 'r', 'Red'],
    ['a text that is not an option', 'select-input', 'blue', 'blue'],
    ['a text that is not an option but equals a label', 'radio-input', 'Red', 'Red (not an option)'],
    ['no value', 'checkbox-input', '', ''],
    ['several options', 'checkbox-input', 'r, w', 'Red, White'],
    ['an option with a comma', 'checkbox-input', 'w,rw', 'White, "Red, White"'],
    ['a text that is not a list of options', 'checkbox-input', 'r,gone', '"r,gone"'],
    ['an ambiguous list, which it does not split', 'checkbox-input', 'r,w', '"r,w"', ambiguous],
  ])('shows %s', (_, component, value, shown, options = { r: 'Red', w: 'White', rw: 'Red, White' }) => {
    expect(optionLabels(field(component, options))(value)).toBe(shown);
  });

  it.each(['select-input', 'checkbox-input'])('shows different values of a %s differently', (component) => {
    const labels = ['a', 'b', 'a, b', '"a, b"', ''];
    const selections = ['p', 'q', 'r', 'p,q', 'q,p', 'p,r', 'r,q', 'p,q,r'];
    const texts = ['', ' a', 'a,b', ...labels, ...labels.map((label) => `x${label}`)];
    const values = [...new Set([...selections, ...texts])];
    const pairs = labels.flatMap((p) => labels.map((q) => ({ p, q })));
    for (const options of pairs.flatMap((pair) => labels.map((r) => ({ ...pair, r })))) {
      const shown = values.map(optionLabels(field(component, options)));
      expect([shown, new Set(shown).size]).toEqual([shown, values.length]);
    }
  });
});
