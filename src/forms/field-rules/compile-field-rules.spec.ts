import { RULE_KINDS, type RuleKind } from '../entities/field-rule.js';
import { COMPONENTS } from '../field-types.js';
import { compileFieldRules, type Rule, rulesOfDay } from './compile-field-rules.js';
import type { Today } from './today.js';

const on = (earliest: string, latest = earliest): Today => ({ earliest, latest });
const TODAY = on('2026-11-22');

type Values = Partial<Record<RuleKind, string>>;

const rulesIn = (values: Values): Rule[] =>
  RULE_KINDS.flatMap((kind) => {
    const value = values[kind];
    return value === undefined ? [] : [{ kind, value, message: null }];
  });

const ofDay = (component: string, values: Values, today = TODAY) =>
  rulesOfDay(component, rulesIn(values), today);

/** Returns the messages of the rules that the value breaks, in the order of the rules. */
const messages = (component: string, values: Values, value: string, today = TODAY) =>
  ofDay(component, values, today)
    .applied.filter(({ isMet }) => !isMet(value))
    .map(({ errorOf }) => errorOf('field', null, value).message.replace(/^The field |\.$/g, ''));

const leftOut = (component: string, values: Values, today = TODAY) =>
  Object.fromEntries(ofDay(component, values, today).inapplicable.map(({ kind, why }) => [kind, why]));

describe('J2: a rule', () => {
  it.each<[string, Values, string, string[]]>([
    ['number-input', { min: '18' }, '18', []],
    ['number-input', { min: '18' }, '18.0', []],
    ['number-input', { min: '18' }, '17.999999999999999999999999999999', ['must be at least 18']],
    ['number-input', { max: '1e400' }, `9${'0'.repeat(399)}`, []],
    ['number-input', { max: '1e400' }, '1.0000001e400', ['must be at most 1e400']],
    [
      'number-input',
      { min: '0', pattern: '\\d+' },
      '-1.5',
      ['must be at least 0', 'must match the pattern \\d+'],
    ],
    ['text-input', { min: '5' }, 'five', ['must be at least 5']],
    ['number-input', { min: '5', max: '6', pattern: '\\d' }, ' 6\n', []],
    ['text-input', { pattern: '[a-z]+' }, '\ufeff ab\u2003', []],
    ['text-input', { pattern: '[a-z]+' }, 'a b', ['must match the pattern [a-z]+']],
    ['date-input', { min_date: '2026-11-22', max_date: '2026-11-22' }, ' 2026-11-22 ', []],
    ['date-input', { min_date: '2026-11-22' }, ' 2026-11-21', ['must not be before 2026-11-22']],
    ['email-input', { min_length: '15', max_length: '15' }, '  ada@example.org ', []],
    ['email-input', { min_length: '16' }, '  ada@example.org ', ['must have at least 16 characters']],
    ['text-input', { max_length: '2' }, 'ab ', ['must have at most 2 characters']],
    ['text-input', { min_length: '1', max_length: '2' }, '🙂🙂', []],
    ['text-input', { max_length: '2' }, 'e\u0301e', ['must have at most 2 characters']],
    ['text-input', { min_length: '3' }, '🙂🙂', ['must have at least 3 characters']],
    ['textarea-input', { max_length: '1' }, 'ab', ['must have at most 1 character']],
    [
      'email-input',
      { pattern: '.*@example[.]org' },
      'ada@example.com',
      ['must match the pattern .*@example[.]org'],
    ],
    ['text-input', { pattern: 'a|ab' }, 'ab', []],
    ['text-input', { pattern: 'b' }, 'abc', ['must match the pattern b']],
    ['text-input', { pattern: '^a|b$' }, 'ab', ['must match the pattern ^a|b$']],
    ['text-input', { pattern: 'a' }, 'a\nb', ['must match the pattern a']],
    ['text-input', { pattern: '(?i)äß' }, 'Äß', []],
    ['date-input', { min_date: '2026-11-23' }, '2026-11-22', ['must not be before 2026-11-23']],
    ['date-input', { max_date: 'today' }, '2026-11-22', []],
    ['date-input', { max_date: 'today' }, '2026-11-23', ['must not be after 2026-11-22']],
    ['date-input', { min_date: 'today+30d' }, '2026-12-21', ['must not be before 2026-12-22']],
    ['date-input', { min_date: 'today-1d' }, '2026-11-21', []],
    ['date-picker', { min_date: 'today' }, 'soon', ['must not be before 2026-11-22']],
    ['slider', { max: '10' }, '11', ['must be at most 10']],
  ])('of a %s, %j, checks the value %j', (component, values, value, expected) => {
    expect(messages(component, values, value)).toEqual(expected);
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
    [
      'text-input',
      { pattern: '(?=a)b' },
      { pattern: expect.stringMatching(/^is not an RE2 regular expression: /) },
    ],
    ['text-input', { pattern: '(a)\\1' }, { pattern: expect.stringMatching(/invalid escape/) }],
    [
      'text-input',
      { pattern: '(((a{99}){99}){99}){99}' },
      { pattern: expect.stringMatching(/larger than 600 instructions/) },
    ],
    ['number-input', { min_length: '2', min: '1' }, { min_length: 'does not apply to values of this field' }],
    ['date-input', { max: '2' }, { max: 'does not apply to values of this field' }],
    ['text-input', { min: '2', min_date: 'today' }, { min: 'does not apply to values of this field' }],
  ])('%s %j', (component, values, reasons) => {
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

  it('applies two rules with equal bounds', () => {
    expect(leftOut('number-input', { min: '1', max: '1.0' })).toEqual({});
    expect(leftOut('date-input', { min_date: 'today', max_date: 'today+0d' })).toEqual({});
  });

  it('either applies or skips each rule, for every component', () => {
    const all: Values = { min: '1', max: '2', min_length: '1', max_length: '2', pattern: 'a' };
    for (const component of [...COMPONENTS, 'slider']) {
      const { applied, inapplicable } = ofDay(component, all);
      expect([component, [...applied, ...inapplicable].map(({ kind }) => kind).sort()]).toEqual([
        component,
        Object.keys(all).sort(),
      ]);
    }
    for (const component of [
      'select-input',
      'radio-input',
      'checkbox-input',
      'file-input',
      'heading-display',
    ])
      expect(ofDay(component, all).applied).toEqual([]);
  });
});
