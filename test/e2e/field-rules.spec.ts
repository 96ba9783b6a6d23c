import { FieldRule, Form, Step } from '../../src/entities.js';
import { etagOf, withVersion } from '../support/answers.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import { buildRecords, type FieldPlan } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';

const use = useService();

type Values = Readonly<Record<string, string>>;

async function store({ client, path }: Draft, values: Values) {
  const entries = Object.entries(values).map(([field_code, value]) => ({ field_code, value }));
  expect((await client.post(`${path}/values`, { values: entries })).status).toBe(200);
}

async function draftOf(plan: Record<string, FieldPlan>[], completion: Form['completion'], values: Values) {
  const draft = await newDraft(use, plan, { completion });
  await store(draft, values);
  return draft;
}

const complete = ({ client, path }: Draft) => client.patch(path, { status: 'completed' });
const validation = ({ client, path }: Draft, query = '') => client.get(`${path}/validation${query}`);
const stateOf = async ({ client, path }: Draft) => (await client.get(path)).body;

const inUtc = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Expects these errors from `…/validation` and from strict completion. Neither request may change the draft. */
async function expectErrors(draft: Draft, errors: Record<string, unknown[]>) {
  const before = await stateOf(draft);
  const answer = await validation(draft);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual(withVersion({ valid: Object.keys(errors).length === 0, errors }));
  expect(answer.headers.get('cache-control')).toBe('no-store');
  if (Object.keys(errors).length > 0) {
    expectRefusal(await complete(draft), 422, { message: 'The given data was invalid.', errors });
  }
  expect(await stateOf(draft)).toEqual(before);
}

describe('rules of fields (J1 to J6)', () => {
  const PLAN: Record<string, FieldPlan>[] = [
    {
      age: { type: 'number', rules: { min: '18', max: '99.5' } },
      nickname: { rules: { min_length: '2', max_length: '4', pattern: '\\p{L}+' } },
      from: { type: 'date', rules: { min_date: 'today', max_date: 'today+30d' } },
    },
  ];

  it('are checked by completion and validation, several per value, but not when the value is stored', async () => {
    const draft = await draftOf(PLAN, 'strict', { age: '17', nickname: '1', from: inUtc(-3) });

    await expectErrors(draft, {
      age: ['The age must be at least 18.'],
      nickname: [
        'The nickname must have at least 2 characters.',
        'The nickname must match the pattern \\p{L}+.',
      ],
      from: [expect.stringMatching(/^The from must not be before \d{4}-\d\d-\d\d\.$/)],
    });

    await store(draft, { age: '99.5', nickname: 'Élan', from: inUtc(30) });
    await expectErrors(draft, {});
    expect((await complete(draft)).status).toBe(200);
  });

  it('are not checked for hidden fields, missing values, and values of the wrong type', async () => {
    const draft = await draftOf(
      [
        {
          more: {},
          hidden: { rules: { max_length: '1' }, conditions: [['more', 'equals', 'yes', 'show']] },
          empty: { rules: { min_length: '3' } },
          age: { type: 'number', rules: { min: '18' } },
        },
      ],
      'strict',
      { hidden: 'long', empty: '', age: 'old' },
    );

    await expectErrors(draft, { age: ['The age must be a decimal number.'] });
    await store(draft, { age: '20', more: 'yes' });
    await expectErrors(draft, { hidden: ['The hidden must have at most 1 character.'] });
  });

  it('return the message that the form defines', async () => {
    const draft = await draftOf(PLAN, 'strict', { age: '5' });
    const { manager } = use.database.dataSource;
    const rule = { fieldId: draft.fields['age']!.id, kind: 'min' } as const;
    await use.service.hearing(() => manager.update(FieldRule, rule, { message: 'You have to be 18.' }));

    await expectErrors(draft, { age: ['You have to be 18.'] });
  });

  it('are checked for each value of a repeatable field, with errors under its record (J4)', async () => {
    const draft = await draftOf(
      [{ amount: { type: 'number', isRepeatable: true, rules: { max: '50' } } }],
      'strict',
      { amount: '51' },
    );
    const [first, second, third] = await buildRecords(use.database.dataSource, draft.form.id, draft.uuid, 3);
    const values = [
      { field_code: 'amount', value: '50', entity_record_id: first },
      { field_code: 'amount', value: 'much', entity_record_id: third },
      { field_code: 'amount', value: '1e9', entity_record_id: second },
    ];
    await draft.client.post(`${draft.path}/values`, { values });

    await expectErrors(draft, {
      amount: ['The amount must be at most 50.'],
      [`amount.${second}`]: ['The amount must be at most 50.'],
      [`amount.${third}`]: ['The amount must be a decimal number.'],
    });
  });

  it('return errors of a field that is not repeatable under its code only, even with a record (V5)', async () => {
    const draft = await draftOf([{ amount: { type: 'number', rules: { max: '50' } } }], 'strict', {});
    const [record] = await buildRecords(use.database.dataSource, draft.form.id, draft.uuid, 1);
    const values = [{ field_code: 'amount', value: '51', entity_record_id: record }];
    await draft.client.post(`${draft.path}/values`, { values });

    await expectErrors(draft, { amount: ['The amount must be at most 50.'] });
  });

  it('that cannot be applied are ignored (J5)', async () => {
    const draft = await draftOf(
      [
        {
          between: { type: 'number', isRequired: true, rules: { min: '5', max: '3' } },
          broken: { isRequired: true, rules: { pattern: '(?=a)' } },
          day: { type: 'date', isRequired: true, rules: { min_date: 'today+1d', max_date: 'today' } },
          choice: { type: 'radio', isRequired: true, options: ['yes'], rules: { min_length: '9' } },
        },
      ],
      'strict',
      { between: '4', broken: 'b', day: '2000-01-01', choice: 'yes' },
    );

    await expectErrors(draft, {});
    expect((await complete(draft)).status).toBe(200);
  });

  it.each(['false', 'no', 'OFF', '0'])(
    'do not change that a required checkbox must be ticked: %s counts as missing (J6)',
    async (word) => {
      const draft = await draftOf(
        [
          {
            agreed: { type: 'checkbox', isRequired: true },
            optional: { type: 'checkbox' },
            note: { conditions: [['agreed', 'not_empty', '', 'require']] },
          },
        ],
        'strict',
        { agreed: word, optional: word },
      );

      // For conditions, the text is still a value, so `note` is required.
      await expectErrors(draft, { agreed: ['The agreed is required.'], note: ['The note is required.'] });
      await store(draft, { agreed: 'on', note: 'x' });
      await expectErrors(draft, {});
    },
  );

  it('are in the schema, ordered by kind; a form and its schema contain its completion policy (J1, S13)', async () => {
    const draft = await draftOf(
      [{ name: { rules: { max_date: 'today', pattern: 'a', min: '1' } }, other: {} }],
      'lenient',
      {},
    );
    const { uuid, slug } = draft.form;
    const schema = (await use.service.anyone.get(`/api/v1/forms/${uuid}/schema`)).body.data;

    expect(schema.steps[0].fields[0].rules).toEqual([
      { kind: 'min', value: '1', message: null },
      { kind: 'pattern', value: 'a', message: null },
      { kind: 'max_date', value: 'today', message: null },
    ]);
    expect(schema.steps[0].fields[1].rules).toEqual([]);
    expect(schema.completion).toBe('lenient');
    for (const path of [`/api/v1/forms/${uuid}`, `/api/v1/forms/${slug}/by-slug`])
      expect((await use.service.anyone.get(path)).body.data.completion).toBe('lenient');
    const { body } = await use.service.anyone.get('/api/v1/forms?per_page=100');
    const listed = body.data.find((form: { uuid: string }) => form.uuid === uuid);
    expect(listed.completion).toBe('lenient');
  });
});

describe("the form's own policy (S13)", () => {
  const PLAN: Record<string, FieldPlan>[] = [{ name: { isRequired: true } }];

  it('applies as soon as it changes, and null stands for the policy of the deployment', async () => {
    const draft = await draftOf(PLAN, 'strict', {});
    const drafts = [draft];
    for (let more = 0; more < 2; more += 1)
      drafts.push({ ...draft, ...(await createDraft(draft.client, draft)) });
    const { manager } = use.database.dataSource;
    const setTo = (completion: Form['completion']) =>
      use.service.hearing(() => manager.update(Form, { id: draft.form.id }, { completion }));

    expectInvalid(await complete(draft), 'name');
    await setTo('lenient');
    expect((await complete(drafts[1]!)).status).toBe(200);
    await setTo('strict');
    expectInvalid(await complete(drafts[2]!), 'name');
    await setTo(null);
    expect((await complete(drafts[2]!)).status).toBe(200);
  });

  it('does not change the 404 for completing the submission of another user', async () => {
    const draft = await draftOf(PLAN, 'strict', {});
    const { client } = await newUser(use);
    expectRefusal(await client.patch(draft.path, { status: 'completed' }), 404);
  });
});

describe('GET /api/v1/submissions/{uuid}/validation (J3)', () => {
  const PLAN: Record<string, FieldPlan>[] = [
    { name: { isRequired: true } },
    { age: { type: 'number', isRequired: true } },
    {},
  ];
  const NAME = { name: ['The name is required.'] };
  const AGE = { age: ['The age is required.'] };

  it('checks all steps, or only the step with the given step_number', async () => {
    const draft = await draftOf(PLAN, null, {});
    const { manager } = use.database.dataSource;
    await use.service.hearing(() => manager.update(Step, { id: draft.steps[1]!.id }, { stepNumber: 7 }));
    const errorsOf = async (query?: string) => (await validation(draft, query)).body.data;

    expect(await errorsOf()).toEqual({ valid: false, errors: { ...NAME, ...AGE } });
    expect(await errorsOf('?step=1')).toEqual({ valid: false, errors: NAME });
    expect(await errorsOf('?step=7')).toEqual({ valid: false, errors: AGE });
    expect(await errorsOf('?step=3')).toEqual({ valid: true, errors: {} });
    for (const query of ['?step=2', '?step=0', '?step=8', '?step=', '?step=1.0', '?step=a', '?step=1&step=7'])
      expectInvalid(await validation(draft, query), 'step');
    expectInvalid(await validation(draft, '?step=99999999999999999999'), 'step');
  });

  it('also returns codes to clients that accept problem details', async () => {
    const { client, path } = await draftOf(PLAN, null, { name: 'Ada', age: 'old' });
    const accept = { Accept: 'application/json, application/problem+json' };
    const errors = { age: ['The age must be a decimal number.'] };
    const detail = errors.age[0];
    expect((await client.get(`${path}/validation`, accept)).body.data).toEqual({
      valid: false,
      errors,
      mistakes: [{ field: 'age', code: 'not_a_number', detail, params: {} }],
    });
  });

  it('checks stored values even without a policy of the form and after completion', async () => {
    const draft = await draftOf(PLAN, null, { name: 'Ada' });
    expect((await complete(draft)).status).toBe(200);
    expect((await validation(draft)).body).toEqual(
      withVersion({ valid: false, errors: AGE }, draft.form.version),
    );
  });

  it('is available to the owner only', async () => {
    const draft = await newDraft(use, PLAN);
    const { client } = await newUser(use);
    expectRefusal(await client.get(`${draft.path}/validation`), 404);
    expectRefusal(await draft.client.get('/api/v1/submissions/x/validation?step=x'), 404);
    // A step number outside the range is rejected before the submission is looked up.
    for (const step of ['0', '2147483648'])
      expectInvalid(await client.get(`${draft.path}/validation?step=${step}`), 'step');
    expectRefusal(await client.get(`${draft.path}/validation?step=2147483647`), 404);
    expectRefusal(await use.service.anyone.get(`${draft.path}/validation`), 401);
  });
});

describe('POST /api/v1/submissions/{uuid}/advance?validate=true (S12)', () => {
  const PLAN: Record<string, FieldPlan>[] = [
    {
      name: { isRequired: true },
      extra: { isRequired: true, conditions: [['name', 'equals', 'Ada', 'show']] },
    },
    { age: { isRequired: true } },
  ];
  const advance = ({ client, path }: Draft, query = '?validate=true', headers = {}) =>
    client.post(`${path}/advance${query}`, undefined, headers);

  it('does not move while a visible field of the current step has an error', async () => {
    const draft = await draftOf(PLAN, 'lenient', {});
    const before = await stateOf(draft);

    expectInvalid(await advance(draft), 'name');
    expect(await stateOf(draft)).toEqual(before);
    await store(draft, { name: 'Ada' });
    expectInvalid(await advance(draft), 'extra');
    await store(draft, { name: 'Eve' });
    const moved = await advance(draft);
    expect([moved.status, moved.body.data.current_step]).toEqual([200, 2]);
    expect(etagOf(moved)).toBe(etagOf(await draft.client.get(draft.path)));
  });

  it('reports errors of the state before it validates values', async () => {
    const draft = await draftOf(PLAN, null, { name: 'Eve' });
    expect((await advance(draft)).status).toBe(200);
    expectRefusal(await advance(draft), 422, { message: 'Already on the last step.' });
    expect((await complete(draft)).status).toBe(200);
    expectRefusal(await advance(draft), 422, { message: 'The submission is already completed.' });
    const other = await draftOf(PLAN, null, {});
    expectRefusal(await advance(other, '?validate=true', { 'If-Match': '"x"' }), 412);
    const { client } = await newUser(use);
    expectRefusal(await advance({ ...other, client }), 404);
  });

  it('does not validate without the parameter or with false, and rejects anything else', async () => {
    const draft = await draftOf(PLAN, 'strict', {});
    for (const query of ['?validate=', '?validate=1', '?validate=TRUE', '?validate=true&validate=true'])
      expectInvalid(await advance(draft, query), 'validate');
    expect((await advance(draft, '?validate=false')).body.data.current_step).toBe(2);
    const other = await draftOf(PLAN, 'strict', {});
    expect((await advance(other, '')).status).toBe(200);
  });

  it('moves once per key, stores no error, and is a different request than without validate (S10)', async () => {
    const draft = await draftOf([...PLAN, {}], null, {});
    const key = { 'Idempotency-Key': 'a' };

    expectInvalid(await advance(draft, '?validate=true', key), 'name');
    await store(draft, { name: 'Eve' });
    const first = await advance(draft, '?validate=true', key);
    expect(first.body.data.current_step).toBe(2);
    // A new advance would fail, because the second step lacks the required `age`.
    expect((await advance(draft, '?validate=true', key)).body).toEqual(first.body);
    expectInvalid(await advance(draft, '', key), 'Idempotency-Key');
    expectInvalid(await advance(draft, '?validate=true', { 'Idempotency-Key': 'é' }), 'Idempotency-Key');
  });

  it('validates the values stored at the time of the move, even during concurrent writes', async () => {
    const draft = await draftOf(PLAN, null, { name: 'Eve' });
    const rounds = 12;
    for (let round = 0; round < rounds; round += 1) {
      const [emptied, ...moves] = await Promise.all([
        draft.client.post(`${draft.path}/values`, { values: [{ field_code: 'name', value: '' }] }),
        advance(draft),
        advance(draft),
      ]);
      expect(emptied.status).toBe(200);
      const moved = moves.filter(({ status }) => status === 200);
      expect(moves.filter(({ status }) => status === 422)).toHaveLength(moves.length - moved.length);
      expect(moved.length).toBeLessThanOrEqual(1);
      // Each successful move came before the value was emptied.
      for (const answer of moved) expect(etagOf(answer) < etagOf(emptied)).toBe(true);
      if (moved.length === 1) await draft.client.post(`${draft.path}/retreat`);
      expectInvalid(await advance(draft), 'name');
      await store(draft, { name: 'Eve' });
    }
  });
});
