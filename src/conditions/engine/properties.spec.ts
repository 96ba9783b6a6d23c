import { ruleProperties } from '../../../test/support/rule-properties.js';
import {
  compileRules,
  HIDDEN_VALUES,
  type HiddenValues,
  type EngineField,
  type StoredValue,
} from './index.js';

ruleProperties(60);

describe('deep chains and cycles of 1,000 fields', () => {
  const SIZE = 1_000;
  const ids = Array.from({ length: SIZE }, (_, position) => position + 1);
  const all = ids.map((id): StoredValue => [id, null, 'x']);
  const withoutFirst = all.filter(([id]) => id !== 1);

  /** Each field, or the step of each field, is shown by the value of the field before. */
  function following(owner: string, order: readonly number[], first?: number): EngineField[] {
    return order.map((id) => {
      const dependsOnFieldId = id === 1 ? first : id - 1;
      if (dependsOnFieldId === undefined) return { id, isRequired: true, conditions: [] };
      const conditions = [{ dependsOnFieldId, operator: 'not_empty', value: '', action: 'show' }] as const;
      return owner === 'step'
        ? { id, isRequired: true, conditions: [], containers: [{ conditions }] }
        : { id, isRequired: true, conditions };
    });
  }

  const countVisible = (fields: EngineField[], values: StoredValue[], hiddenValues: HiddenValues) =>
    compileRules(fields, { hiddenValues })
      .resolveStates(values)
      .filter(({ visible }) => visible).length;

  it.each([
    ['field', 'first to last', ids],
    ['field', 'last to first', ids.toReversed()],
    ['step', 'first to last', ids],
    ['step', 'last to first', ids.toReversed()],
  ])(
    'a chain of each %s from the %s hides all after the first with ignore, one with keep',
    (owner, _, order) => {
      const chain = following(owner, order);
      expect(countVisible(chain, all, 'ignore')).toBe(SIZE);
      expect(countVisible(chain, withoutFirst, 'ignore')).toBe(1);
      expect(countVisible(chain, withoutFirst, 'keep')).toBe(SIZE - 1);
    },
  );

  it.each(['field', 'step'])('a cycle of each %s is evaluated with the stored values (C15)', (owner) => {
    const cycle = following(owner, ids, SIZE);
    for (const hiddenValues of HIDDEN_VALUES) {
      expect(countVisible(cycle, all, hiddenValues)).toBe(SIZE);
      expect(countVisible(cycle, withoutFirst, hiddenValues)).toBe(SIZE - 1);
    }
  });
});
