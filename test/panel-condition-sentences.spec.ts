import {
  ACTION_WORDS,
  type ConditionCells,
  conditionSentences,
  SHOWN_OPERATORS,
  type TestedStep,
} from '../examples/panel/src/components/condition-sentences.js';
import { ACTIONS, OPERATORS } from '../src/entities.js';

const option = (value: string, label: string) => ({ value, label });
const STEPS: TestedStep[] = [
  {
    title: 'About you',
    fields: [
      { id: 1, name: 'Needs a permit', options: [option('y', 'Yes'), option('n', 'No')], isRetired: false },
      { id: 2, name: 'Who pays?', options: [], isRetired: false },
    ],
  },
  {
    title: 'Trip',
    fields: [
      { id: 3, name: 'Days', options: [], isRetired: false },
      { id: 4, name: 'Countries', options: [option('fr', 'France'), option('it', 'Italy')], isRetired: true },
    ],
  },
];

type Plan = readonly [fieldId: number, operator: string, value?: string, action?: string, group?: number];

const sentences = (...plans: Plan[]) =>
  conditionSentences(
    plans.map(([dependsOnFieldId, operator, value = '', action = 'show', group]): ConditionCells => ({
      ...{ dependsOnFieldId, operator, value, action },
      groupNumber: group ?? null,
    })),
    STEPS,
  );

describe('conditions in the words of the panel', () => {
  it.each<[string, Plan[], string[]]>([
    ['name the field and the option', [[1, 'equals', 'y']], ['Show if Needs a permit is Yes']],
    ['quote a value that is no option', [[2, 'not_equals', 'me']], ['Show if “Who pays?” is not “me”']],
    ['show numbers as they are', [[3, 'greater_than', '3.5']], ['Show if Days is greater than 3.5']],
    [
      'list the options of a list',
      [
        [1, 'in', 'y, n,x'],
        [4, 'equals', 'fr,it'],
      ],
      [
        'Show if Needs a permit is one of Yes, No, “x”, or if Countries is France, Italy (never: the field is retired)',
      ],
    ],
    [
      'leave out the value of operators without a value',
      [
        [3, 'empty', 'left over'],
        [2, 'not_empty', '', 'hide'],
      ],
      ['Show if Days is empty', 'Hide if “Who pays?” is not empty'],
    ],
    [
      'join the conditions of a group with "and"',
      [
        [1, 'equals', 'y', 'hide', 1],
        [3, 'less_than', '2', 'hide'],
        [2, 'contains', 'x', 'hide', 1],
      ],
      ['Hide if Needs a permit is Yes and “Who pays?” contains “x”, or if Days is less than 2'],
    ],
    [
      'name actions with the same tests together',
      [
        [1, 'equals', 'y', 'require'],
        [1, 'equals', 'y'],
        [3, 'empty', '', 'hide'],
      ],
      ['Show and require if Needs a permit is Yes', 'Hide if Days is empty'],
    ],
  ])('%s', (_what, plans, expected) => {
    expect(sentences(...plans)).toEqual(expected);
  });

  it('have dots in place of inputs that are still empty', () => {
    expect(conditionSentences([{ action: 'show', groupNumber: '' }], STEPS)).toEqual(['Show if … … …']);
    expect(conditionSentences([], STEPS)).toEqual([]);
  });

  it('have words for all operators and actions', () => {
    expect(Object.keys(SHOWN_OPERATORS)).toEqual([...OPERATORS]);
    expect(Object.keys(ACTION_WORDS).sort()).toEqual([...ACTIONS].sort());
  });
});
