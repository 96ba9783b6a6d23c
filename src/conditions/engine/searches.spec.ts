import { compileRules } from './compile.js';
import type { EngineField, StoredValue } from './vocabulary.js';

const SEARCHED = 1;
const TEXT = 'ab'.repeat(32_767);

/** A form with a field for each of these parts. The field is shown if the searched field contains its part. */
function formWith(parts: readonly string[]): EngineField[] {
  return [
    { id: SEARCHED, isRequired: false, conditions: [] },
    ...parts.map((value, index) => ({
      id: index + 2,
      isRequired: false,
      conditions: [
        { dependsOnFieldId: SEARCHED, operator: 'contains' as const, value, action: 'show' as const },
      ],
    })),
  ];
}

const parts = Array.from({ length: 40 }, (_, index) =>
  index % 2 === 0 ? `${'ab'.repeat(index)}a` : `b${index}`,
);

it('the searches of a long evaluation can be executed first, part by part, with the same result', () => {
  const rules = compileRules(formWith(parts));
  const values: StoredValue[] = [[SEARCHED, null, TEXT]];
  const searching = rules.search(values);
  let steps = 0;
  let step = searching!.next();
  for (; step.done !== true; step = searching!.next()) steps += 1;
  expect(steps).toBe(parts.length);

  const states = rules.resolveStates(values, step.value);
  expect(states).toEqual(rules.resolveStates(values));
  expect(states.slice(1).map(({ visible }) => visible)).toEqual(parts.map((part) => TEXT.includes(part)));
  for (const part of parts) expect(step.value.get(TEXT, part)).toBe(TEXT.includes(part));
});

it('if many fields search for the same part, it is searched only once', () => {
  const rules = compileRules(formWith(Array<string>(1_000).fill('c')));
  expect([...rules.search([[SEARCHED, null, TEXT]])!]).toHaveLength(1);
});

it('short texts, forms without contains conditions, and conditions on a retired field need no search (N6)', () => {
  const retired = formWith(parts).map((field) => ({
    ...field,
    conditions: field.conditions.map((condition) => ({ ...condition, testsRetired: true })),
  }));
  expect(compileRules(formWith(parts)).search([[SEARCHED, null, 'abab']])).toBeUndefined();
  for (const fields of [formWith([]), retired])
    expect(compileRules(fields).search([[SEARCHED, null, TEXT]])).toBeUndefined();
});
