import type { DataSource } from 'typeorm';
import { OPERATORS } from '../../src/rules/index.js';
import { buildEntity, buildForm, type FieldPlan } from '../support/forms.js';
import type { Client } from '../support/client.js';
import type { ModelForm } from './model-types.js';

const COMPARED = { equals: 'yes', in: ' a, yes ,,5', not_in: 'a, b', contains: 'e' } as Record<
  string,
  string
>;

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
const hidingEachOther: Record<string, FieldPlan> = {
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
};

/** Builds forms of every kind. Returns them as the service publishes them, because the model knows nothing else. */
export async function buildForms(
  dataSource: DataSource,
  anyone: Client,
): Promise<Omit<ModelForm, 'hiddenValues'>[]> {
  const heading = { heading: { type: 'heading' }, text: { type: 'paragraph' } };
  const built = [
    await buildForm(dataSource, {
      steps: [
        { ...heading, answer: {} },
        { expense: { isRepeatable: true } },
        { note: { isRequired: true } },
      ],
    }),
    await buildForm(dataSource, { steps: [] }),
    await buildForm(dataSource, { steps: [{ answer: {}, ...watchers('answer', 0) }] }),
    await buildForm(dataSource, {
      steps: [{ note: {} }, { expense: { isRepeatable: true } }, watchers('expense', 1), {}, {}],
    }),
    await buildForm(dataSource, {
      form: { completion: 'strict' },
      steps: [
        {
          amount: { type: 'number', isRequired: true, rules: { min: '-5', max: '1e2' } },
          name: { rules: { min_length: '2', max_length: '3', pattern: '[a-z,]+' } },
        },
        {
          agreed: {
            type: 'checkbox',
            isRequired: true,
            conditions: [['name', 'equals', 'yes', 'hide']],
          },
          expense: {
            type: 'number',
            isRepeatable: true,
            rules: { max: '6' },
            conditions: [['name', 'equals', 'xyz', 'require']],
          },
        },
        {
          paid: {
            type: 'checkbox',
            isRequired: true,
            isRepeatable: true,
            conditions: [['expense', 'empty', '', 'hide']],
          },
          owner_name: { isRequired: true, rules: { min_length: '2' } },
          broken: { rules: { pattern: '(' } },
          impossible: { type: 'number', rules: { min: '5', max: '4' } },
        },
      ],
    }),
    await buildForm(dataSource, { form: { isActive: false }, steps: [{ answer: {} }] }),
    await buildForm(dataSource, { form: { completion: 'strict' }, steps: [hidingEachOther] }),
    await buildForm(dataSource, { form: { completion: 'strict' }, steps: [dated] }),
    await buildForm(dataSource, {
      form: { completion: 'strict', timeZone: 'Pacific/Kiritimati' },
      steps: [dated],
    }),
  ];
  const [simple, , , watched, strict, , hiding] = built;
  await buildEntity(dataSource, simple!, { name: 'line', isRepeatable: true }, ['expense']);
  await buildEntity(dataSource, watched!, { name: 'line', isRepeatable: true }, [
    'expense',
    ...Object.keys(watchers('expense', 1)),
  ]);
  await buildEntity(dataSource, strict!, { name: 'line', isRepeatable: true, minRecords: 1, maxRecords: 2 }, [
    'expense',
    'paid',
  ]);
  await buildEntity(dataSource, hiding!, { name: 'line', isRepeatable: true, minRecords: 2 }, [
    'item',
    'price',
    'reason',
  ]);
  await buildEntity(dataSource, hiding!, { name: 'nothing', minRecords: 1 }, []);
  await buildEntity(dataSource, strict!, { name: 'owner', minRecords: 1 }, ['owner_name']);
  return Promise.all(
    built.map(async ({ form: { uuid } }) => ({
      form: (await anyone.get(`/api/v1/forms/${uuid}`)).body.data,
      schema: (await anyone.get(`/api/v1/forms/${uuid}/schema`)).body.data,
    })),
  );
}
