import type { RuleKind } from '../entities/rule-kinds.js';
import { COMPONENTS } from '../field-types.js';
import { compileFieldRules, type Rule, rulesOfDay } from './compile-field-rules.js';
import type { Today } from '../../conditions/engine/index.js';

const on = (earliest: string, latest = earliest): Today => ({ earliest, latest, single: earliest });
const TODAY = on('2026-11-22');

type Values = Partial<Record<RuleKind, string>>;

const rulesIn = (values: Values): Rule[] =>
  Object.entries(values).map(([kind, value]) => ({
    ...{ kind: kind as RuleKind, value, message: null },
    ...{ otherFieldId: null, otherFieldCode: null, offsetDays: null },
  }));

const ofDay = (component: string, values: Values, today = TODAY) =>
  rulesOfDay(component, rulesIn(values), today);

/** Returns the messages of the rules that the value breaks, in the order of the rules. */
const messages = (component: string, values: Values, value: string, today = TODAY) =>
  ofDay(component, values, today)
    .applied.filter(({ isMet }) => !isMet(value))
    .map(({ errorOf }) => errorOf('field', null, value).message.replace(/^The field |\.$/g, ''));

const leftOut = (component: string, values: Values, today = TODAY) =>
  Object.fromEntries(ofDay(component, values, today).inapplicable.map(({ rule, why }) => [rule.kind, why]));

describe('J2: a rule', () => {
  it.each<[string, Values, string, string[]]>([
    [
      'number-input',
      { min: '0', pattern: '\\d+' },
      '-1.5',
      ['must be at least 0', 'must match the pattern \\d+'],
    ],
    ['number-input', { max: '1e400' }, '1.0000001e400', ['must be at most 1e400']],
    ['text-input', { min: '5' }, 'five', ['must be at least 5']],
    ['slider', { max: '10' }, '11', ['must be at most 10']],
    ['text-input', { min_length: '3' }, '🙂🙂', ['must have at least 3 characters']],
    ['text-input', { max_length: '2' }, 'ab ', ['must have at most 2 characters']],
    ['textarea-input', { max_length: '1' }, 'ab', ['must have at most 1 character']],
    ['date-input', { min_date: '2026-11-22' }, ' 2026-11-21', ['must not be before 2026-11-22']],
    ['date-input', { max_date: 'today' }, '2026-11-23', ['must not be after 2026-11-22']],
    ['date-input', { min_date: 'today+30d' }, '2026-12-21', ['must not be before 2026-12-22']],
    ['date-picker', { min_date: 'today' }, 'soon', ['must not be before 2026-11-22']],
    ['email-input', { min_length: '16' }, '  ada@example.org ', ['must have at least 16 characters']],
    ['email-input', { pattern: '.*@a[.]org' }, 'ada@example.com', ['must match the pattern .*@a[.]org']],
  ])('of a %s, %j, rejects the value %j', (component, values, value, expected) => {
    expect(messages(component, values, value)).toEqual(expected);
  });

  // Our own versions of cases in the public test suite of JSON Schema are among these.
  it.each<[string, Values, valid: string[], invalid: string[]]>([
    ['number-input', { min: '1.1' }, ['2.6', '1.1'], ['0.6', '1.0999999999999999999999999999']],
    ['number-input', { min: '-2' }, ['-1', '0', '-2', '-2.0'], ['-2.0001', '-3']],
    ['number-input', { min: '18446744073709551601' }, ['18446744073709551601'], ['18446744073709551600']],
    ['number-input', { max: '300' }, ['299.97', '300', '300.00'], ['300.5']],
    ['number-input', { max: '1e400' }, [`9${'0'.repeat(399)}`], []],
    ['number-input', { max: '0' }, ['-1e-400'], ['1e-400']],
    ['number-input', { min: '5', max: '6', pattern: '\\d' }, [' 6\n'], ['5.5']],
    ['text-input', { min_length: '2' }, ['foo', 'fo', '🙂🙂', 'e\u0301'], ['f', '🙂']],
    ['text-input', { max_length: '2' }, ['f', 'fo', '🙂🙂'], ['foo', '🙂🙂🙂', 'e\u0301e']],
    ['email-input', { min_length: '15', max_length: '15' }, ['  ada@example.org '], []],
    ['text-input', { pattern: 'a|ab' }, ['a', 'ab', '\ufeff ab\u2003'], ['abc', 'a b', 'a\nb', '']],
    ['text-input', { pattern: '^a|b$' }, ['a', 'b'], ['ab']],
    ['text-input', { pattern: '.*a+.*' }, ['xxaayy'], ['xxyy']],
    ['text-input', { pattern: '(?i)äß' }, ['Äß'], ['ass']],
    ['text-input', { pattern: '.*\\p{L}cole.*' }, ['Les hivers de mon enfance, l’École'], ['colle']],
    ['text-input', { pattern: '.*\\wcole.*' }, ['ecole'], ['L’Écoleé']],
    ['text-input', { pattern: '^\\p{Lu}+$' }, ['ÉCOLE'], ['École']],
    // \d does not match digits of other scripts.
    ['text-input', { pattern: '^\\d+$' }, ['42'], ['-%#', '৪২']],
    ['text-input', { pattern: '^\\p{Nd}+$' }, ['42', '৪২'], []],
    ['text-input', { pattern: '^🐲*$' }, ['', '🐲', '🐲🐲'], ['D']],
    ['date-input', { min_date: '2026-11-22', max_date: '2026-11-22' }, [' 2026-11-22 '], ['2026-11-23']],
    ['date-input', { min_date: '0001-01-01' }, ['1963-06-19'], ['06/19/1963', '1963-06-1৪', '2021-02-29']],
    ['date-input', { min_date: 'today-1d' }, ['2026-11-21'], ['2026-11-20']],
    ['date-input', { max_date: 'today-18y' }, ['2008-11-22'], ['2008-11-23']],
    ['date-input', { min_date: 'today+6m' }, ['2027-05-22'], ['2027-05-21']],
  ])('of a %s, %j, accepts %j and rejects %j', (component, values, valid, invalid) => {
    const isMet = (value: string) => messages(component, values, value).length === 0;
    expect([valid.filter(isMet), invalid.filter(isMet)]).toEqual([valid, []]);
  });

  it('relative to today uses the day of the check', () => {
    const rules = compileFieldRules('date-input', rulesIn({ max_date: 'today' }))!;
    const isMet = (today: string) => rules.on(on(today)).applied[0]!.isMet('2026-11-23');
    expect([isMet('2026-11-22'), isMet('2026-11-23'), isMet('2026-11-22')]).toEqual([false, true, false]);
  });

  it.each<[Values, boolean, boolean, boolean, boolean]>([
    [{ min_date: 'today' }, false, true, true, true],
    [{ max_date: 'today' }, true, true, true, false],
    [{ min_date: 'today', max_date: 'today' }, false, true, true, false],
    [{ min_date: 'today+1d' }, false, false, true, true],
    [{ max_date: 'today-1d' }, true, true, false, false],
    [{ min_date: 'today+1d', max_date: 'today+1d' }, false, false, true, true],
  ])('%j accepts a date that is valid on either of two current dates', (values, ...expected) => {
    const today = on('2026-11-22', '2026-11-23');
    const days = ['2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'];
    expect(days.map((day) => messages('date-input', values, day, today).length === 0)).toEqual(expected);
  });

  it('is compiled once per day; a field without rules gets undefined', () => {
    const rules = compileFieldRules('text-input', rulesIn({ pattern: 'a+' }))!;
    expect(rules.on(TODAY)).toBe(rules.on({ ...TODAY }));
    expect(compileFieldRules('text-input', [])).toBeUndefined();
  });
});

describe('J5: a rule that cannot be applied is skipped, with the reason', () => {
  const UNFIT = 'does not apply to values of this field';
  it.each<[string, Values, Values]>([
    ['number-input', { min: '5', max: '4.99' }, { min: 'contradicts max 4.99', max: 'contradicts min 5' }],
    [
      'text-input',
      { min_length: '10', max_length: '9' },
      { min_length: 'contradicts max_length 9', max_length: 'contradicts min_length 10' },
    ],
    [
      'date-input',
      { min_date: 'today+2d', max_date: 'today+1d' },
      { min_date: 'contradicts max_date today+1d', max_date: 'contradicts min_date today+2d' },
    ],
    ['number-input', { min: '1', max: '1.0' }, {}],
    ['date-input', { min_date: 'today', max_date: 'today+0d' }, {}],
    [
      'text-input',
      { pattern: '(?=a)b' },
      { pattern: expect.stringMatching(/^is not an RE2 regular expression: /) },
    ],
    ['text-input', { pattern: 'a{601}' }, { pattern: expect.stringMatching(/larger than 600 instructions/) }],
    ['number-input', { min_length: '2', min: '1' }, { min_length: UNFIT }],
    ['date-input', { max: '2' }, { max: UNFIT }],
    ['text-input', { min: '2', min_date: 'today' }, { min: UNFIT }],
    [
      'number-input',
      { min_sum: '100', max_sum: '99.9' },
      { min_sum: 'contradicts max_sum 99.9', max_sum: 'contradicts min_sum 100' },
    ],
    ['text-input', { min: '1', min_sum: '2' }, { min_sum: UNFIT }],
    ['date-input', { min_date: 'today-99999y' }, { min_date: 'is not a date' }],
  ])('%s %j: %j', (component, values, reasons) => {
    expect(leftOut(component, values)).toEqual(reasons);
  });

  it('applies the rules again on a day on which they do not contradict each other', () => {
    const values = { min_date: 'today', max_date: '2026-12-31' };
    expect(leftOut('date-input', values)).toEqual({});
    expect(Object.keys(leftOut('date-input', values, on('2027-01-01')))).toEqual(['min_date', 'max_date']);
  });

  it('reports a contradiction only if the rules contradict each other on every current date', () => {
    const today = on('2026-12-31', '2027-01-01');
    const isLeftOut = (values: Values) => Object.keys(leftOut('date-input', values, today)).length > 0;
    expect(isLeftOut({ min_date: 'today+1d', max_date: 'today' })).toBe(true);
    // These rules do not contradict each other if today is the earlier date, so the rules are applied.
    expect(isLeftOut({ min_date: 'today', max_date: '2026-12-31' })).toBe(false);
    expect(isLeftOut({ min_date: 'today', max_date: '2026-12-30' })).toBe(true);
    expect(isLeftOut({ min_date: '2027-01-01', max_date: 'today' })).toBe(false);
    expect(isLeftOut({ min_date: '2027-01-02', max_date: 'today' })).toBe(true);
  });

  it('is never a rule that names another field, if its kind applies to the field', () => {
    const naming = (kind: RuleKind): Rule => ({
      ...{ kind, value: null, message: null, otherFieldId: 2, otherFieldCode: 'other', offsetDays: null },
    });
    const kindsOf = (component: string, rules: readonly Rule[]) => ({
      between: compileFieldRules(component, rules)!.betweenFields.map(({ kind }) => kind),
      skipped: rulesOfDay(component, rules, TODAY).inapplicable.map(({ rule }) => rule.kind),
    });
    // The bound 1 does not contradict the other field, whose value is unknown.
    const ofNumbers = [naming('min'), ...rulesIn({ max: '1' }), naming('equal')];
    expect(kindsOf('number-input', ofNumbers)).toEqual({ between: ['min', 'equal'], skipped: [] });
    expect(kindsOf('email-input', ofNumbers)).toEqual({ between: ['equal'], skipped: ['min', 'max'] });
    expect(kindsOf('radio-input', [naming('not_equal')])).toEqual({ between: ['not_equal'], skipped: [] });
    for (const component of ['checkbox-input', 'file-input', 'heading-display'])
      expect(kindsOf(component, [naming('equal')])).toEqual({ between: [], skipped: ['equal'] });
  });

  it('either applies or skips each rule, for every component', () => {
    const all: Values = { min: '1', max: '2', min_length: '1', max_length: '2', pattern: 'a' };
    for (const component of [...COMPONENTS, 'slider']) {
      const { applied, inapplicable } = ofDay(component, all);
      const kinds = [...applied, ...inapplicable.map(({ rule }) => rule)].map(({ kind }) => kind);
      expect([component, kinds.sort()]).toEqual([component, Object.keys(all).sort()]);
      if (/select|radio|checkbox|file|display/.test(component)) expect(applied).toEqual([]);
    }
  });
});
