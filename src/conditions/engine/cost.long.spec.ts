import { leastCpuOf } from '../../../test/support/cpu-time.js';
import {
  compareDecimals,
  compileRules,
  HIDDEN_VALUES,
  type Operator,
  type EngineCondition,
  type EngineContainer,
  type EngineField,
  runToCompletion,
  type StoredValue,
} from './index.js';

const LONGEST = 65_535;

const list = <T>(count: number, make: (id: number) => T) =>
  Array.from({ length: count }, (_, id) => make(id));

/** The fields of a repeatable entity, with these conditions, steps and entities. */
const fieldsWith = (count: number, plan: (id: number) => Partial<EngineField>) =>
  list(count, (id): EngineField => ({
    ...{ id, isRequired: false, entity: 'e', isRepeatable: true, conditions: [] },
    ...plan(id),
  }));

const condition = (
  dependsOnFieldId: number,
  operator: Operator,
  value: string,
  action: 'show' | 'hide',
): EngineCondition => ({ dependsOnFieldId, operator, value, action });
const hides = (id: number): EngineContainer => ({ conditions: [condition(id, 'not_empty', '', 'hide')] });

describe.each(HIDDEN_VALUES)('the cost of rules with HIDDEN_VALUES=%s', (hiddenValues) => {
  /** CPU time to compile the fields, and to evaluate them in each way. */
  const costOf = (fields: readonly EngineField[]) => {
    const values = fields.map(({ id }): StoredValue => [id, 1, `${id}`]);
    const records = [{ id: 1, entity: 'e' }];
    const rules = compileRules(fields, { hiddenValues });
    return (
      leastCpuOf(() => compileRules(fields, { hiddenValues })) +
      leastCpuOf(() => rules.resolveStates(values)) +
      leastCpuOf(() => runToCompletion(rules.explainStates(values))) +
      leastCpuOf(() => rules.hiddenContainers(values)) +
      leastCpuOf(() => [...rules.resolveRecords(values, records)]) +
      leastCpuOf(() => [...rules.explainRecords(values, records)])
    );
  };
  const forms: [string, (count: number) => EngineField[]][] = [
    [
      'a chain of fields',
      (count) => fieldsWith(count, (id) => ({ conditions: [condition(id + 1, 'empty', '', 'hide')] })),
    ],
    [
      'comparisons of numbers',
      (count) =>
        fieldsWith(count, (id) => ({
          conditions: [condition(count - 1 - id, 'greater_than', `${id}.5`, 'show')],
        })),
    ],
    [
      'a step for each field, in a chain',
      (count) => fieldsWith(count, (id) => ({ containers: [hides(id + 1)] })),
    ],
    [
      'one entity that tests all of its fields',
      (count) => {
        const entity = { conditions: list(count, hides).flatMap(({ conditions }) => conditions) };
        return fieldsWith(count, () => ({ containers: [entity] }));
      },
    ],
    [
      'one entity, and a step that tests another for each field',
      (count) => {
        const entity = hides(count);
        return fieldsWith(count, (id) => ({ containers: [hides(count - 1 - id), entity] }));
      },
    ],
  ];

  it.each(forms)('grows linearly for %s', (_, fieldsOf) => {
    // With fifty times the fields, a quadratic cost would be 2,500 times as high.
    expect(costOf(fieldsOf(10_000))).toBeLessThan(1_000 * costOf(fieldsOf(200)));
  });
});

it('many comparisons parse a long number once', () => {
  const comparing = (count: number) =>
    compileRules(
      fieldsWith(count, (id) => ({ conditions: [condition(0, 'greater_than', `${id}.5`, 'show')] })),
    );
  const values: StoredValue[] = [[0, null, '7'.repeat(LONGEST)]];
  const [one, many] = [comparing(1), comparing(1_000)];
  expect(leastCpuOf(() => many.resolveStates(values))).toBeLessThan(
    100 * leastCpuOf(() => one.resolveStates(values)),
  );
});

const long = (character: string, length = LONGEST) => character.repeat(length);

it.each([
  ['zeros before a digit', `${long('0', LONGEST - 1)}1`],
  ['zeros between digits', `1${long('0', LONGEST - 2)}1`],
  ['digits before a letter', `${long('1', LONGEST - 1)}x`],
  ['digits around a point before a letter', `${long('1', 32_000)}.${long('1', 32_000)}x`],
  ['a long exponent', `1e${long('9', LONGEST - 2)}`],
  ['a long exponent before a letter', `1e${long('9', LONGEST - 3)}x`],
  ['an exponent with leading zeros', `1e${long('0', LONGEST - 3)}1`],
  ['white space around a letter', `${long(' ', 32_000)}x${long(' ', 32_000)}`],
  ['white space inside', `1${long(' ', LONGEST - 2)}1`],
  ['points', long('.')],
  ['signs', long('-')],
])('a decimal with %s is parsed in at most 500 times the time of plain digits (C4)', (_, text) => {
  // A cold start costs a factor of tens. At this length, quadratic time would cost a factor of thousands.
  const plain = long('7');
  expect(leastCpuOf(() => compareDecimals(text, text))).toBeLessThan(
    500 * leastCpuOf(() => compareDecimals(plain, plain)),
  );
});
