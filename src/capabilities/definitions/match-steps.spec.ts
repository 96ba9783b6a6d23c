import type { DefinedStep, FormDefinition } from './form-definition.js';
import { matchSteps, renumberSteps } from './match-steps.js';

type Plan = readonly [title: string, ...codes: string[]];

/** Steps with the numbers 1, 2 and so on. */
const stepsOf = (...plans: readonly Plan[]): DefinedStep[] =>
  plans.map(
    ([title, ...codes], index) =>
      ({ step_number: index + 1, title, fields: codes.map((code) => ({ code })) }) as unknown as DefinedStep,
  );
const formOf = (steps: readonly DefinedStep[]) => ({ steps }) as FormDefinition;

const A: Plan = ['A', 'a1', 'a2'];
const B: Plan = ['B', 'b1', 'b2'];
const C: Plan = ['C', 'c1'];

describe('matchSteps()', () => {
  it.each<[string, readonly Plan[], readonly Plan[], string]>([
    ['the same steps', [A, B, C], [A, B, C], '1→1 2→2 3→3'],
    ['the first is removed', [A, B, C], [B, C], '2→1 3→2'],
    ['another order', [A, B, C], [C, A, B], '1→2 2→3 3→1'],
    ['a new one between, and another title', [A, B], [A, ['New', 'n'], ['Other', 'b1', 'b2']], '1→1 2→3'],
    [
      'most fields decide',
      [A, B],
      [
        ['B', 'a1'],
        ['A', 'b1', 'b2', 'a2'],
      ],
      '1→1 2→2',
    ],
    ['a step is divided: the part with its title', [A, C], [['New', 'a1'], ['A', 'a2'], C], '1→2 2→3'],
    ['a step is divided: the part with its number', [C, A], [['X', 'a1'], ['Y', 'a2'], C], '1→3 2→2'],
    ['two steps become one: the one with more fields', [C, A], [['New', 'c1', 'a1', 'a2']], '2→1'],
    ['new fields: the title', [A, B], [['New', 'n'], ['A', 'x'], B], '1→2 2→3'],
    ['titles that are not unique: in their order', [['T'], ['T'], ['T']], [['T'], ['T']], '1→1 2→2'],
    ['new fields and title: the number', [A, B], [['New', 'n'], B], '1→1 2→2'],
    ['nothing in common', [A, B], [B, ['New', 'n'], C], '2→1'],
    ['all are removed', [A, B], [], ''],
  ])('%s', (_, before, after, expected) => {
    const newSteps = matchSteps(stepsOf(...before), stepsOf(...after));
    const pairs = [...newSteps].map(([old, now]) => `${old.step_number}→${now.step_number}`);
    expect(pairs.toSorted().join(' ')).toBe(expected);
  });
});

describe('renumberSteps()', () => {
  it('gives each step its new number, and a removed step one that no step has', () => {
    const before = stepsOf(['First', 'f'], A, B, C);
    before[3] = { ...before[3]!, step_number: 2_147_483_647 };
    const { renumbered, previousNumbers } = renumberSteps(formOf(before), formOf(stepsOf(C, A)));
    expect(renumbered.steps.map(({ step_number }) => step_number)).toEqual([
      2_147_483_646, 2, 2_147_483_645, 1,
    ]);
    expect(previousNumbers).toEqual([1, 1, 2, 2]);
    expect(renumbered.steps.map(({ title }) => title)).toEqual(['First', 'A', 'B', 'C']);
  });
});
