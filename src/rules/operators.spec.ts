import { ACTIONS, OPERATORS, compileRules, type Operator } from './index.js';

/** A field whose only condition is a `hide` condition is hidden exactly if the condition is met. */
function isMet(operator: Operator, value: string, stored: readonly string[] = []): boolean {
  const rules = compileRules([
    { id: 1, isRequired: false, conditions: [{ dependsOnFieldId: 2, operator, value, action: 'hide' }] },
  ]);
  return rules.resolveStates(stored.map((text) => [2, null, text]))[0]?.visible === false;
}

describe('C2: a field without a value', () => {
  const metWithoutValue: readonly Operator[] = ['empty', 'not_equals', 'not_in'];
  const absences: [string, string[] | undefined][] = [
    ['no entry', undefined],
    ['an empty entry', []],
    ['""', ['']],
    ['several ""', ['', '']],
  ];

  describe.each(absences)('with %s stored', (_, stored) => {
    it.each(OPERATORS.map((operator) => ({ operator, met: metWithoutValue.includes(operator) })))(
      'meets $operator: $met, for every comparison value',
      ({ operator, met }) => {
        for (const value of ['', 'a', '0', '-1', '1', ',', 'a,,b'])
          expect(isMet(operator, value, stored)).toBe(met);
      },
    );
  });

  it('counts white space as a value', () => {
    expect(isMet('empty', '', [' '])).toBe(false);
    expect(isMet('not_empty', '', [' '])).toBe(true);
  });
});

describe('N6: a condition on a retired field', () => {
  it.each(OPERATORS)('is never met, whatever is stored and compared: %s', (operator) => {
    for (const action of ACTIONS) {
      const condition = { dependsOnFieldId: 2, operator, value: 'a', action, testsRetired: true };
      const rules = compileRules([{ id: 1, isRequired: false, conditions: [condition] }]);
      for (const stored of [[], [''], ['a'], ['b'], ['a', 'b']]) {
        const states = rules.explainStates(stored.map((text) => [2, null, text]));
        expect(states).toEqual([{ visible: action !== 'show', required: false, met: [] }]);
      }
    }
  });
});

describe('C3: equals, contains and in compare the exact text, case-sensitively', () => {
  it.each<[Operator, string, string, boolean]>([
    ['equals', 'Yes', 'Yes', true],
    ['equals', 'Yes', 'yes', false],
    ['equals', 'Yes', 'Yes ', false],
    ['equals', '5', '5.0', false],
    ['equals', '', 'a', false],
    ['equals', 'é', 'e\u0301', false],
    ['not_equals', 'Yes', 'Yes', false],
    ['not_equals', 'Yes', 'yes', true],
    ['not_equals', '', 'a', true],
    ['contains', 'ell', 'hello', true],
    ['contains', 'Ell', 'hello', false],
    ['contains', 'l o', 'hello', false],
    ['contains', '.*', 'hello', false],
    ['contains', '', 'hello', true],
    ['in', 'a,b', 'b', true],
    ['in', 'a,b', 'B', false],
    ['in', 'a,b', 'a,b', false],
    ['in', ' a ,\tb c\u00a0', 'b c', true],
    ['in', 'a, b', ' b', false],
    ['in', 'a,,b', ' ', false],
    ['in', 'constructor', 'toString', false],
    ['in', '', 'a', false],
    ['not_in', 'a,b', 'b', false],
    ['not_in', 'a,b', 'c', true],
    ['not_in', 'a, b', ' b', true],
    ['not_in', '', 'a', true],
  ])('%s %j against %j is met: %s', (operator, value, stored, met) => {
    expect(isMet(operator, value, [stored])).toBe(met);
  });
});

describe('C4: greater_than and less_than read both sides as exact decimals', () => {
  it.each<[string, string, boolean, boolean]>([
    ['10', '9', true, false],
    ['9', '10', false, true],
    ['5.0', '5', false, false],
    ['-0', '0', false, false],
    [' 7\n', '\t6 ', true, false],
    ['9007199254740993', '9007199254740992', true, false],
    ['1e999999999999', '1e999999999998', true, false],
    ['ten', '5', false, false],
    ['5', 'ten', false, false],
    ['5', '', false, false],
    [' ', '-1', false, false],
  ])('the value %j against %j: greater %s, less %s', (stored, value, greater, less) => {
    expect(isMet('greater_than', value, [stored])).toBe(greater);
    expect(isMet('less_than', value, [stored])).toBe(less);
  });
});

describe('every operator against every kind of stored value', () => {
  const LONG = 'x'.repeat(65_535);
  const LONG_NUMBER = '9'.repeat(65_535);
  const [NEGATIONS, ALIKE, GREATER, LESS, PART] = [
    ['not_equals', 'not_in', 'not_empty'],
    ['equals', 'in', 'contains', 'not_empty'],
    ['greater_than', 'not_equals', 'not_in', 'not_empty'],
    ['less_than', 'not_equals', 'not_in', 'not_empty'],
    ['contains', 'not_equals', 'not_in', 'not_empty'],
  ] as const satisfies readonly (readonly Operator[])[];
  const NOTHING = ['empty', 'not_equals', 'not_in'] as const;

  it.each<[string, string | undefined, string, readonly Operator[]]>([
    ['missing', undefined, '5', NOTHING],
    ['missing, against nothing', undefined, '', NOTHING],
    ['empty', '', '5', NOTHING],
    ['empty, against nothing', '', '', NOTHING],
    ['white space', ' ', '5', NEGATIONS],
    ['the same text', 'yes', 'yes', ALIKE],
    ['another letter case', 'Yes', 'yes', NEGATIONS],
    ['a longer text', 'yes, please', 'yes', PART],
    ['any text, against nothing', 'yes', '', PART],
    ['the same number', '5', '5', ALIKE],
    ['the same number, written differently', '5.0', '5', PART],
    ['a greater number', '7', '5', GREATER],
    ['a lesser number whose text contains the comparison value', '-5', '5', [...LESS, 'contains']],
    ['zero and its negative', '-0', '0', PART],
    ['a huge number', '1' + '0'.repeat(400), '5', GREATER],
    ['a huge number, against the next', '9007199254740993', '9007199254740992', GREATER],
    ['a negative number', '-7', '5', LESS],
    ['a more negative number', '-7', '-5', LESS],
    ['a number with an exponent', '1e3', '999.9', GREATER],
    ['a number with a negative exponent', '1E-3', '0.01', LESS],
    ['exponents beyond a double', '1e400', '1e399', GREATER],
    ['tiny exponents beyond a double', '1e-400', '1e-399', LESS],
    ['a padded number', ' 7 ', '5', GREATER],
    ['a number padded with a tab and a no-break space', '\t7\u00a0', '5', GREATER],
    ['a number with a sign', '+7', '5', GREATER],
    ['a number that begins with a point', '.5', '5', [...LESS, 'contains']],
    ['a number that ends with a point', '7.', '5', GREATER],
    ['no number: a word', 'seven', '5', NEGATIONS],
    ['no number: hexadecimal', '0x7', '5', NEGATIONS],
    ['no number: digits in groups', '7,000', '5', NEGATIONS],
    ['no number: a decimal comma', '7,1', '5', NEGATIONS],
    ['no number: Infinity', 'Infinity', '5', NEGATIONS],
    ['no number: NaN', 'NaN', 'NaN', ALIKE],
    ['no number: an exponent without digits', '7e', '5', NEGATIONS],
    ['no number: only a sign', '-', '5', NEGATIONS],
    ['no number: only a point', '.', '5', NEGATIONS],
    ['no number: digits of another script', '\u0667', '5', NEGATIONS],
    ['a number, against no number', '7', 'five', NEGATIONS],
    ['Unicode', 'naïve 🙂', '🙂', PART],
    ['Unicode, against half of it', '🙂', '\ud83d', PART],
    ['Unicode in another normal form', 'e\u0301', 'é', NEGATIONS],
    ['Unicode in another letter case', 'STRASSE', 'straße', NEGATIONS],
    ['65,535 characters', LONG, LONG, ALIKE],
    ['65,535 characters, against one more', LONG, `${LONG}x`, NEGATIONS],
    ['65,535 characters, against the last', `${LONG.slice(1)}y`, 'y', PART],
    ['65,535 digits', LONG_NUMBER, '5', GREATER],
    ['65,535 digits, negative', `-${LONG_NUMBER.slice(1)}`, '5', LESS],
    ['65,535 digits, against a greater one', LONG_NUMBER, `1e65535`, LESS],
  ])('%s', (_, stored, value, expected) => {
    const met = OPERATORS.filter((operator) =>
      isMet(operator, value, stored === undefined ? undefined : [stored]),
    );
    expect(met).toEqual(OPERATORS.filter((operator) => expected.includes(operator)));
  });
});

describe('C7: a field with several values', () => {
  it.each<[Operator, string, string[], boolean]>([
    ['equals', 'b', ['a', 'b'], true],
    ['equals', 'c', ['a', 'b'], false],
    ['contains', 'b', ['a', 'abc'], true],
    ['contains', '', ['', 'a'], true],
    ['in', 'x,b', ['a', 'b'], true],
    ['in', 'x,y', ['a', 'b'], false],
    ['not_equals', 'b', ['a', 'b'], false],
    ['not_equals', 'c', ['a', 'b'], true],
    ['not_in', 'x,b', ['a', 'b'], false],
    ['not_in', 'x,y', ['a', 'b', ''], true],
    ['greater_than', '5', ['1', 'ten', '6'], true],
    ['greater_than', '6', ['1', 'ten', '6'], false],
    ['less_than', '2', ['1', 'ten', '6'], true],
    ['less_than', '1', ['1', '', '6'], false],
    ['equals', '', ['', 'a'], false],
    ['empty', '', ['', 'a'], false],
    ['not_empty', '', ['', 'a'], true],
  ])('%s %j against %j is met: %s', (operator, value, stored, met) => {
    expect(isMet(operator, value, stored)).toBe(met);
  });
});
