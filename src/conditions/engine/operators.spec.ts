import { compileRules, evaluatorOf, type Operator } from './index.js';

/** conditions-vectors.json has further cases of each operator, and all cases of an operator that is not listed here. */
const TESTED: readonly Operator[] = [
  ...(['equals', 'not_equals', 'contains', 'greater_than', 'less_than'] as const),
  ...(['in', 'not_in', 'empty', 'not_empty'] as const),
];

/** A field whose only condition is a `hide` condition is hidden exactly if the condition is met. */
function metOf(value: string, stored: readonly string[]): Operator[] {
  return TESTED.filter((operator) => {
    const conditions = [{ dependsOnFieldId: 2, operator, value, action: 'hide' as const }];
    const rules = compileRules([{ id: 1, isRequired: false, conditions }]);
    return !rules.resolveStates(stored.map((text) => [2, null, text]))[0]!.visible;
  });
}

describe('operators against every kind of stored value (C3, C4)', () => {
  const LONG = 'x'.repeat(65_535);
  const LONG_NUMBER = '9'.repeat(65_535);
  const NOTHING: readonly Operator[] = ['not_equals', 'not_in', 'empty'];
  const OTHER: readonly Operator[] = ['not_equals', 'not_in', 'not_empty'];
  const ALIKE: readonly Operator[] = ['equals', 'contains', 'in', 'not_empty'];
  const LISTED: readonly Operator[] = ['not_equals', 'in', 'not_empty'];
  const PART: readonly Operator[] = ['contains', ...OTHER];
  const GREATER: readonly Operator[] = ['greater_than', ...OTHER];
  const LESS: readonly Operator[] = ['less_than', ...OTHER];

  it.each<[string, string[], string, readonly Operator[]]>([
    ['white space', [' '], '5', OTHER],
    ['the same text', ['yes'], 'yes', ALIKE],
    ['the same text and another', ['a', 'b'], 'b', ALIKE],
    ['another letter case', ['Yes'], 'yes', OTHER],
    ['a longer text', ['yes, please'], 'yes', PART],
    ['any text, against nothing', ['yes'], '', PART],
    ['a text, against a regular expression', ['yes'], '.*', OTHER],
    ['a text of a list', ['b c'], ' a ,,\tb c\u00a0', LISTED],
    ['a text that has white space in the list only', [' b'], 'a, b', OTHER],
    ['a property of every JavaScript object', ['toString'], 'constructor', OTHER],
    ['the same number', ['5'], '5', ALIKE],
    ['the same number, written differently', ['5.0'], '5', PART],
    ['a greater number', ['7'], '5', GREATER],
    ['a lesser number whose text contains the comparison value', ['-5'], '5', [...LESS, 'contains']],
    ['a lesser number, a text and a greater number', ['1', 'ten', '7'], '5', ['less_than', ...GREATER]],
    ['zero and its negative', ['-0'], '0', PART],
    ['a huge number', ['1' + '0'.repeat(400)], '5', GREATER],
    ['a huge number, against the next', ['9007199254740993'], '9007199254740992', GREATER],
    ['a number with white space around', [' 7\n'], '\t6 ', GREATER],
    ['no number', ['seven'], '5', OTHER],
    ['a number, against no number', ['7'], 'five', OTHER],
    ['Unicode', ['naïve 🙂'], '🙂', PART],
    ['Unicode, against half of it', ['🙂'], '\ud83d', PART],
    ['Unicode in another normal form', ['e\u0301'], 'é', OTHER],
    ['Unicode in another letter case', ['STRASSE'], 'straße', OTHER],
    ['65,535 characters', [LONG], LONG, ALIKE],
    ['65,535 characters, against one more', [LONG], `${LONG}x`, OTHER],
    ['65,535 characters, against the last', [`${LONG.slice(1)}y`], 'y', PART],
    ['65,535 digits', [LONG_NUMBER], '5', GREATER],
    ['65,535 digits, negative', [`-${LONG_NUMBER.slice(1)}`], '5', LESS],
    ['65,535 digits, against a greater one', [LONG_NUMBER], `1e65535`, LESS],
  ])('%s', (_, stored, value, expected) => {
    expect(metOf(value, stored).toSorted()).toEqual(expected.toSorted());
  });

  it.each([[[]], [['']], [['', '']]])('no value, stored as %j, for any comparison value (C2)', (stored) => {
    for (const value of ['', 'a', '0', '-1', '1', ',', 'a,,b']) expect(metOf(value, stored)).toEqual(NOTHING);
  });
});

describe('dates (C16)', () => {
  const today = { earliest: '2026-11-27', latest: '2026-11-29', single: '2026-11-28' };
  const isMet = (operator: Operator, value: string, stored: string) =>
    evaluatorOf(operator, value, { today: () => today })([stored]);

  it('without a time zone, a condition is met if it holds for any date that is today somewhere', () => {
    const stored = ['2026-11-26', '2026-11-27', '2026-11-28', '2026-11-29', '2026-11-30'];
    const metBy = (operator: Operator) => stored.filter((date) => isMet(operator, 'today', date));
    expect(metBy('before')).toEqual(stored.slice(0, 3));
    expect(metBy('on_or_before')).toEqual(stored.slice(0, 4));
    expect(metBy('after')).toEqual(stored.slice(2));
    expect(metBy('on_or_after')).toEqual(stored.slice(1));
  });

  it('a date follows the clock, although its condition is compiled once', () => {
    let now = today;
    const isBefore = evaluatorOf('before', 'today', { today: () => now });
    expect(isBefore(['2026-11-29'])).toBe(false);
    now = { earliest: '2026-11-30', latest: '2026-11-30', single: '2026-11-30' };
    expect(isBefore(['2026-11-29'])).toBe(true);
  });
});
