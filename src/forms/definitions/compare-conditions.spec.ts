import fc from 'fast-check';
import { compileRules, type StoredValue } from '../../rules/index.js';
import { compareConditions } from './compare-conditions.js';
import type { DefinedCondition } from './form-definition.js';
import type { Judged } from './form-state.js';
import { neverMet } from './never-met.js';

const IDS: Record<string, number> = { a: 1, b: 2 };
const CONTENTS = [undefined, 'x', 'y', 'z'];

const conditions: fc.Arbitrary<DefinedCondition[]> = fc.array(
  fc.record(
    {
      depends_on_field_code: fc.constantFrom('a', 'b'),
      operator: fc.constantFrom('equals', 'not_equals', 'empty', 'not_empty'),
      value: fc.constantFrom('x', 'y'),
      action: fc.constantFrom('show', 'hide', 'require'),
      group: fc.constantFrom(1, 2),
    },
    { requiredKeys: ['depends_on_field_code', 'operator', 'value', 'action'] },
  ),
  { maxLength: 4 },
);

const retiredCodes = fc.subarray(Object.keys(IDS));

const judged = (own: readonly DefinedCondition[], retired: readonly string[]): Judged => ({
  ...{ conditions: own, retired },
  neverMet: neverMet(own, (code) => retired.includes(code)),
});

/** Returns the state of a field with these conditions, for all combinations of the values of two fields. */
function statesWith({ conditions: own, retired }: Judged) {
  const ruleConditions = own.map((condition) => ({
    ...condition,
    dependsOnFieldId: IDS[condition.depends_on_field_code] ?? 0,
    testsRetired: retired.includes(condition.depends_on_field_code),
  }));
  const rules = compileRules([{ id: 3, isRequired: false, conditions: ruleConditions }]);
  return CONTENTS.flatMap((a) =>
    CONTENTS.map((b) => {
      const values: [number, string | undefined][] = [
        [1, a],
        [2, b],
      ];
      const stored = values.flatMap(([id, value]): StoredValue[] =>
        value === undefined ? [] : [[id, null, value]],
      );
      return rules.resolveStates(stored)[0];
    }),
  );
}

it('compareConditions() finds each way in which conditions can newly hide, show or require, with any values', () => {
  fc.assert(
    fc.property(conditions, conditions, retiredCodes, retiredCodes, (from, to, wasRetired, isRetired) => {
      const [before, after] = [judged(from, wasRetired), judged(to, isRetired)];
      const { canNewlyHide, canNewlyShow, canNewlyRequire } = compareConditions(before, after);
      const [old, now] = [statesWith(before), statesWith(after)];
      for (const [index, state] of now.entries()) {
        const wasVisible = old[index]?.visible;
        if (wasVisible && !state?.visible) expect(canNewlyHide).toBe(true);
        if (!wasVisible && state?.visible) expect(canNewlyShow).toBe(true);
        const isNewlyRequired = wasVisible && !old[index]?.required && state?.required;
        if (isNewlyRequired) expect(canNewlyRequire).toBe(true);
      }
      expect(compareConditions(before, before)).toEqual({
        canNewlyHide: false,
        canNewlyShow: false,
        canNewlyRequire: false,
      });
    }),
    { numRuns: 2_000 },
  );
});
