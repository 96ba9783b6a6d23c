import { etagOf } from '../support/answers.js';
import { type Draft, newDraft } from '../support/drafts.js';
import { buildRecords, type FieldPlan } from '../support/forms.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, startService, useService } from '../support/service.js';

/** Fields of types that restrict values. If `more` is "yes", `age` and `born` are shown and `email` is required. */
const PLAN: Record<string, FieldPlan>[] = [
  {
    title: { type: 'heading', isRequired: true },
    name: { isRequired: true },
    more: { type: 'radio', options: ['yes', 'no'] },
  },
  {
    age: { type: 'number', conditions: [['more', 'equals', 'yes', 'show']] },
    email: { type: 'email', conditions: [['more', 'equals', 'yes', 'require']] },
    born: { type: 'date', isRequired: true, conditions: [['more', 'not_equals', 'yes', 'hide']] },
    colours: { type: 'checkbox', options: ['red', 'blue'] },
    agreed: { type: 'checkbox' },
  },
];

describe('PATCH /api/v1/submissions/{uuid} with COMPLETION_POLICY=strict (S4)', () => {
  const use = useService({ COMPLETION_POLICY: 'strict' });

  const store = async ({ client, path }: Draft, values: Record<string, string>) => {
    const entries = Object.entries(values).map(([field_code, value]) => ({ field_code, value }));
    expect((await client.post(`${path}/values`, { values: entries })).status).toBe(200);
  };
  const complete = ({ client, path }: Draft, headers = {}) =>
    client.patch(path, { status: 'completed', meta: { by: 'test' } }, headers);
  const stateOf = async ({ client, path }: Draft) => (await client.get(path)).body;
  const filledDraft = async (values: Record<string, string>) => {
    const draft = await newDraft(use, PLAN);
    await store(draft, values);
    return draft;
  };

  /** Expects that completion fails with these messages, by field code in the order of the form, and changes nothing. */
  const expectIncomplete = async (draft: Draft, errors: Record<string, string>) => {
    const before = await stateOf(draft);
    const answer = await complete(draft);
    expectRefusal(answer, 422, {
      message: 'The given data was invalid.',
      errors: Object.fromEntries(Object.entries(errors).map(([code, message]) => [code, [message]])),
    });
    expect(Object.keys(answer.body.errors)).toEqual(Object.keys(errors));
    expect(await stateOf(draft)).toEqual(before);
  };

  it('completes a draft whose visible required fields have valid values', async () => {
    const draft = await filledDraft({
      name: 'Ada',
      more: 'yes',
      age: '36',
      email: 'ada@example.org',
      born: '1815-12-10',
      colours: 'red, blue',
      agreed: 'true',
    });

    const answer = await complete(draft);

    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ status: 'completed', meta: { by: 'test' } });
    expect(etagOf(answer)).toBe(etagOf(await draft.client.get(draft.path)));
  });

  it('rejects a draft with an entry for each visible required field without a value, and changes nothing', async () => {
    await expectIncomplete(await newDraft(use, PLAN), { name: 'The name is required.' });
    await expectIncomplete(await filledDraft({ name: '', more: 'yes' }), {
      name: 'The name is required.',
      email: 'The email is required.',
      born: 'The born is required.',
    });
  });

  it('rejects a draft with an entry for each visible field with an invalid value', async () => {
    const draft = await filledDraft({
      name: 'Ada',
      more: 'yes',
      age: 'old',
      email: 'ada',
      born: '1815-02-30',
      colours: 'red,green',
      agreed: 'perhaps',
    });

    await expectIncomplete(draft, {
      age: 'The age must be a decimal number.',
      email: 'The email must be an e-mail address.',
      born: 'The born must be a date that exists, as YYYY-MM-DD.',
      colours: 'The colours must be options of the field, separated by commas.',
      agreed: 'The agreed must be true or false.',
    });
    await store(draft, { more: 'maybe' });
    expect((await complete(draft)).body.errors).toMatchObject({
      more: ['The more must be one of the options of the field.'],
    });
  });

  it('ignores hidden fields, even if they are required or have invalid values', async () => {
    const draft = await filledDraft({ name: 'Ada', more: 'no', age: 'old', born: 'soon' });

    expect((await complete(draft)).status).toBe(200);
  });

  it('treats an emptied optional field as missing', async () => {
    const draft = await filledDraft({ name: 'Ada', email: 'ada', colours: 'green' });
    await store(draft, { email: '', colours: '' });

    expect((await complete(draft)).status).toBe(200);
  });

  it('requires one value of a required repeatable field, and checks each value', async () => {
    const draft = await newDraft(use, [{ amount: { type: 'number', isRequired: true, isRepeatable: true } }]);
    const [first, second] = await buildRecords(use.database.dataSource, draft.form.id, draft.uuid, 2);
    const put = (entity_record_id: number | undefined, value: string) =>
      draft.client.post(`${draft.path}/values`, {
        values: [{ field_code: 'amount', value, entity_record_id }],
      });

    await put(undefined, '');
    await expectIncomplete(draft, { amount: 'The amount is required.' });
    await put(first, '10');
    await put(second, 'ten');
    await expectIncomplete(draft, { [`amount.${second}`]: 'The amount must be a decimal number.' });
    await put(second, '10.5');
    expect((await complete(draft)).status).toBe(200);
  });

  it('does not check values for other requests: meta, status draft and steps', async () => {
    const { client, path } = await newDraft(use, PLAN);

    expect((await client.patch(path, { meta: { a: 1 } })).status).toBe(200);
    expect((await client.patch(path, { status: 'draft' })).status).toBe(200);
    expect((await client.patch(path, {})).status).toBe(200);
    expect((await client.post(`${path}/advance`)).status).toBe(200);
  });

  it('accepts a repeated completion even if the form requires more by now (S3)', async () => {
    const draft = await filledDraft({ name: 'Ada' });
    expect((await complete(draft)).status).toBe(200);
    await use.database.dataSource.query('update fields set is_required = true where form_id = $1', [
      draft.form.id,
    ]);

    const again = await draft.client.patch(draft.path, { status: 'completed', meta: { again: true } });

    expect(again.status).toBe(200);
    expect(again.body.data.meta).toEqual({ again: true });
  });

  it('returns 404 or 412 before it checks values', async () => {
    const draft = await newDraft(use, PLAN);
    const other = await newUser(use);
    expectRefusal(await other.client.patch(draft.path, { status: 'completed' }), 404);

    const etag = etagOf(await draft.client.get(draft.path));
    await draft.client.patch(draft.path, { meta: {} });
    expectRefusal(await complete(draft, { 'If-Match': etag }), 412);
    const current = etagOf(await draft.client.get(draft.path));
    expectRefusal(await complete(draft, { 'If-Match': current }), 422, expect.anything());
  });

  it('completes a submission to a form without fields', async () => {
    expect((await complete(await newDraft(use, []))).status).toBe(200);
  });

  it('checks only the fields that are visible with HIDDEN_VALUES=ignore (C5)', async () => {
    const plan: Record<string, FieldPlan>[] = [
      {
        a: {},
        b: { conditions: [['a', 'not_empty', '', 'show']] },
        c: { isRequired: true, conditions: [['b', 'not_empty', '', 'show']] },
      },
    ];
    const service = await startService(use.database, {
      COMPLETION_POLICY: 'strict',
      HIDDEN_VALUES: 'ignore',
    });
    try {
      const keeping = await newDraft(use, plan);
      await store(keeping, { b: 'hidden, as a is empty' });
      await expectIncomplete(keeping, { c: 'The c is required.' });

      const ignoring = await newDraft({ ...use, service }, plan);
      await store(ignoring, { b: 'hidden, as a is empty' });
      expect((await complete(ignoring)).status).toBe(200);
    } finally {
      await service.close();
    }
  });
});
