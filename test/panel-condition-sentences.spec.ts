import {
  ACTION_WORDS,
  type ConditionCells,
  conditionSentences,
  fitsField,
  SHOWN_OPERATORS,
} from '../examples/panel/src/components/condition-sentences.js';
import type { Held, TestedField, TestedStep } from '../examples/panel/src/components/tested-fields.js';
import { ACTIONS, OPERATORS } from '../src/entities.js';

const PARTS = ['contains', 'not_contains'];
const option = (value: string, label: string) => ({ value, label });
const field = (id: number, name: string, held: Held, others: Partial<TestedField> = {}): TestedField => ({
  ...{ id, code: `field_${id}`, name, held, options: [], isRepeatable: false, entityId: null },
  ...{ isRetired: false, ...others },
});
const STEPS: TestedStep[] = [
  {
    title: 'About you',
    fields: [
      field(1, 'Needs a permit', 'option', { options: [option('y', 'Yes'), option('n', 'No')] }),
      field(2, 'Who pays?', 'text'),
      field(5, 'Born on', 'date'),
    ],
  },
  {
    title: 'Trip',
    fields: [
      field(3, 'Days', 'number'),
      field(4, 'Countries', 'options', {
        ...{ options: [option('fr', 'France'), option('it', 'Italy')], isRetired: true },
      }),
    ],
  },
];

/** The value is a text, or the id of the field to compare with. */
type Plan = readonly [
  fieldId: number,
  operator: string,
  value?: string | number,
  action?: string,
  group?: number,
];

const sentences = (...plans: Plan[]) =>
  conditionSentences(
    plans.map(([dependsOnFieldId, operator, value = '', action = 'show', group]): ConditionCells => ({
      ...{ dependsOnFieldId, operator, action },
      ...(typeof value === 'number' ? { valueFieldId: value, value: '' } : { value }),
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
    [
      'compare with the answer to another field',
      [
        [3, 'at_most', 2],
        [5, 'equals', 4, 'hide'],
      ],
      [
        'Show if Days is at most the answer to “Who pays?”',
        'Hide if Born on is the answer to Countries (never: the field is retired)',
      ],
    ],
    [
      'say dates and distances from today',
      [
        [5, 'before', 'today-18y'],
        [5, 'on_or_after', '2026-11-21'],
        [5, 'after', 'today+1d'],
        [5, 'on_or_before', 'today'],
        [5, 'before', 'soon'],
      ],
      [
        'Show if Born on is before today minus 18 years, or if Born on is on or after 2026-11-21, ' +
          'or if Born on is after today plus 1 day, or if Born on is on or before today, or if Born on is before “soon”',
      ],
    ],
    [
      'name the choice that a list includes',
      [[4, 'not_includes', 'it', 'show']],
      ['Show if Countries does not include Italy (never: the field is retired)'],
    ],
  ])('%s', (_what, plans, expected) => {
    expect(sentences(...plans)).toEqual(expected);
  });

  it('have dots in place of inputs that are still empty', () => {
    expect(conditionSentences([{ action: 'show', groupNumber: '' }], STEPS)).toEqual(['Show if … … …']);
    expect(conditionSentences([], STEPS)).toEqual([]);
  });

  it.each<[Held, string[], TestedField['options']?]>([
    ['number', [...PARTS, 'before', 'after', 'on_or_before', 'on_or_after', 'includes', 'not_includes']],
    ['date', [...PARTS, 'greater_than', 'less_than', 'at_least', 'at_most', 'includes', 'not_includes']],
    ['option', ['before', 'after', 'on_or_before', 'on_or_after', 'includes', 'not_includes']],
    [
      'options',
      ['greater_than', 'less_than', 'at_least', 'at_most', 'before', 'after', 'on_or_before', 'on_or_after'],
    ],
    ['text', ['includes', 'not_includes']],
    // A type of somebody's own can hold several of its options.
    ['text', [], [option('a', 'A')]],
  ])('are offered with the operators that fit a field: %s', (held, unfit, options = []) => {
    const fits = OPERATORS.filter((operator) => fitsField(operator, field(1, 'A', held, { options })));
    expect(fits).toEqual(OPERATORS.filter((operator) => !unfit.includes(operator)));
  });

  it('have words for all operators and actions', () => {
    expect(Object.keys(SHOWN_OPERATORS)).toEqual([...OPERATORS]);
    expect(Object.keys(ACTION_WORDS).sort()).toEqual([...ACTIONS].sort());
  });
});
