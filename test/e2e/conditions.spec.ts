import { randomUUID } from 'node:crypto';
import type { Operator } from '../../src/entities.js';
import { etagOf, expectUnauthenticated, withVersion } from '../support/answers.js';
import { store } from '../support/draft-requests.js';
import { createDraft, type Draft, newDraft, newDraftOf } from '../support/drafts.js';
import { buildForm, buildRecords, type ConditionPlan, type FieldPlan } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService, useServiceOn } from '../support/service.js';

const HIDDEN = { visible: false, required: false };
const OPTIONAL = { visible: true, required: false };
const REQUIRED = { visible: true, required: true };

/** A form in which the value of `kind` decides the states of the other fields. */
const PLAN: Record<string, FieldPlan>[] = [
  {
    kind: { type: 'select', options: ['person', 'company'], isRequired: true },
    vat: { conditions: [['kind', 'equals', 'company', 'show']] },
    nickname: { isRequired: true, conditions: [['kind', 'equals', 'company', 'hide']] },
  },
  { title: { type: 'heading' }, email: { conditions: [['kind', 'not_empty', '', 'require']] } },
];
const OF_COMPANY = { kind: REQUIRED, vat: OPTIONAL, nickname: HIDDEN, title: OPTIONAL, email: REQUIRED };

const use = useService();
const query = (sql: string, parameters: unknown[]) => use.database.dataSource.query(sql, parameters);

const conditionsOf = ({ client, path }: Draft, search = '') => client.get(`${path}/conditions${search}`);
const byCode = async (draft: Draft): Promise<Record<string, object>> => {
  const { body } = await conditionsOf(draft, '?shape=map');
  return Object.fromEntries(Object.entries(draft.fields).map(([code, { id }]) => [code, body.data[id]]));
};

describe('GET /api/v1/submissions/{uuid}/conditions', () => {
  let company: Draft;
  beforeAll(async () => {
    company = await newDraft(use, PLAN);
    await store(company, { kind: 'company' });
  });

  const expectedMap = ({ form, fields }: Draft) =>
    withVersion(
      Object.fromEntries(Object.entries(OF_COMPANY).map(([code, state]) => [fields[code]!.id, state])),
      form.version,
    );
  const expectedList = ({ form, fields }: Draft) =>
    withVersion(
      Object.entries(OF_COMPANY).map(([code, { visible, required }]) => ({
        ...{ field_id: fields[code]!.id, field_code: code, is_visible: visible, is_required: required },
      })),
      form.version,
    );

  it.each([
    ['a map by field id', '', expectedMap],
    ['a map by field id', '?shape=map', expectedMap],
    ['a list in schema order', '?shape=list', expectedList],
    ['a map, and ignores other parameters', '?page=0&__proto__=x&constructor=y', expectedMap],
  ])('returns the states as %s for %j (C1)', async (_, search, expected) => {
    const { status, headers, body } = await conditionsOf(company, search);
    expect([status, body]).toEqual([200, expected(company)]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    [
      'shape',
      ['shape', 'shape=', 'shape=other', 'shape=MAP', 'shape=map%20', 'shape=map,list', 'shape=__proto__'],
    ],
    ['shape', ['shape=map&shape=map', 'shape=map&shape=list']],
    ['explain', ['explain', 'explain=', 'explain=1', 'explain=TRUE', 'explain=true&explain=true']],
  ])('rejects any other %s (C1)', async (name, searches) => {
    for (const search of searches) expectInvalid(await conditionsOf(company, `?${search}`), name);
  });

  it('lists the fields in schema order, even if their ids are in another order (F7)', async () => {
    const built = await buildForm(use.database.dataSource, {
      steps: [{ a: { order: 9 }, b: { order: 1 } }, { c: {} }],
    });
    await use.database.dataSource.transaction(async (manager) => {
      await manager.query('set constraints all deferred');
      await manager.query('update steps set step_number = 3 - step_number where form_id = $1', [
        built.form.id,
      ]);
    });
    const { client } = company;
    const { path } = await createDraft(client, built);
    const { body } = await client.get(`${path}/conditions?shape=list`);
    expect(body.data.map((state: { field_code: string }) => state.field_code)).toEqual(['c', 'b', 'a']);
  });

  it('returns no states for a form without fields', async () => {
    const draft = await newDraft(use, []);
    expect((await conditionsOf(draft)).body.data).toEqual({});
    expect((await conditionsOf(draft, '?shape=list')).body.data).toEqual([]);
  });

  it('explains states by the met conditions, in both shapes, and hidden fields without require', async () => {
    const draft = await newDraft(use, [
      {
        kind: {},
        vat: {
          conditions: [
            ['kind', 'equals', 'company', 'show'],
            ['kind', 'contains', 'comp', 'show'],
            ['kind', 'not_empty', '', 'require'],
            ['kind', 'equals', 'nobody', 'hide'],
          ],
        },
      },
    ]);
    const met = (operator: Operator, value: string, action: string) => ({
      ...{ depends_on_field_code: 'kind', operator, value, action },
    });
    const [kind, vat] = [draft.fields['kind']!.id, draft.fields['vat']!.id];
    const explained = async (shape: string) =>
      (await conditionsOf(draft, `?shape=${shape}&explain=true`)).body.data;

    await store(draft, { kind: 'company' });
    const conditions_met = [
      met('equals', 'company', 'show'),
      met('contains', 'comp', 'show'),
      met('not_empty', '', 'require'),
    ];
    expect(await explained('map')).toEqual({
      [kind]: { ...OPTIONAL, conditions_met: [] },
      [vat]: { ...REQUIRED, conditions_met },
    });
    expect(await explained('list')).toEqual([
      { field_id: kind, field_code: 'kind', is_visible: true, is_required: false, conditions_met: [] },
      { field_id: vat, field_code: 'vat', is_visible: true, is_required: true, conditions_met },
    ]);
    await store(draft, { kind: 'nobody' });
    expect((await explained('map'))[vat]).toEqual({
      ...HIDDEN,
      conditions_met: [met('equals', 'nobody', 'hide')],
    });
    expect((await conditionsOf(draft, '?explain=false')).body).toEqual((await conditionsOf(draft)).body);
  });

  describe('with CONDITIONS_SHAPE=list and HIDDEN_VALUES=ignore', () => {
    const service = useServiceOn(use, { CONDITIONS_SHAPE: 'list', HIDDEN_VALUES: 'ignore' });

    it('returns a list if the client names no shape (C1)', async () => {
      const draft = await newDraft({ ...use, service }, PLAN);
      await store(draft, { kind: 'company' });
      expect((await conditionsOf(draft)).body).toEqual(expectedList(draft));
      expect((await conditionsOf(draft, '?shape=map')).body).toEqual(expectedMap(draft));
    });

    it('treats hidden fields as empty, at any depth, but counts their values by default (C5)', async () => {
      const plan: Record<string, FieldPlan>[] = [
        // Each field precedes the field that it depends on.
        {
          c: { conditions: [['b', 'not_empty', '', 'show']] },
          b: { conditions: [['a', 'not_empty', '', 'show']] },
        },
        { a: { conditions: [['start', 'equals', 'yes', 'show']] }, start: {} },
      ];
      const values = { start: 'no', a: 'x', b: 'x', c: 'x' };
      const [keeping, ignoring] = [await newDraft(use, plan), await newDraft({ ...use, service }, plan)];
      await store(keeping, values);
      await store(ignoring, values);

      expect(await byCode(keeping)).toEqual({ start: OPTIONAL, a: HIDDEN, b: OPTIONAL, c: OPTIONAL });
      expect(await byCode(ignoring)).toEqual({ start: OPTIONAL, a: HIDDEN, b: HIDDEN, c: HIDDEN });
      await store(ignoring, { start: 'yes' });
      expect(await byCode(ignoring)).toEqual({ start: OPTIONAL, a: OPTIONAL, b: OPTIONAL, c: OPTIONAL });
    });
  });

  it('changes when values are stored, changed and emptied, and stays after completion (C2, C6)', async () => {
    const draft = await newDraft(use, PLAN);
    const unanswered = { kind: REQUIRED, vat: HIDDEN, nickname: REQUIRED, title: OPTIONAL, email: OPTIONAL };

    expect(await byCode(draft)).toEqual(unanswered);
    await store(draft, { kind: 'company' });
    expect(await byCode(draft)).toEqual(OF_COMPANY);
    await store(draft, { kind: 'person' });
    expect(await byCode(draft)).toEqual({ ...unanswered, email: REQUIRED });
    await store(draft, { kind: '' });
    const before = await draft.client.get(draft.path);
    expect(await byCode(draft)).toEqual(unanswered);
    expect((await draft.client.get(draft.path)).body).toEqual(before.body);
    await draft.client.patch(draft.path, { status: 'completed' });
    expect(await byCode(draft)).toEqual(unanswered);
  });

  // The unit tests in src/conditions/engine have all cases. These show that the endpoint evaluates stored values by the same rules.
  it('evaluates each operator, each action and fields that depend on each other, on any step (C2 to C6)', async () => {
    const shown = (operator: Operator, operand: string, code = 'on'): FieldPlan => ({
      conditions: [[code, operator, operand, 'show']],
    });
    const hide: ConditionPlan = ['on', 'equals', '10', 'hide'];
    const draft = await newDraft(use, [
      {
        equals: shown('equals', '10'),
        not_equals: shown('not_equals', '10'),
        contains: shown('contains', '1'),
        greater_than: shown('greater_than', '9.99'),
        less_than: shown('less_than', '1e1'),
        in: shown('in', '9, 10 ,,'),
        not_in: shown('not_in', '9,10'),
        empty: shown('empty', '', 'blank'),
        not_empty: shown('not_empty', '', 'blank'),
      },
      {
        several: { conditions: [['on', 'empty', '', 'show'], ...shown('equals', '10').conditions!] },
        both: { isRequired: true, conditions: [hide, ...shown('equals', '10').conditions!] },
        required: { conditions: [['on', 'equals', '10', 'require']] },
        not_required: { isRequired: true, conditions: [['on', 'equals', 'x', 'require']] },
        itself: { conditions: [['itself', 'not_empty', '', 'hide']] },
      },
      { on: {}, blank: {} },
    ]);
    await store(draft, { on: '10', blank: '', itself: 'x' });

    expect(await byCode(draft)).toEqual({
      ...{
        equals: OPTIONAL,
        not_equals: HIDDEN,
        contains: OPTIONAL,
        greater_than: OPTIONAL,
        less_than: HIDDEN,
      },
      ...{ in: OPTIONAL, not_in: HIDDEN, empty: OPTIONAL, not_empty: HIDDEN },
      ...{ several: OPTIONAL, both: HIDDEN, required: REQUIRED, not_required: REQUIRED, itself: HIDDEN },
      ...{ on: OPTIONAL, blank: OPTIONAL },
    });
  });

  it('compares every value of a repeatable field (C7)', async () => {
    const cases: [Operator, string, boolean][] = [
      ['equals', 'x', true],
      ['equals', 'y', false],
      ['contains', 'xa', true],
      ['less_than', '5', true],
      ['not_equals', 'x', false],
      ['not_equals', 'y', true],
      ['not_in', 'x,y', false],
      ['empty', '', false],
      ['not_empty', '', true],
    ];
    const plans = cases.map(([operator, operand], index): [string, FieldPlan] => [
      `f${index}`,
      { conditions: [['many', operator, operand, 'show']] },
    ]);
    const draft = await newDraft(use, [{ many: { isRepeatable: true }, ...Object.fromEntries(plans) }]);
    const records = await buildRecords(use.database.dataSource, draft.form.id, draft.uuid, 3);
    // The last value has no record.
    const values = ['x', 'axa', '4', ''].map((value, index) => ({
      ...{ field_code: 'many', value, entity_record_id: records[index] },
    }));
    await draft.client.post(`${draft.path}/values`, { values });

    const states = await byCode(draft);
    const expected = cases.map(([, , met], index) => [`f${index}`, met ? OPTIONAL : HIDDEN]);
    expect(states).toEqual({ many: OPTIONAL, ...Object.fromEntries(expected) });
  });

  it('evaluates a condition or a field as soon as another program adds, changes or deletes it (F9)', async () => {
    const draft = await newDraft(use, [{ on: {}, field: {} }]);
    await store(draft, { on: 'x' });
    expect(await byCode(draft)).toEqual({ on: OPTIONAL, field: OPTIONAL });
    const [on, field] = [draft.fields['on']!.id, draft.fields['field']!.id];
    for (const [sql, parameters, state] of [
      [
        `insert into conditions (field_id, depends_on_field_id, operator, value, action)
           values ($1, $2, 'equals', 'x', 'hide')`,
        [field, on],
        HIDDEN,
      ],
      [`update conditions set action = 'require' where field_id = $1`, [field], REQUIRED],
      ['delete from conditions where field_id = $1', [field], OPTIONAL],
      ['update fields set is_required = true where id = $1', [field], REQUIRED],
    ] as const) {
      await use.service.hearing(() => query(sql, [...parameters]));
      expect((await byCode(draft))['field']).toEqual(state);
    }
    await use.service.hearing(() =>
      query(`insert into fields (step_id, field_type_id, code, label) values ($1, 1, 'added', 'Added')`, [
        draft.steps[0]!.id,
      ]),
    );
    expect(Object.keys((await conditionsOf(draft)).body.data)).toHaveLength(3);
  });

  it('returns 404 to another user and 401 without a valid token (S1, A5)', async () => {
    const { client } = await newUser(use);
    expectRefusal(await conditionsOf({ ...company, client }), 404);
    expectUnauthenticated(await use.service.anyone.get(`${company.path}/conditions`));
  });
});

describe('GET /api/v1/forms/{uuid}/conditions', () => {
  const ofForm = (uuid: string, search = '', headers = {}) =>
    use.service.anyone.get(`/api/v1/forms/${uuid}/conditions${search}`, headers);

  it('returns what a submission without values gets, in each shape, with and without steps (P11, C1, C12)', async () => {
    const draft = await newDraftOf(use, {
      steps: PLAN,
      stepConditions: { 2: [['kind', 'not_empty', '', 'show']] },
    });
    const queries = [
      '',
      '?shape=map',
      '?shape=list',
      '?steps=true',
      '?shape=list&steps=true',
      '?computed=true',
    ];
    for (const search of [...queries, ...queries]) {
      const { status, body } = await ofForm(draft.form.uuid.toUpperCase(), search);
      expect([status, body]).toEqual([200, (await conditionsOf(draft, search)).body]);
    }
    const { body } = await ofForm(draft.form.uuid, '?steps=true&scope=records');
    expect(body).toMatchObject({
      form_version: draft.form.version,
      steps: [{ is_visible: true }, { is_visible: false }],
    });
  });

  it('can be cached like a schema: 304 until the form changes, and compressed, also if inactive (F10, P11)', async () => {
    const fields = Array.from({ length: 40 }, (_, index) => [`f${index}`, {}] as const);
    const { form } = await buildForm(use.database.dataSource, {
      form: { isActive: false },
      steps: [Object.fromEntries(fields)],
    });
    const first = await ofForm(form.uuid);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const again = await ofForm(form.uuid, '', { 'If-None-Match': etagOf(first) });
    expect([again.status, again.body]).toEqual([304, undefined]);
    const gzip = await ofForm(form.uuid, '', { 'Accept-Encoding': 'gzip' });
    expect([gzip.headers.get('content-encoding'), gzip.body]).toEqual(['gzip', first.body]);
    expect(etagOf(await ofForm(form.uuid, '?shape=list'))).not.toBe(etagOf(first));

    await use.service.hearing(() =>
      query('update fields set is_required = true where form_id = $1', [form.id]),
    );
    const changed = await ofForm(form.uuid, '', { 'If-None-Match': etagOf(first) });
    expect([changed.status, changed.body.form_version]).toEqual([200, Number(first.body.form_version) + 1]);
    expect(Object.values(changed.body.data)).toContainEqual(REQUIRED);
  });

  it('rejects an unknown form with 404, and any other shape or steps with 422', async () => {
    for (const uuid of [randomUUID(), 'job-application', '%00']) expectRefusal(await ofForm(uuid), 404);
    const { form } = await buildForm(use.database.dataSource);
    expectInvalid(await ofForm(form.uuid, '?shape=tree'), 'shape');
    expectInvalid(await ofForm(form.uuid, '?steps=yes'), 'steps');
  });
});
