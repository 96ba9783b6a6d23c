import { etagOf } from '../support/answers.js';
import { complete, stateOf, store } from '../support/draft-requests.js';
import { type Draft, newDraft } from '../support/drafts.js';
import { buildRecords, type FieldPlan } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useServiceOn, useService } from '../support/service.js';

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
/** Valid values of all fields. */
const VALID = {
  ...{ name: 'Ada', more: 'yes', age: '36', email: 'ada@example.org', born: '1815-12-10' },
  ...{ colours: 'red, blue', agreed: 'true' },
};

describe('PATCH /api/v1/submissions/{uuid} with COMPLETION_POLICY=strict (S4)', () => {
  const use = useService();
  const COMPLETION_POLICY = 'strict';
  const strict = useServiceOn(use, { COMPLETION_POLICY });
  const ignoring = useServiceOn(use, { COMPLETION_POLICY, HIDDEN_VALUES: 'ignore' });

  const begin = (plan = PLAN, service = strict) => newDraft({ ...use, service }, plan);
  const filledDraft = async (values: Record<string, string>, plan = PLAN, service = strict) => {
    const draft = await begin(plan, service);
    await store(draft, values);
    return draft;
  };

  /** Expects that completion fails with these messages, by field code in the order of the form, and changes nothing. */
  const expectIncomplete = async (draft: Draft, errors: Record<string, string>) => {
    const before = await stateOf(draft);
    const answer = await draft.client.patch(draft.path, { status: 'completed', meta: { by: 'test' } });
    expectRefusal(answer, 422, {
      message: 'The given data was invalid.',
      errors: Object.fromEntries(Object.entries(errors).map(([code, message]) => [code, [message]])),
    });
    expect(Object.keys(answer.body.errors)).toEqual(Object.keys(errors));
    expect(await stateOf(draft)).toEqual(before);
  };

  it('completes a draft whose visible required fields have valid values, and again if the form requires more by now (S3)', async () => {
    const draft = await filledDraft(VALID);
    const answer = await complete(draft);
    expect([answer.status, answer.body.data.status]).toEqual([200, 'completed']);
    expect(etagOf(answer)).toBe(etagOf(await draft.client.get(draft.path)));

    const { form } = draft;
    await strict.hearing(() =>
      use.database.dataSource.query(
        `insert into fields (step_id, field_type_id, code, label, is_required) values ($1, 1, 'new', 'New', true)`,
        [draft.steps[0]!.id],
      ),
    );
    const again = await draft.client.patch(draft.path, { status: 'completed', meta: { again: true } });
    expect([again.status, again.body.data.meta]).toEqual([200, { again: true }]);
    expect(again.body.form_version).toBeGreaterThan(form.version);
  });

  it('rejects a draft with an entry for each visible required field without a value, and changes nothing', async () => {
    await expectIncomplete(await begin(), { name: 'The name is required.' });
    await expectIncomplete(await filledDraft({ name: '', more: 'yes' }), {
      name: 'The name is required.',
      email: 'The email is required.',
      born: 'The born is required.',
    });
  });

  it('rejects a draft with an entry for each visible field with an invalid value', async () => {
    const invalid = { age: 'old', email: 'ada', born: '1815-02-30', colours: 'red,green', agreed: 'perhaps' };
    const draft = await filledDraft({ ...VALID, ...invalid });
    await expectIncomplete(draft, {
      age: 'The age must be a decimal number.',
      email: 'The email must be an email address.',
      born: 'The born must be a date that exists, as YYYY-MM-DD.',
      colours: 'The colours must be options of the field, separated by commas.',
      agreed: 'The agreed must be true or false.',
    });
    await store(draft, { name: '' });
    const { body } = await complete(draft, { Accept: 'application/problem+json' });
    expect(body.errors.map(({ field, code }: Record<string, string>) => `${field}: ${code}`)).toEqual([
      'name: required',
      ...['age: not_a_number', 'email: not_an_email', 'born: not_a_date'],
      ...['colours: not_an_option', 'agreed: not_a_boolean'],
    ]);
    await store(draft, { ...VALID, more: 'maybe' });
    await expectIncomplete(draft, { more: 'The more must be one of the options of the field.' });
  });

  it('checks neither hidden fields nor emptied optional fields', async () => {
    const draft = await filledDraft({ name: 'Ada', more: 'no', age: 'old', born: 'soon', colours: 'green' });
    await store(draft, { colours: '' });
    expect((await complete(draft)).status).toBe(200);
    expect((await complete(await begin([]))).status).toBe(200);
  });

  it('requires one value of a required repeatable field, and checks each value', async () => {
    const draft = await begin([{ amount: { type: 'number', isRequired: true, isRepeatable: true } }]);
    const [first, second] = await buildRecords(use.database.dataSource, draft.form.id, draft.uuid, 2);

    await store(draft, { amount: '' });
    await expectIncomplete(draft, { amount: 'The amount is required.' });
    await store(draft, { amount: '10' }, first);
    await store(draft, { amount: 'ten' }, second);
    await expectIncomplete(draft, { [`amount.${second}`]: 'The amount must be a decimal number.' });
    await store(draft, { amount: '10.5' }, second);
    expect((await complete(draft)).status).toBe(200);
  });

  it('returns 404 or 412 before it checks values, and does not check them for other requests', async () => {
    const draft = await begin();
    const { client, path } = draft;
    const { client: stranger } = await newUser({ ...use, service: strict });
    expectRefusal(await complete({ client: stranger, path }), 404);

    const etag = etagOf(await client.get(path));
    for (const body of [{ meta: { a: 1 } }, { status: 'draft' }, {}])
      expect((await client.patch(path, body)).status).toBe(200);
    expectRefusal(await complete(draft, { 'If-Match': etag }), 412);
    const current = etagOf(await client.get(path));
    expectRefusal(await complete(draft, { 'If-Match': current }), 422, expect.anything());
    expect((await client.post(`${path}/advance`)).status).toBe(200);
  });

  it('checks only the fields that are visible with HIDDEN_VALUES=ignore (C5)', async () => {
    const plan: Record<string, FieldPlan>[] = [
      {
        a: {},
        b: { conditions: [['a', 'not_empty', '', 'show']] },
        c: { isRequired: true, conditions: [['b', 'not_empty', '', 'show']] },
      },
    ];
    const hidden = { b: 'hidden, as a is empty' };
    await expectIncomplete(await filledDraft(hidden, plan), { c: 'The c is required.' });
    expect((await complete(await filledDraft(hidden, plan, ignoring))).status).toBe(200);
  });

  it('checks the values that are completed, beside parallel writes, and succeeds even if writers never pause', async () => {
    const plan = [{ name: { isRequired: true } }];
    for (let round = 0; round < 6; round += 1) {
      const draft = await filledDraft({ name: 'Ada' }, plan);
      const put = (value: string) =>
        draft.client.post(`${draft.path}/values`, { values: [{ field_code: 'name', value }] });
      const [completed] = await Promise.all([complete(draft), ...['', 'Ada', ''].map(put)]);
      const { status, values } = await stateOf(draft);
      if (completed.status === 200) expect([status, values[0].value]).toEqual(['completed', 'Ada']);
      else expectInvalid(completed, 'name');
    }

    const draft = await filledDraft({ name: 'Ada' }, plan);
    let isCompleted = false;
    const writers = Array.from({ length: 12 }, async () => {
      const statuses = new Set<number>();
      while (!isCompleted) {
        const values = [{ field_code: 'name', value: 'next' }];
        statuses.add((await draft.client.post(`${draft.path}/values`, { values })).status);
      }
      return [...statuses];
    });
    const answer = await complete(draft);
    isCompleted = true;
    expect(answer.status).toBe(200);
    for (const status of (await Promise.all(writers)).flat()) expect([200, 422]).toContain(status);
    expect((await stateOf(draft)).updated_at).toBe(answer.body.data.updated_at);
  });
});
