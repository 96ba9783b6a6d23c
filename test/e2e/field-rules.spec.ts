import { FieldRule, Form, Step } from '../../src/entities.js';
import { etagOf, withVersion } from '../support/answers.js';
import { complete, stateOf, store } from '../support/draft-requests.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import { buildRecords, type FieldPlan } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';

const use = useService();
const manager = () => use.database.dataSource.manager;

type Plan = Record<string, FieldPlan>[];
type Values = Readonly<Record<string, string>>;

async function draftOf(plan: Plan, completion: Form['completion'], values: Values = {}) {
  const draft = await newDraft(use, plan, { completion });
  await store(draft, values);
  return draft;
}

const validation = ({ client, path }: Draft, query = '') => client.get(`${path}/validation${query}`);

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
  const PLAN: Plan = [
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

  it('are not checked for hidden fields, missing values, and values of the wrong type (J4)', async () => {
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
    const rule = { fieldId: draft.fields['age']!.id, kind: 'min' } as const;
    await use.service.hearing(() => manager().update(FieldRule, rule, { message: 'You have to be 18.' }));
    await expectErrors(draft, { age: ['You have to be 18.'] });
  });

  it('are checked for each value of a repeatable field, with errors under its record (J4, V5)', async () => {
    const amount: FieldPlan = { type: 'number', rules: { max: '50' } };
    const draft = await draftOf([{ amount: { ...amount, isRepeatable: true }, single: amount }], 'strict');
    const [first, second, third] = await buildRecords(use.database.dataSource, draft.form.id, draft.uuid, 3);
    const values = [
      { field_code: 'amount', value: '51' },
      { field_code: 'amount', value: '50', entity_record_id: first },
      { field_code: 'amount', value: 'much', entity_record_id: third },
      { field_code: 'amount', value: '1e9', entity_record_id: second },
      { field_code: 'single', value: '51', entity_record_id: first },
    ];
    await draft.client.post(`${draft.path}/values`, { values });
    await expectErrors(draft, {
      amount: ['The amount must be at most 50.'],
      [`amount.${second}`]: ['The amount must be at most 50.'],
      [`amount.${third}`]: ['The amount must be a decimal number.'],
      single: ['The single must be at most 50.'],
    });
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

  it('do not change that a required checkbox must be ticked (J6)', async () => {
    const draft = await draftOf(
      [
        {
          agreed: { type: 'checkbox', isRequired: true },
          optional: { type: 'checkbox' },
          note: { conditions: [['agreed', 'not_empty', '', 'require']] },
        },
      ],
      'strict',
    );
    for (const word of ['false', 'no', 'OFF', '0']) {
      await store(draft, { agreed: word, optional: word });
      // For conditions, the text is still a value, so `note` is required.
      await expectErrors(draft, { agreed: ['The agreed is required.'], note: ['The note is required.'] });
    }
    await store(draft, { agreed: 'on', note: 'x' });
    await expectErrors(draft, {});
  });

  it('are in the schema, ordered by kind; a form and its schema contain its completion policy (J1, S13)', async () => {
    const { form } = await draftOf(
      [{ name: { rules: { max_date: 'today', pattern: 'a', min: '1' } }, other: {} }],
      'lenient',
    );
    const read = async (path: string) => (await use.service.anyone.get(`/api/v1/forms${path}`)).body.data;
    const schema = await read(`/${form.uuid}/schema`);
    const constant = { other_field_code: null, offset_days: null, message: null };
    expect(schema.steps[0].fields[0].rules).toEqual([
      { kind: 'min', value: '1', ...constant },
      { kind: 'pattern', value: 'a', ...constant },
      { kind: 'max_date', value: 'today', ...constant },
    ]);
    expect(schema.steps[0].fields[1].rules).toEqual([]);
    for (const one of [schema, await read(`/${form.uuid}`), await read(`/${form.slug}/by-slug`)])
      expect(one.completion).toBe('lenient');
  });
});

describe('a blank value (J7)', () => {
  it.each([' ', '\n\t\r\n', '\u200e\u200d\u2060', '\u200b\u3000 '.repeat(21_845)])(
    'of a required field counts as missing: %.10j',
    async (value) => {
      const draft = await draftOf([{ name: { isRequired: true } }, {}], 'strict', { name: value });
      await expectErrors(draft, { name: ['The name is required.'] });
      expectInvalid(await draft.client.post(`${draft.path}/advance?validate=true`), 'name');
      expect((await stateOf(draft)).values).toMatchObject([{ value }]);
      await store(draft, { name: `${value.slice(2)}❤\ufe0f` });
      expect((await complete(draft)).status).toBe(200);
    },
  );

  it('of any component counts as missing if the field is required, and is no error otherwise (J4)', async () => {
    const draft = await draftOf(
      [
        {
          text: { rules: { min_length: '3', pattern: '[a-z]+' } },
          number: { type: 'number', rules: { min: '1' } },
          email: { type: 'email' },
          day: { type: 'date', rules: { min_date: 'today' } },
          choice: { type: 'select', options: ['a'] },
          ticked: { type: 'checkbox' },
        },
      ],
      'strict',
    );
    const codes = Object.keys(draft.fields);
    await store(draft, Object.fromEntries(codes.map((code) => [code, ' \u00a0'])));
    expect((await validation(draft)).body.data).toEqual({ valid: true, errors: {} });
    await use.service.hearing(() =>
      manager().query('update fields set is_required = true where form_id = $1', [draft.form.id]),
    );
    await expectErrors(draft, Object.fromEntries(codes.map((code) => [code, [`The ${code} is required.`]])));
  });

  it('counts for conditions (C2)', async () => {
    const more: FieldPlan = { isRequired: true, conditions: [['name', 'not_empty', '', 'show']] };
    const draft = await draftOf([{ name: {}, more }], 'strict', { name: ' ' });
    await expectErrors(draft, { more: ['The more is required.'] });
    await store(draft, { name: '' });
    await expectErrors(draft, {});
  });
});

describe("the form's own policy (S13)", () => {
  const PLAN: Plan = [{ name: { isRequired: true } }];

  it('applies as soon as it changes, and null stands for the policy of the deployment', async () => {
    const draft = await draftOf(PLAN, 'strict');
    const [second, third] = [await createDraft(draft.client, draft), await createDraft(draft.client, draft)];
    const completionWith = async (completion: Form['completion'], path: string) => {
      await use.service.hearing(() => manager().update(Form, { id: draft.form.id }, { completion }));
      return (await complete({ ...draft, path })).status;
    };
    expectInvalid(await complete(draft), 'name');
    expect(await completionWith('lenient', second.path)).toBe(200);
    expect(await completionWith('strict', third.path)).toBe(422);
    expect(await completionWith(null, third.path)).toBe(200);
  });

  it('does not change the 404 for completing the submission of another user', async () => {
    const draft = await draftOf(PLAN, 'strict');
    const { client } = await newUser(use);
    expectRefusal(await complete({ ...draft, client }), 404);
  });
});

describe('GET /api/v1/submissions/{uuid}/validation (J3)', () => {
  const PLAN: Plan = [{ name: { isRequired: true } }, { age: { type: 'number', isRequired: true } }, {}];
  const NAME = { name: ['The name is required.'] };
  const AGE = { age: ['The age is required.'] };

  it('checks all steps, or only the step with the given step_number', async () => {
    const draft = await draftOf(PLAN, null);
    await use.service.hearing(() => manager().update(Step, { id: draft.steps[1]!.id }, { stepNumber: 7 }));
    for (const [query, errors] of [
      ['', { ...NAME, ...AGE }],
      ['?step=1', NAME],
      ['?step=7', AGE],
      ['?step=3', {}],
    ] as const)
      expect((await validation(draft, query)).body.data).toEqual({ valid: query === '?step=3', errors });
    for (const step of ['2', '0', '8', '', '1.0', 'a', '1&step=7', '99999999999999999999'])
      expectInvalid(await validation(draft, `?step=${step}`), 'step');
  });

  it('also returns codes to clients that accept problem details', async () => {
    const { client, path } = await draftOf(PLAN, null, { name: 'Ada', age: 'old' });
    const accept = { Accept: 'application/json, application/problem+json' };
    const detail = 'The age must be a decimal number.';
    expect((await client.get(`${path}/validation`, accept)).body.data).toEqual({
      valid: false,
      errors: { age: [detail] },
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
  });
});

describe('POST /api/v1/submissions/{uuid}/advance?validate=true (S12)', () => {
  const PLAN: Plan = [
    {
      name: { isRequired: true },
      extra: { isRequired: true, conditions: [['name', 'equals', 'Ada', 'show']] },
    },
    { age: { isRequired: true } },
  ];
  const advance = ({ client, path }: Draft, query = '?validate=true', headers = {}) =>
    client.post(`${path}/advance${query}`, undefined, headers);

  it('does not move while a visible field of the current step has an error', async () => {
    const draft = await draftOf(PLAN, 'lenient');
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
    const other = await draftOf(PLAN, null);
    expectRefusal(await advance(other, '?validate=true', { 'If-Match': '"x"' }), 412);
    const { client } = await newUser(use);
    expectRefusal(await advance({ ...other, client }), 404);
  });

  it('does not validate without the parameter or with false, and rejects anything else', async () => {
    const draft = await draftOf([...PLAN, {}], 'strict');
    for (const query of ['?validate=', '?validate=1', '?validate=TRUE', '?validate=true&validate=true'])
      expectInvalid(await advance(draft, query), 'validate');
    expect((await advance(draft, '?validate=false')).body.data.current_step).toBe(2);
    expect((await advance(draft, '')).body.data.current_step).toBe(3);
  });

  it('moves once per key, stores no error, and is a different request than without validate (S10)', async () => {
    const draft = await draftOf([...PLAN, {}], null);
    const key = { 'Idempotency-Key': 'a' };
    expectInvalid(await advance(draft, '?validate=true', key), 'name');
    await store(draft, { name: 'Eve' });
    const first = await advance(draft, '?validate=true', key);
    expect(first.body.data.current_step).toBe(2);
    // A new advance would fail, because the second step lacks the required `age`.
    expect((await advance(draft, '?validate=true', key)).body).toEqual(first.body);
    expectInvalid(await advance(draft, '', key), 'Idempotency-Key');
  });

  it('validates the values stored at the time of the move, even during concurrent writes', async () => {
    const draft = await draftOf(PLAN, null, { name: 'Eve' });
    for (let round = 0; round < 4; round += 1) {
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
