import { OPERATORS, compileRules, type Operator } from './index.js';

/** Whether a condition is met, seen from outside: a field with one `hide` condition is hidden exactly then. */
function isMet(operator: Operator, value: string, stored: readonly string[] | undefined): boolean {
  const rules = compileRules([
    { id: 1, isRequired: false, conditions: [{ dependsOnFieldId: 2, operator, value, action: 'hide' }] },
  ]);
  return rules.resolveStates(new Map(stored && [[2, stored]]))[0]?.visible === false;
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
      'has $operator met: $met, whatever the comparison value',
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
