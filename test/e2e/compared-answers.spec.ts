import { addRecord, store } from '../support/draft-requests.js';
import { newDraftOf } from '../support/drafts.js';
import { expectInvalid } from '../support/refusal.js';
import { useService } from '../support/service.js';

const use = useService();

const onTrip = () =>
  newDraftOf(use, {
    steps: [
      {
        from: { type: 'date' },
        to: { type: 'date', conditions: [['from', 'not_empty', '', 'show']] },
        early: { conditions: [['to', 'before', { field: 'from' }, 'show']] },
        minor: { conditions: [['from', 'after', 'today-18y', 'show']] },
        means: { type: 'checkbox', options: ['car', 'bus, train'] },
        plate: { conditions: [['means', 'includes', 'car', 'require']] },
        limit: { type: 'number' },
        cost: { type: 'number', isRepeatable: true },
        reason: { isRepeatable: true, conditions: [['cost', 'greater_than', { field: 'limit' }, 'show']] },
      },
    ],
    entities: [{ name: 'line', isRepeatable: true, of: ['cost', 'reason'] }],
  });

describe('conditions on dates, choices and two answers (C16, C17, C18)', () => {
  it('compare two answers, and say so in the schema and in explanations', async () => {
    const draft = await onTrip();
    const { body: schema } = await draft.client.get(`/api/v1/forms/${draft.form.uuid}/schema`);
    const conditionsOf = (code: string) =>
      schema.data.steps[0].fields.find((field: { code: string }) => field.code === code).conditions;
    expect(conditionsOf('early')).toEqual([
      {
        ...{ depends_on_field_id: draft.fields['to']!.id, depends_on_field_code: 'to', operator: 'before' },
        ...{ value: '', value_field_code: 'from', action: 'show', group: null },
      },
    ]);
    expect(conditionsOf('minor')).toMatchObject([{ value: 'today-18y', value_field_code: null }]);

    const explained = async () => {
      const { body } = await draft.client.get(`${draft.path}/conditions?explain=true`);
      return (code: string) => body.data[draft.fields[code]!.id];
    };
    await store(draft, { from: '2026-05-02', to: '2026-05-01' });
    const early = (await explained())('early');
    expect(early).toEqual({
      ...{ visible: true, required: false },
      conditions_met: [
        {
          ...{ depends_on_field_code: 'to', operator: 'before', value: '', value_field_code: 'from' },
          action: 'show',
        },
      ],
    });
    expect((await explained())('minor').conditions_met).toEqual([
      { depends_on_field_code: 'from', operator: 'after', value: 'today-18y', action: 'show' },
    ]);
    await store(draft, { to: '2026-05-02' });
    expect((await explained())('early').visible).toBe(false);
  });

  it('read the choices of a list', async () => {
    const draft = await onTrip();
    const isRequired = async () => {
      const { body } = await draft.client.get(`${draft.path}/conditions`);
      return body.data[draft.fields['plate']!.id].required;
    };
    for (const [means, expected] of [
      ['car', true],
      ['bus, train', false],
      ['bus, train,car', true],
      ['carpool', false],
    ] as const) {
      await store(draft, { means });
      expect([means, await isRequired()]).toEqual([means, expected]);
    }
  });

  it("compare the record's own answer with one outside (R6)", async () => {
    const draft = await onTrip();
    const lines = [await addRecord(draft, 'line'), await addRecord(draft, 'line')];
    await store(draft, { limit: '10' });
    await store(draft, { cost: '10.0' }, lines[0]);
    await store(draft, { cost: '10.01' }, lines[1]);
    const { body } = await draft.client.get(`${draft.path}/conditions?scope=records`);
    const visibleIn = lines.map((line) => body.records[line][draft.fields['reason']!.id].visible);
    expect(visibleIn).toEqual([false, true]);
    expect(body.data[draft.fields['reason']!.id].visible).toBe(true);
  });

  it('reject any other value of `computed`', async () => {
    const draft = await onTrip();
    expectInvalid(await draft.client.get(`${draft.path}/conditions?computed=yes`), 'computed');
    const { body } = await draft.client.get(`${draft.path}/conditions?computed=true`);
    expect(body.computed).toEqual([]);
  });
});
