import type { DataSource } from 'typeorm';
import { OPERATORS } from '../../src/conditions/engine/index.js';
import { buildForm, type FieldPlan, type FormPlan } from '../support/forms.js';
import type { Client } from '../support/client.js';
import type { ModelForm } from './model-types.js';

const COMPARED: Record<string, string> = { equals: 'yes', in: ' a, yes ,,5', not_in: 'a, b', contains: 'e' };

/** One field per operator, each with two conditions. Their actions are the same or different, and some are grouped (C9). */
function watchers(dependsOn: string, shift: number): Record<string, FieldPlan> {
  const actions = ['show', 'hide', 'require'] as const;
  return Object.fromEntries(
    OPERATORS.map((operator, index) => {
      const group = index % 4 < 2 ? 1 + (index % 2) : undefined;
      return [
        `${operator}_${dependsOn}`,
        {
          isRequired: index % 2 === 0,
          conditions: [
            [dependsOn, operator, COMPARED[operator] ?? '6', actions[(index + shift) % 3]!, group],
            [dependsOn, 'contains', 'yes', actions[(index + shift + (index % 2)) % 3]!, group],
          ],
        },
      ];
    }),
  );
}

/** Two fields whose rules refer to today (J2). */
const dated: Record<string, FieldPlan> = {
  earlier: { type: 'date', rules: { max_date: 'today' } },
  later: { type: 'date', isRequired: true, rules: { min_date: 'today+1d', max_date: '2999-01-01' } },
};

/** Fields that show or hide each other, in chains and in a cycle, both in the form and in records (C5). */
const hidingEachOther: FormPlan = {
  form: { completion: 'strict' },
  steps: [
    {
      first: {},
      second: { conditions: [['first', 'equals', 'yes', 'show']] },
      third: { isRequired: true, conditions: [['second', 'not_empty', '', 'show']] },
      left: { conditions: [['right', 'equals', 'yes', 'hide']] },
      right: {
        conditions: [
          ['left', 'equals', 'yes', 'hide'],
          ['third', 'not_empty', '', 'require'],
        ],
      },
      after: { conditions: [['left', 'empty', '', 'hide']] },
      item: { isRepeatable: true, conditions: [['second', 'equals', 'yes', 'hide']] },
      price: { isRepeatable: true, isRequired: true, conditions: [['item', 'not_empty', '', 'show']] },
      reason: {
        isRepeatable: true,
        conditions: [
          ['price', 'not_empty', '', 'show'],
          ['after', 'not_empty', '', 'require'],
        ],
      },
    },
  ],
  entities: [
    { name: 'line', isRepeatable: true, minRecords: 2, of: ['item', 'price', 'reason'] },
    { name: 'nothing', minRecords: 1 },
  ],
};

/** A form that branches by step: chains of steps, a step without fields, and entities that answers hide (C10). */
const branching: FormPlan = {
  form: { completion: 'strict' },
  steps: [
    { ask: {}, other: {} },
    { detail: { isRequired: true }, more: { conditions: [['detail', 'not_empty', '', 'show']] } },
    {
      child_name: { isRepeatable: true, isRequired: true },
      child_age: { isRepeatable: true, conditions: [['child_name', 'equals', 'yes', 'require']] },
    },
    { school: { isRepeatable: true, isRequired: true }, note: { isRequired: true } },
    {
      heading: { type: 'heading' },
      late: {
        conditions: [
          ['note', 'not_empty', '', 'require'],
          ['school', 'contains', 'e', 'hide'],
        ],
      },
    },
    {},
    { last: { conditions: [['ask', 'equals', 'yes', 'require']] } },
  ],
  stepConditions: {
    2: [
      ['ask', 'equals', 'yes', 'show'],
      ['other', 'contains', 'e', 'show'],
    ],
    4: [['detail', 'equals', 'yes', 'hide']],
    5: [
      ['note', 'not_empty', '', 'show', 1],
      ['school', 'not_empty', '', 'show', 1],
      ['ask', 'equals', '5', 'hide'],
    ],
    6: [['ask', 'not_empty', '', 'show']],
    7: [['child_name', 'not_equals', 'a', 'show']],
  },
  entities: [
    {
      ...{ name: 'child', isRepeatable: true, minRecords: 2, of: ['child_name', 'child_age', 'school'] },
      conditions: [
        ['other', 'equals', 'yes', 'hide'],
        ['ask', 'not_in', 'a, b', 'show'],
      ],
    },
    { name: 'nothing', minRecords: 1, conditions: [['ask', 'equals', 'yes', 'show']] },
  ],
};

/** Steps and entities that show or hide each other or themselves (C15), and a step that the panel hides. */
const circling: FormPlan = {
  form: { completion: 'strict' },
  steps: [
    { one: { isRequired: true } },
    { two: {}, after: { conditions: [['one', 'equals', 'yes', 'hide']] } },
    { three: { isRequired: true }, line_text: { isRepeatable: true } },
    { four: {}, line_more: { isRepeatable: true, conditions: [['line_text', 'not_empty', '', 'require']] } },
    {
      five: { isRequired: true },
      agreed: { type: 'checkbox', isRequired: true },
      unseen_text: { isRepeatable: true },
    },
  ],
  stepConditions: {
    1: [['two', 'equals', 'yes', 'hide']],
    2: [['one', 'equals', 'yes', 'hide']],
    3: [['three', 'not_empty', '', 'show']],
    4: [['after', 'contains', 'e', 'show']],
  },
  entities: [
    {
      ...{ name: 'line', isRepeatable: true, minRecords: 1, of: ['line_text', 'line_more'] },
      conditions: [['line_text', 'equals', 'yes', 'hide']],
    },
    { name: 'unseen', isRepeatable: true, minRecords: 1, of: ['unseen_text'] },
  ],
};

/** Fields, a step and an entity with conditions on a retired field, alone and in groups (N6). */
const retiring: FormPlan = {
  form: { completion: 'strict' },
  steps: [
    { gone: { retiredAt: new Date() }, here: {}, ...watchers('gone', 2) },
    {
      both: {
        isRequired: true,
        conditions: [
          ['gone', 'empty', '', 'show', 1],
          ['here', 'empty', '', 'show', 1],
          ['here', 'equals', 'yes', 'show'],
        ],
      },
      next: { conditions: [['both', 'empty', '', 'hide']] },
    },
    { never: { isRequired: true }, thing: { isRepeatable: true, isRequired: true } },
  ],
  stepConditions: { 2: [['gone', 'not_equals', 'a', 'hide']], 3: [['gone', 'empty', '', 'show']] },
  entities: [
    {
      ...{ name: 'item', isRepeatable: true, minRecords: 1, of: ['thing'] },
      conditions: [['gone', 'not_in', 'a', 'show']],
    },
  ],
};

/** Rules for values, in the form and in records (S4, J1 to J8). */
const strict: FormPlan = {
  form: { completion: 'strict' },
  steps: [
    {
      amount: { type: 'number', isRequired: true, rules: { min: '-5', max: '1e2' } },
      name: { rules: { min_length: '2', max_length: '3', pattern: '[a-z,]+' } },
    },
    {
      agreed: { type: 'checkbox', isRequired: true, conditions: [['name', 'equals', 'yes', 'hide']] },
      expense: {
        ...{ type: 'number', isRepeatable: true, rules: { max: '6' } },
        conditions: [['name', 'equals', 'xyz', 'require']],
      },
    },
    {
      paid: {
        ...{ type: 'checkbox', isRequired: true, isRepeatable: true },
        conditions: [['expense', 'empty', '', 'hide']],
      },
      owner_name: { isRequired: true, rules: { min_length: '2' } },
      broken: { rules: { pattern: '(' } },
      impossible: { type: 'number', rules: { min: '5', max: '4' } },
    },
  ],
  entities: [
    { name: 'line', isRepeatable: true, minRecords: 1, maxRecords: 2, of: ['expense', 'paid'] },
    { name: 'owner', minRecords: 1, of: ['owner_name'] },
  ],
};

/** Conditions that compare answers with one another, in the form and in records (C17). */
const comparing: FormPlan = {
  steps: [
    {
      left: {},
      right: { conditions: [['left', 'not_equals', { field: 'middle' }, 'hide']] },
      middle: { conditions: [['left', 'greater_than', { field: 'right' }, 'show']] },
      part: { conditions: [['left', 'contains', { field: 'right' }, 'require']] },
    },
    {
      one: { isRepeatable: true },
      two: { isRepeatable: true, conditions: [['one', 'equals', { field: 'left' }, 'hide']] },
      three: {
        isRepeatable: true,
        conditions: [
          ['one', 'at_most', { field: 'two' }, 'show', 1],
          ['one', 'not_contains', { field: 'left' }, 'show', 1],
        ],
      },
    },
  ],
  stepConditions: { 2: [['left', 'not_equals', { field: 'right' }, 'show']] },
  entities: [{ name: 'line', isRepeatable: true, of: ['one', 'two', 'three'] }],
};

const PLANS: readonly FormPlan[] = [
  {
    steps: [
      { heading: { type: 'heading' }, text: { type: 'paragraph' }, answer: {} },
      { expense: { isRepeatable: true } },
      { note: { isRequired: true } },
    ],
    entities: [{ name: 'line', isRepeatable: true, of: ['expense'] }],
  },
  { steps: [] },
  { steps: [{ answer: {}, ...watchers('answer', 0) }] },
  {
    steps: [{ note: {} }, { expense: { isRepeatable: true } }, watchers('expense', 1), {}, {}],
    entities: [{ name: 'line', isRepeatable: true, of: ['expense', ...Object.keys(watchers('expense', 1))] }],
  },
  strict,
  { form: { isActive: false }, steps: [{ answer: {} }] },
  hidingEachOther,
  { form: { completion: 'strict' }, steps: [dated] },
  { form: { completion: 'strict', timeZone: 'Pacific/Kiritimati' }, steps: [dated] },
  branching,
  retiring,
  comparing,
  circling,
];

/** Builds forms of every kind. Returns them as the service publishes them, because the model knows nothing else. */
export async function buildForms(
  dataSource: DataSource,
  anyone: Client,
): Promise<Omit<ModelForm, 'hiddenValues'>[]> {
  const built = [];
  for (const [index, plan] of PLANS.entries()) {
    // Respondents may begin every other form.
    const access = index % 2 === 0 ? 'public' : 'token';
    built.push(await buildForm(dataSource, { ...plan, form: { ...plan.form, access } }));
  }
  const { id } = built.at(-1)!.steps.at(-1)!;
  await dataSource.query('update steps set is_visible = false where id = $1', [id]);
  return Promise.all(
    built.map(async ({ form: { uuid } }) => ({
      form: (await anyone.get(`/api/v1/forms/${uuid}`)).body.data,
      schema: (await anyone.get(`/api/v1/forms/${uuid}/schema`)).body.data,
    })),
  );
}
