import { rulesOfDay } from './compile-field-rules.js';
import type { RuleKind } from '../entities/field-rule.js';
import { isDate } from './rule-values.js';

// Our own versions of the cases in the public test suite of JSON Schema, for the keywords that mean the same as our
// kinds of rules. Cases with other types are left out, because our values are always text,
// and cases with white space at the ends of the value, because our rules ignore it (J13).

type Cases = readonly (readonly [bound: string, value: string, isValid: boolean])[];

function isValid(kind: RuleKind, bound: string, value: string): boolean {
  const { applied, inapplicable } = rulesOfDay('text-input', [{ kind, value: bound, message: null }], {
    earliest: '2026-01-01',
    latest: '2026-01-01',
  });
  expect(inapplicable).toEqual([]);
  return applied.every(({ isMet }) => isMet(value));
}

const CASES: Partial<Record<RuleKind, Cases>> = {
  // minimum
  min: [
    ['1.1', '2.6', true],
    ['1.1', '1.1', true],
    ['1.1', '0.6', false],
    ['-2', '-1', true],
    ['-2', '0', true],
    ['-2', '-2', true],
    ['-2', '-2.0', true],
    ['-2', '-2.0001', false],
    ['-2', '-3', false],
    ['18446744073709551600', '18446744073709551601', true],
    ['18446744073709551601', '18446744073709551600', false],
    ['-1.8446744073709552e19', '-18446744073709551999', true],
    ['972783798187987123879878123.18878137', '972783798187987123879878123.188781371', true],
    ['972783798187987123879878123.188781371', '972783798187987123879878123.18878137', false],
  ],
  // maximum
  max: [
    ['3.0', '2.6', true],
    ['3.0', '3.0', true],
    ['3.0', '3.5', false],
    ['300', '299.97', true],
    ['300', '300', true],
    ['300', '300.00', true],
    ['300', '300.5', false],
    ['18446744073709551615', '18446744073709551600', true],
    ['18446744073709551615', '18446744073709551616', false],
    ['1e-400', '0', true],
    ['0', '1e-400', false],
  ],
  // minLength
  min_length: [
    ['2', 'foo', true],
    ['2', 'fo', true],
    ['2', 'f', false],
    ['2', '\u{1F4A9}', false],
    ['2', '\u{1F4A9}\u{1F4A9}', true],
    // These two code points form one grapheme.
    ['2', 'e\u0301', true],
  ],
  // maxLength
  max_length: [
    ['2', 'f', true],
    ['2', 'fo', true],
    ['2', 'foo', false],
    ['2', '\u{1F4A9}\u{1F4A9}', true],
    ['2', '\u{1F4A9}\u{1F4A9}\u{1F4A9}', false],
    ['1', 'e\u0301', false],
  ],
  // pattern. JSON Schema does not anchor patterns, but J2 does, so unanchored cases have `.*` around them.
  pattern: [
    ['^a*$', 'aaa', true],
    ['^a*$', 'abc', false],
    ['.*a+.*', 'xxaayy', true],
    ['a+', 'xxaayy', false],
    ['.*\\p{L}cole.*', 'Les hivers de mon enfance, l’École', true],
    ['.*\\wcole.*', 'L’Écoleé', false],
    ['^\\p{Lu}+$', 'ÉCOLE', true],
    ['^\\p{Lu}+$', 'École', false],
    ['[a-z]cole', 'école', false],
    ['^\\d+$', '42', true],
    ['^\\d+$', '-%#', false],
    // \d does not match digits of other scripts.
    ['^\\d+$', '৪২', false],
    ['^\\p{Nd}+$', '৪২', true],
    ['^\\W$', 'é', true],
    ['^🐲*$', '', true],
    ['^🐲*$', '🐲', true],
    ['^🐲*$', '🐲🐲', true],
    ['^🐲*$', 'D', false],
    ['^\\x01$', '\u0001', true],
  ],
};

describe.each(Object.entries(CASES) as [RuleKind, Cases][])('%s', (kind, cases) => {
  it.each(cases)('%s, %j: %s', (bound, value, expected) => {
    expect(isValid(kind, bound, value)).toBe(expected);
  });
});

describe('format: date', () => {
  it.each<[string, boolean]>([
    ['1963-06-19', true],
    ['2020-01-31', true],
    ['2020-01-32', false],
    ['2021-02-28', true],
    ['2021-02-29', false],
    ['2020-02-29', true],
    ['2020-02-30', false],
    ['2020-03-31', true],
    ['2020-03-32', false],
    ['2020-04-30', true],
    ['2020-04-31', false],
    ['2020-05-31', true],
    ['2020-05-32', false],
    ['2020-06-30', true],
    ['2020-06-31', false],
    ['2020-07-32', false],
    ['2020-08-32', false],
    ['2020-09-31', false],
    ['2020-10-32', false],
    ['2020-11-31', false],
    ['2020-12-31', true],
    ['2020-12-32', false],
    ['2020-13-01', false],
    ['2020-00-10', false],
    ['06/19/1963', false],
    ['2013-350', false],
    ['1998-1-20', false],
    ['1998-01-1', false],
    ['1998-13-01', false],
    ['1998-04-31', false],
    ['20230328', false],
    ['2023-W01', false],
    ['2023-W13-2', false],
    ['2022W527', false],
    ['1963-06-1৪', false],
    ['', false],
    ['1900-02-29', false],
    ['2000-02-29', true],
  ])('%j: %s', (value, expected) => {
    expect(isDate(value)).toBe(expected);
    // The date must also be valid as the bound of a rule.
    if (expected) {
      expect(isValid('min_date', value, value)).toBe(true);
      expect(isValid('max_date', value, value)).toBe(true);
      expect(isValid('min_date', value, '0001-01-01')).toBe(false);
    } else {
      expect(isValid('min_date', '0001-01-01', value)).toBe(false);
    }
  });
});
