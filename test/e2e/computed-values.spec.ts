import { type Formula, HIDDEN_VALUES } from '../../src/conditions/engine/index.js';
import { createWebhookEndpoint, Field } from '../../src/entities.js';
import { addRecord, complete, entriesOf, stateOf, store } from '../support/draft-requests.js';
import { type Draft, newDraftOf } from '../support/drafts.js';
import type { FormPlan } from '../support/forms.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { expectInvalid } from '../support/refusal.js';
import { useService, useServiceOn } from '../support/service.js';
import { KEY } from '../support/webhooks.js';

const use = useService();

/** A claim with a total of its lines, a total of each line, and a field that large totals show. */
const CLAIM: FormPlan = {
  form: { completion: 'strict' },
  steps: [
    {
      traveller: {},
      price: { type: 'number', isRepeatable: true },
      count: { type: 'number', isRepeatable: true },
      line_total: { type: 'number', isRepeatable: true, computed: { op: 'product', of: ['price', 'count'] } },
      total: { type: 'number', computed: { op: 'sum', of: ['line_total'] } },
      title: { computed: { op: 'join', of: ['traveller', { value: 'claims' }, 'total'], with: ' ' } },
      reason: { isRequired: true, conditions: [['total', 'greater_than', '100', 'show']] },
    },
  ],
  entities: [{ name: 'line', isRepeatable: true, of: ['price', 'count', 'line_total'] }],
};

const computedIn = (
  computed: readonly { field_code: string; entity_record_id: number | null; value: string }[],
) => computed.map(({ field_code, entity_record_id, value }) => [field_code, entity_record_id, value]);

/** Changes what a field computes, and waits until the service knows. */
const setFormula = ({ id }: Field, computed: Formula) =>
  use.service.hearing(() => use.database.dataSource.manager.update(Field, { id }, { computed }));

async function claim(): Promise<Draft & { readonly lines: readonly [number, number] }> {
  const draft = await newDraftOf(use, CLAIM);
  const lines = [await addRecord(draft, 'line'), await addRecord(draft, 'line')] as const;
  await store(draft, { traveller: 'Ada' });
  await store(draft, { price: '12.50', count: '3' }, lines[0]);
  await store(draft, { price: '0.10', count: '1' }, lines[1]);
  return { ...draft, lines };
}

describe('computed fields (K1, K2)', () => {
  it('are computed for each record and for the submission, and shown by get and by conditions', async () => {
    const draft = await claim();
    const [first, second] = draft.lines;
    const { values, computed } = await stateOf(draft);
    expect(computedIn(computed)).toEqual([
      ['line_total', first, '37.5'],
      ['line_total', second, '0.1'],
      ['total', null, '37.6'],
      ['title', null, 'Ada claims 37.6'],
    ]);
    expect(computed[2]).toEqual({
      ...{ field_id: draft.fields['total']!.id, field_code: 'total', entity_record_id: null, value: '37.6' },
    });
    expect(values.map(({ field_code }: { field_code: string }) => field_code)).toEqual([
      ...['traveller', 'price', 'price', 'count', 'count'],
    ]);
    const { body } = await draft.client.get(`${draft.path}/conditions?computed=true`);
    expect(Object.keys(body)).toEqual(['data', 'computed', 'form_version']);
    expect(body.computed).toEqual(computed);
    expect((await draft.client.get(`${draft.path}/conditions`)).body).not.toHaveProperty('computed');
  });

  it('decide conditions in the answer to the save that changes them', async () => {
    const draft = await claim();
    const stateOfReason = (conditions: { data: Record<string, unknown> }) =>
      conditions.data[draft.fields['reason']!.id];
    const body = { values: entriesOf({ price: '99' }, draft.lines[1]) };
    const query = '?include=conditions&computed=true';
    const saved = await draft.client.post(`${draft.path}/values${query}`, body);
    expect(stateOfReason(saved.body.conditions)).toEqual({ visible: true, required: true });
    expect(computedIn(saved.body.conditions.computed)).toContainEqual(['total', null, '136.5']);
    await store(draft, { price: '1' }, draft.lines[1]);
    const { body: conditions } = await draft.client.get(`${draft.path}/conditions`);
    expect(stateOfReason(conditions)).toEqual({ visible: false, required: false });
  });

  it('take no value from clients', async () => {
    const draft = await claim();
    const before = await stateOf(draft);
    const values = [
      { field_code: 'traveller', value: 'Bob' },
      { field_code: 'total', value: '1' },
      { field_id: draft.fields['line_total']!.id, value: '1', entity_record_id: draft.lines[0] },
    ];
    const answer = await draft.client.post(
      `${draft.path}/values`,
      { values },
      {
        accept: 'application/problem+json',
      },
    );
    expect(answer.status).toBe(422);
    expect(
      answer.body.errors.map(({ field, code }: { field: string; code: string }) => [field, code]),
    ).toEqual([
      ['values.1.field_code', 'computed'],
      ['values.2.field_id', 'computed'],
    ]);
    expect(await stateOf(draft)).toEqual(before);
  });

  it('are judged by strict completion, and keep their values of that moment when the submission is completed', async () => {
    const draft = await claim();
    await store(draft, { price: '99' }, draft.lines[1]);
    expectInvalid(await complete(draft), 'reason');
    await store(draft, { reason: 'Far away' });
    expect((await complete(draft)).status).toBe(200);
    const { values, computed } = await stateOf(draft);
    expect(computedIn(computed)).toContainEqual(['total', null, '136.5']);
    expect(values).toHaveLength(6);
    const rows = await use.database.dataSource.query(
      `select code, value from submission_values join fields on fields.id = field_id
        where submission_uuid = $1 and computed is not null order by fields.id, entity_record_id`,
      [draft.uuid],
    );
    expect(rows.map(({ code, value }: { code: string; value: string }) => [code, value])).toEqual([
      ['line_total', '37.5'],
      ['line_total', '99'],
      ['total', '136.5'],
      ['title', 'Ada claims 136.5'],
    ]);
    // A formula that changes afterwards changes no completed submission.
    await setFormula(draft.fields['total']!, { op: 'count', of: ['price'] });
    expect(computedIn((await stateOf(draft)).computed)).toContainEqual(['total', null, '136.5']);
    const { body } = await draft.client.get(`${draft.path}/conditions?computed=true`);
    expect(computedIn(body.computed)).toContainEqual(['total', null, '136.5']);
  });

  itOnOneServer('are in the webhook of the completed submission (W6)', async () => {
    const { manager } = use.database.dataSource;
    const draft = await claim();
    const of = { url: 'https://receiver.example/hook', body: 'full', formId: draft.form.id } as const;
    await createWebhookEndpoint(manager, of, KEY.toString('base64'));
    expect((await complete(draft)).status).toBe(200);
    const [row] = await manager.query<{ values: string }[]>(
      'select values::text from webhook_outbox where submission_uuid = $1',
      [draft.uuid],
    );
    for (const value of ['"12.50"', '"37.5"', '"0.1"', '"37.6"']) expect(row?.values).toContain(value);
    await manager.query('delete from webhook_endpoints where form_id = $1', [draft.form.id]);
  });

  it('replace what was stored before their field was computed', async () => {
    const draft = await newDraftOf(use, { steps: [{ one: { type: 'number' }, two: { type: 'number' } }] });
    await store(draft, { one: '2', two: '99' });
    await setFormula(draft.fields['two']!, { op: 'sum', of: ['one'] });
    const draftState = await stateOf(draft);
    expect(draftState.values).toHaveLength(1);
    expect(computedIn(draftState.computed)).toEqual([['two', null, '2']]);
    expect((await complete(draft)).status).toBe(200);
    expect(computedIn((await stateOf(draft)).computed)).toEqual([['two', null, '2']]);
  });

  it('have no explanation if all explanations together are too long', async () => {
    const count = { type: 'number', computed: { op: 'count', of: ['text'] } } as const;
    const draft = await newDraftOf(use, {
      steps: [{ text: { type: 'textarea', isRepeatable: true }, first: count, second: count }],
      entities: [{ name: 'page', isRepeatable: true, of: ['text'] }],
    });
    const explained = async () => {
      const { body } = await draft.client.get(`${draft.path}/conditions?computed=true&explain=true`);
      return body.computed.map(({ value, operands }: { value: string; operands?: object }) => [
        value,
        operands !== undefined,
      ]);
    };
    for (let pages = 1; pages <= 9; pages += 1)
      await store(draft, { text: 'x'.repeat(65_000) }, await addRecord(draft, 'page'));
    // Each explanation has 585,000 characters, and only the two together have more than 1 MiB.
    expect(await explained()).toEqual([
      ['9', false],
      ['9', false],
    ]);
    await store(draft, { text: '' }, (await stateOf(draft)).records[0].id);
    await store(draft, { text: '' }, (await stateOf(draft)).records[1].id);
    expect(await explained()).toEqual([
      ['7', true],
      ['7', true],
    ]);
  });

  it('are explained by the answers that they are computed from', async () => {
    const draft = await claim();
    const [first] = draft.lines;
    const { body } = await draft.client.get(`${draft.path}/conditions?computed=true&explain=true`);
    const operandsOf = (code: string, record: number | null) =>
      body.computed.find(
        ({ field_code, entity_record_id }: { field_code: string; entity_record_id: number | null }) =>
          field_code === code && entity_record_id === record,
      ).operands;
    expect(operandsOf('line_total', first)).toEqual([
      { field_code: 'price', values: ['12.50'] },
      { field_code: 'count', values: ['3'] },
    ]);
    expect(operandsOf('total', null)).toEqual([{ field_code: 'line_total', values: ['37.5', '0.1'] }]);
  });

  it('are shown before the first answer, without a draft', async () => {
    const { form, client } = await newDraftOf(use, CLAIM);
    const { body } = await client.get(`/api/v1/forms/${form.uuid}/conditions?computed=true`);
    expect(computedIn(body.computed)).toEqual([
      ['total', null, '0'],
      ['title', null, 'claims 0'],
    ]);
    const { body: without } = await client.get(`/api/v1/forms/${form.uuid}/conditions`);
    expect(without).not.toHaveProperty('computed');
  });

  it('number at most 1,000 in a submission, and a record that would be too many is rejected', async () => {
    const codes = Array.from({ length: 400 }, (_, index) => `c${index}`);
    const formula = { op: 'sum', of: ['price'] } as const;
    const draft = await newDraftOf(use, {
      steps: [
        {
          price: { type: 'number', isRepeatable: true },
          other: { type: 'number', computed: formula },
          ...Object.fromEntries(
            codes.map((code) => [code, { type: 'number', isRepeatable: true, computed: formula }]),
          ),
        },
      ],
      entities: [{ name: 'line', isRepeatable: true, of: ['price', ...codes] }],
    });
    for (const price of ['1', '2']) await store(draft, { price }, await addRecord(draft, 'line'));
    expectInvalid(await draft.client.post(`${draft.path}/records`, { entity: 'line' }), 'entity');
    const { body } = await draft.client.post(
      `${draft.path}/records`,
      { entity: 'line' },
      { accept: 'application/problem+json' },
    );
    expect(body.errors).toMatchObject([{ code: 'too_many_computed', params: { max: 1000 } }]);
    const { computed } = await stateOf(draft);
    expect(computed).toHaveLength(801);
    expect(computedIn(computed)).toContainEqual(['other', null, '3']);
  });
});

describe.each(HIDDEN_VALUES)('a hidden operand, with HIDDEN_VALUES=%s', (hiddenValues) => {
  const service = useServiceOn(use, { HIDDEN_VALUES: hiddenValues });

  it('counts as a stored value does for conditions (C5)', async () => {
    const draft = await newDraftOf(
      { ...use, service },
      {
        steps: [
          {
            kind: {},
            one: { type: 'number' },
            two: { type: 'number', conditions: [['kind', 'equals', 'both', 'show']] },
            total: { type: 'number', computed: { op: 'sum', of: ['one', 'two'] } },
            large: { conditions: [['total', 'at_least', '10', 'show']] },
          },
        ],
      },
    );
    await store(draft, { one: '5', two: '5' });
    const counts = hiddenValues === 'keep';
    const { body } = await draft.client.get(`${draft.path}/conditions?computed=true`);
    expect(computedIn(body.computed)).toEqual([['total', null, counts ? '10' : '5']]);
    expect(body.data[draft.fields['large']!.id].visible).toBe(counts);
    await store(draft, { kind: 'both' });
    const { body: both } = await draft.client.get(`${draft.path}/conditions?computed=true`);
    expect(computedIn(both.computed)).toEqual([['total', null, '10']]);
    expect(both.data[draft.fields['large']!.id].visible).toBe(true);
  });
});
