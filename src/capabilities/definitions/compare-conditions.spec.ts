import fc from 'fast-check';
import { compileRules, type StoredValue } from '../../conditions/engine/index.js';
import { compareConditions } from './compare-conditions.js';
import type { DefinedCondition } from './form-definition.js';
import type { JudgedConditions } from './form-state.js';
import { codesIn, neverMet } from './never-met.js';

const IDS: Record<string, number> = { a: 1, b: 2 };
const CONTENTS = [undefined, 'x', 'y', 'z'];

const conditions: fc.Arbitrary<DefinedCondition[]> = fc.array(
  fc
    .record(
      {
        depends_on_field_code: fc.constantFrom('a', 'b'),
        operator: fc.constantFrom('equals', 'not_equals', 'empty', 'not_empty'),
        value: fc.constantFrom('x', 'y'),
        value_field: fc.constantFrom('a', 'b'),
        action: fc.constantFrom('show', 'hide', 'require'),
        group: fc.constantFrom(1, 2),
      },
      { requiredKeys: ['depends_on_field_code', 'operator', 'value', 'action'] },
    )
    .map(({ value_field, ...condition }) =>
      value_field !== undefined && condition.operator.endsWith('equals')
        ? { ...condition, value: '', value_field }
        : condition,
    ),
  { maxLength: 4 },
);

const retiredCodes = fc.subarray(Object.keys(IDS));

const judged = (own: readonly DefinedCondition[], retired: readonly string[]): JudgedConditions => ({
  ...{ conditions: own, retired },
  neverMet: neverMet(own, (code) => retired.includes(code)),
});

/** Returns the state of a field with these conditions, for all combinations of the values of two fields. */
function statesWith({ conditions: own, retired }: JudgedConditions) {
  const ruleConditions = own.map((condition) => ({
    ...condition,
    dependsOnFieldId: IDS[condition.depends_on_field_code] ?? 0,
    valueFieldId: condition.value_field === undefined ? null : IDS[condition.value_field]!,
    testsRetired: codesIn(condition).some((code) => retired.includes(code)),
  }));
  const rules = compileRules([{ id: 3, isRequired: false, conditions: ruleConditions }]);
  const valuesOf = (id: number) =>
    CONTENTS.map((value): StoredValue[] => (value === undefined ? [] : [[id, null, value]]));
  return valuesOf(1).flatMap((a) => valuesOf(2).map((b) => rules.resolveStates([...a, ...b])[0]!));
}

it('compareConditions() finds each way in which conditions can newly hide, show or require, with any values', () => {
  fc.assert(
    fc.property(conditions, conditions, retiredCodes, retiredCodes, (from, to, wasRetired, isRetired) => {
      const [before, after] = [judged(from, wasRetired), judged(to, isRetired)];
      const [old, now] = [statesWith(before), statesWith(after)];
      const pairs = now.map((state, index) => [old[index]!, state] as const);
      const isPossible = {
        canNewlyHide: pairs.some(([was, is]) => was.visible && !is.visible),
        canNewlyShow: pairs.some(([was, is]) => !was.visible && is.visible),
        canNewlyRequire: pairs.some(([was, is]) => was.visible && !was.required && is.required),
      };
      for (const [way, found] of Object.entries(compareConditions(before, after)))
        expect([way, found || !isPossible[way as keyof typeof isPossible]]).toEqual([way, true]);
      const nothing = { canNewlyHide: false, canNewlyShow: false, canNewlyRequire: false };
      expect(compareConditions(before, before)).toEqual(nothing);
    }),
    { numRuns: 200 },
  );
});
