import { randomUUID } from 'node:crypto';
import { Condition } from '../../src/entities.js';
import type { Operator } from '../../src/entities.js';
import { etagOf, expectUnauthenticated, withVersion } from '../support/answers.js';
import { type Draft, newDraft, newDraftOf } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { buildForm, buildRecords, type FieldPlan } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { startService, useService } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

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

describe('GET /api/v1/submissions/{uuid}/conditions', () => {
  const use = useService();

  const store = async ({ client, path }: Draft, values: Record<string, string>) => {
    const entries = Object.entries(values).map(([field_code, value]) => ({ field_code, value }));
    expect((await client.post(`${path}/values`, { values: entries })).status).toBe(200);
  };
  const conditionsOf = async ({ client, path }: Draft, query = '') =>
    client.get(`${path}/conditions${query}`);
  const byCode = async (draft: Draft) => {
    const { body } = await conditionsOf(draft, '?shape=map');
    return Object.fromEntries(Object.entries(draft.fields).map(([code, { id }]) => [code, body.data[id]]));
  };

  describe('returns the states in two shapes (C1)', () => {
    const expectedMap = ({ form, fields }: Draft) => ({
      form_version: form.version,
      data: {
        [String(fields['kind']?.id)]: { visible: true, required: true },
        [String(fields['vat']?.id)]: { visible: true, required: false },
        [String(fields['nickname']?.id)]: { visible: false, required: false },
        [String(fields['title']?.id)]: { visible: true, required: false },
        [String(fields['email']?.id)]: { visible: true, required: true },
      },
    });
    const expectedList = ({ form, fields }: Draft) => ({
      form_version: form.version,
      data: [
        { field_id: fields['kind']?.id, field_code: 'kind', is_visible: true, is_required: true },
        { field_id: fields['vat']?.id, field_code: 'vat', is_visible: true, is_required: false },
        { field_id: fields['nickname']?.id, field_code: 'nickname', is_visible: false, is_required: false },
        { field_id: fields['title']?.id, field_code: 'title', is_visible: true, is_required: false },
        { field_id: fields['email']?.id, field_code: 'email', is_visible: true, is_required: true },
      ],
    });

    it.each(['', '?shape=map'])('as a map by field id for %j', async (query) => {
      const draft = await newDraft(use, PLAN);
      await store(draft, { kind: 'company' });

      const answer = await conditionsOf(draft, query);

      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.body).toEqual(expectedMap(draft));
    });

    it('as a list in schema order for ?shape=list', async () => {
      const draft = await newDraft(use, PLAN);
      await store(draft, { kind: 'company' });

      const answer = await conditionsOf(draft, '?shape=list');

      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.body).toEqual(expectedList(draft));
    });

    it('in schema order even if the ids are in another order (F7)', async () => {
      const draft = await newDraft(use, [{ a: { order: 9 }, b: { order: 1 } }, { c: {} }]);
      await use.database.dataSource.transaction(async (manager) => {
        await manager.query('set constraints all deferred');
        await manager.query('update steps set step_number = 3 - step_number where form_id = $1', [
          draft.form.id,
        ]);
      });

      await eventually('the new order is known', async () => {
        const { body } = await conditionsOf(draft, '?shape=list');
        return body.data.map((state: { field_code: string }) => state.field_code).join() === 'c,b,a';
      });
    });

    it('with the documented keys only', async () => {
      const draft = await newDraft(use, [{ only: {} }]);

      const [map, list] = [await conditionsOf(draft), await conditionsOf(draft, '?shape=list')];

      const id = draft.fields['only']?.id;
      const version = `"form_version":${draft.form.version}`;
      expect(JSON.stringify(map.body)).toBe(
        `{"data":{"${id}":{"visible":true,"required":false}},${version}}`,
      );
      expect(JSON.stringify(list.body)).toBe(
        `{"data":[{"field_id":${id},"field_code":"only","is_visible":true,"is_required":false}],${version}}`,
      );
    });

    it('empty for a form without fields', async () => {
      const draft = await newDraft(use, []);

      expect((await conditionsOf(draft)).body).toEqual(withVersion({}, draft.form.version));
      expect((await conditionsOf(draft, '?shape=list')).body).toEqual(withVersion([], draft.form.version));
    });

    it('in the shape of CONDITIONS_SHAPE if the client names none', async () => {
      const service = await startService(use.database, { CONDITIONS_SHAPE: 'list' });
      try {
        const draft = await newDraft({ ...use, service }, PLAN);
        await store(draft, { kind: 'company' });

        expect((await conditionsOf(draft)).body).toEqual(expectedList(draft));
        expect((await conditionsOf(draft, '?shape=list')).body).toEqual(expectedList(draft));
        expect((await conditionsOf(draft, '?shape=map')).body).toEqual(expectedMap(draft));
      } finally {
        await service.close();
      }
    });

    it.each([
      'shape=other',
      'shape=',
      'shape=MAP',
      'shape=map%20',
      'shape=%00',
      'shape=map,list',
      'shape=1',
      'shape=null',
      'shape=map&shape=map',
      'shape=map&shape=list',
      'shape=constructor',
      'shape=__proto__',
      'shape',
    ])('and rejects ?%s under shape', async (query) => {
      const draft = await newDraft(use, [{}]);

      expectInvalid(await conditionsOf(draft, `?${query}`), 'shape');
    });

    it('and ignores other parameters', async () => {
      const draft = await newDraft(use, [{}]);

      const answer = await conditionsOf(draft, '?page=0&__proto__=x&constructor=y');

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(withVersion({}, draft.form.version));
    });
  });

  describe('with ?explain', () => {
    const EXPLAINED: Record<string, FieldPlan>[] = [
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
    ];
    const met = (operator: Operator, value: string, action: string) => ({
      depends_on_field_code: 'kind',
      operator,
      value,
      action,
    });

    it('lists the met conditions of each field, in both shapes', async () => {
      const draft = await newDraft(use, EXPLAINED);
      await store(draft, { kind: 'company' });
      const conditions_met = [
        met('equals', 'company', 'show'),
        met('contains', 'comp', 'show'),
        met('not_empty', '', 'require'),
      ];

      const [map, list] = [
        await conditionsOf(draft, '?shape=map&explain=true'),
        await conditionsOf(draft, '?shape=list&explain=true'),
      ];

      const [kind, vat] = [draft.fields['kind']?.id, draft.fields['vat']?.id];
      expect(map.body).toEqual({
        form_version: draft.form.version,
        data: {
          [String(kind)]: { ...OPTIONAL, conditions_met: [] },
          [String(vat)]: { ...REQUIRED, conditions_met },
        },
      });
      expect(list.body).toEqual({
        form_version: draft.form.version,
        data: [
          { field_id: kind, field_code: 'kind', is_visible: true, is_required: false, conditions_met: [] },
          { field_id: vat, field_code: 'vat', is_visible: true, is_required: true, conditions_met },
        ],
      });
    });

    it('lists the conditions that hide a field, but not its require conditions', async () => {
      const draft = await newDraft(use, EXPLAINED);
      await store(draft, { kind: 'nobody' });

      const { body } = await conditionsOf(draft, '?shape=map&explain=true');

      expect(body.data[draft.fields['vat']!.id]).toEqual({
        ...HIDDEN,
        conditions_met: [met('equals', 'nobody', 'hide')],
      });
    });

    it('returns the same for explain=false as without it', async () => {
      const draft = await newDraft(use, EXPLAINED);

      expect((await conditionsOf(draft, '?explain=false')).body).toEqual((await conditionsOf(draft)).body);
    });

    it.each(['explain=', 'explain=1', 'explain=TRUE', 'explain', 'explain=true&explain=true'])(
      'rejects ?%s under explain',
      async (query) => {
        expectInvalid(await conditionsOf(await newDraft(use, [{}]), `?${query}`), 'explain');
      },
    );
  });

  it('treats hidden fields as empty, at any depth, only with HIDDEN_VALUES=ignore (C5)', async () => {
    const plan: Record<string, FieldPlan>[] = [
      // Each field precedes the field that it depends on.
      {
        c: { conditions: [['b', 'not_empty', '', 'show']] },
        b: { conditions: [['a', 'not_empty', '', 'show']] },
      },
      { a: { conditions: [['start', 'equals', 'yes', 'show']] }, start: {} },
    ];
    const values = { start: 'no', a: 'x', b: 'x', c: 'x' };
    const service = await startService(use.database, { HIDDEN_VALUES: 'ignore' });
    try {
      const [keeping, ignoring] = [await newDraft(use, plan), await newDraft({ ...use, service }, plan)];
      await store(keeping, values);
      await store(ignoring, values);

      expect(await byCode(keeping)).toEqual({ start: OPTIONAL, a: HIDDEN, b: OPTIONAL, c: OPTIONAL });
      expect(await byCode(ignoring)).toEqual({ start: OPTIONAL, a: HIDDEN, b: HIDDEN, c: HIDDEN });
      await store(ignoring, { start: 'yes' });
      expect(await byCode(ignoring)).toEqual({ start: OPTIONAL, a: OPTIONAL, b: OPTIONAL, c: OPTIONAL });
    } finally {
      await service.close();
    }
  });

  it('changes when values are stored, changed and emptied (C2, C6)', async () => {
    const draft = await newDraft(use, PLAN);
    const title = OPTIONAL;

    const unanswered = { kind: REQUIRED, vat: HIDDEN, nickname: REQUIRED, title, email: OPTIONAL };
    expect(await byCode(draft)).toEqual(unanswered);
    await store(draft, { kind: 'company' });
    expect(await byCode(draft)).toEqual({
      kind: REQUIRED,
      vat: OPTIONAL,
      nickname: HIDDEN,
      title,
      email: REQUIRED,
    });
    await store(draft, { kind: 'person' });
    expect(await byCode(draft)).toEqual({
      kind: REQUIRED,
      vat: HIDDEN,
      nickname: REQUIRED,
      title,
      email: REQUIRED,
    });
    await store(draft, { kind: '' });
    expect(await byCode(draft)).toEqual(unanswered);
  });

  it('evaluates the stored values of all steps, not only of the current step', async () => {
    const draft = await newDraft(use, [
      { a: {} },
      { b: { conditions: [['c', 'equals', 'x', 'show']] } },
      { c: {} },
    ]);

    expect(await byCode(draft)).toMatchObject({ b: HIDDEN });
    await store(draft, { c: 'x' });
    expect(await byCode(draft)).toMatchObject({ b: OPTIONAL });
    await draft.client.post(`${draft.path}/advance`);
    expect(await byCode(draft)).toMatchObject({ b: OPTIONAL });
  });

  // Rules 2 to 5 of the specification and C6, for combinations of met ("yes") and unmet ("no") conditions.
  it.each([
    [[], false, OPTIONAL],
    [[], true, REQUIRED],
    [['hide no'], true, REQUIRED],
    [['hide yes'], true, HIDDEN],
    [['hide no', 'hide yes'], false, HIDDEN],
    [['show yes'], true, REQUIRED],
    [['show no'], true, HIDDEN],
    [['show no', 'show yes'], false, OPTIONAL],
    [['show yes', 'hide yes'], true, HIDDEN],
    [['show no', 'hide no'], false, HIDDEN],
    [['require yes'], false, REQUIRED],
    [['require no'], false, OPTIONAL],
    [['require no'], true, REQUIRED],
    [['require no', 'require yes'], false, REQUIRED],
    [['require yes', 'hide yes'], true, HIDDEN],
    [['require yes', 'show no'], true, HIDDEN],
    [['require yes', 'show yes', 'hide no'], false, REQUIRED],
  ] as const)('resolves %j with isRequired %j to %j (C6)', async (conditions, isRequired, state) => {
    const draft = await newDraft(use, [
      {
        on: {},
        field: {
          isRequired,
          conditions: conditions.map((condition) => {
            const [action, met] = condition.split(' ');
            return [
              'on',
              'equals',
              met === 'yes' ? 'x' : 'y',
              action as 'show' | 'hide' | 'require',
            ] as const;
          }),
        },
      },
    ]);
    await store(draft, { on: 'x' });

    expect((await byCode(draft))['field']).toEqual(state);
  });

  // A few cases per operator, to show that the endpoint evaluates all of them. src/rules tests the rest.
  it.each<[Operator, string, string | undefined, boolean]>([
    ['equals', 'a', 'a', true],
    ['equals', 'a', 'A', false],
    ['not_equals', 'a', 'b', true],
    ['not_equals', 'a', undefined, true],
    ['contains', 'ell', 'hello', true],
    ['contains', 'ELL', 'hello', false],
    ['greater_than', '9', '10', true],
    ['greater_than', '10', '9', false],
    ['greater_than', '99999999999999999998', '99999999999999999999', true],
    ['less_than', '1e1', ' 9.99 ', true],
    ['less_than', '10', 'abc', false],
    ['in', 'a, b ,,c', 'b', true],
    ['in', 'a, b ,,c', '', false],
    ['not_in', 'a,b', 'c', true],
    ['not_in', 'a,b', undefined, true],
    ['empty', '', undefined, true],
    ['empty', '', '', true],
    ['empty', '', 'x', false],
    ['not_empty', '', 'x', true],
    ['not_empty', '', undefined, false],
  ])('evaluates %s %j for the value %j to %j (C2)', async (operator, operand, value, met) => {
    const draft = await newDraft(use, [
      { on: {}, field: { conditions: [['on', operator, operand, 'show']] } },
    ]);
    if (value !== undefined) await store(draft, { on: value });

    expect((await byCode(draft))['field']).toEqual(met ? OPTIONAL : HIDDEN);
  });

  it('counts the values of hidden fields by default (C5)', async () => {
    const draft = await newDraft(use, [
      {
        a: {},
        b: { conditions: [['a', 'equals', 'x', 'hide']] },
        c: { conditions: [['b', 'not_empty', '', 'show']] },
      },
    ]);
    await store(draft, { a: 'x', b: 'still here' });

    expect(await byCode(draft)).toEqual({ a: OPTIONAL, b: HIDDEN, c: OPTIONAL });
  });

  it('resolves fields that depend on each other and on themselves (C5)', async () => {
    const draft = await newDraft(use, [
      {
        a: { conditions: [['b', 'equals', 'x', 'hide']] },
        b: { conditions: [['a', 'equals', 'x', 'hide']] },
        itself: { conditions: [['itself', 'not_empty', '', 'hide']] },
      },
    ]);
    await store(draft, { a: 'x', b: 'x', itself: 'x' });

    expect(await byCode(draft)).toEqual({ a: HIDDEN, b: HIDDEN, itself: HIDDEN });
  });

  describe('for a repeatable field with several values (C7)', () => {
    const withValues = async (operator: Operator, operand: string, ...values: string[]) => {
      const draft = await newDraft(use, [
        { many: { isRepeatable: true }, field: { conditions: [['many', operator, operand, 'show']] } },
      ]);
      const records = await buildRecords(use.database.dataSource, draft.form.id, draft.uuid, values.length);
      const entries = values.map((value, index) => ({
        field_code: 'many',
        value,
        // The last value has no record.
        ...(index < values.length - 1 && { entity_record_id: records[index] }),
      }));
      await draft.client.post(`${draft.path}/values`, { values: entries });
      return (await byCode(draft))['field'].visible as boolean;
    };

    it.each<[Operator, string, readonly string[], boolean]>([
      ['equals', 'x', ['a', 'x', 'b'], true],
      ['equals', 'x', ['a', 'b'], false],
      ['contains', 'x', ['a', 'axa'], true],
      ['greater_than', '5', ['1', '6'], true],
      ['greater_than', '5', ['1', '5'], false],
      ['less_than', '5', ['9', '4', 'abc'], true],
      ['in', 'x,y', ['a', 'y'], true],
      ['not_equals', 'x', ['a', 'x'], false],
      ['not_equals', 'x', ['a', 'b'], true],
      ['not_in', 'x,y', ['a', 'y'], false],
      ['not_in', 'x,y', ['a', 'b'], true],
      ['empty', '', ['', ''], true],
      ['empty', '', ['', 'a'], false],
      ['not_empty', '', ['', 'a'], true],
      ['not_empty', '', ['', ''], false],
      ['not_equals', 'x', ['', ''], true],
    ])('evaluates %s %j for the values %j to %j', async (operator, operand, values, met) => {
      expect(await withValues(operator, operand, ...values)).toBe(met);
    });
  });

  it('returns the states of a completed submission', async () => {
    const draft = await newDraft(use, PLAN);
    await store(draft, { kind: 'company' });
    const before = await conditionsOf(draft);
    await draft.client.patch(draft.path, { status: 'completed' });

    const answer = await conditionsOf(draft);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(before.body);
  });

  it('does not change the submission', async () => {
    const draft = await newDraft(use, PLAN);
    const before = await draft.client.get(draft.path);

    await conditionsOf(draft);

    expect((await draft.client.get(draft.path)).body).toEqual(before.body);
  });

  it('evaluates a condition as soon as another program adds, changes or deletes it (F9)', async () => {
    const draft = await newDraft(use, [{ on: {}, field: {} }]);
    await store(draft, { on: 'x' });
    expect((await byCode(draft))['field']).toEqual(OPTIONAL);
    const { id: fieldId } = draft.fields['field']!;
    const { id: dependsOnFieldId } = draft.fields['on']!;
    const becomes = (state: object) =>
      eventually(
        `the field is ${JSON.stringify(state)}`,
        async () => JSON.stringify((await byCode(draft))['field']) === JSON.stringify(state),
      );

    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query(
        `insert into conditions (field_id, depends_on_field_id, operator, value, action)
           values ($1, $2, 'equals', 'x', 'hide')`,
        [fieldId, dependsOnFieldId],
      );
      await becomes(HIDDEN);
      await program.query(`update conditions set action = 'require' where field_id = $1`, [fieldId]);
      await becomes(REQUIRED);
      await program.query('delete from conditions where field_id = $1', [fieldId]);
      await becomes(OPTIONAL);
      await program.query('update fields set is_required = true where id = $1', [fieldId]);
      await becomes(REQUIRED);
    });
  });

  it('returns the state of a field as soon as another program adds it (F9)', async () => {
    const draft = await newDraft(use, [{ first: {} }]);
    await conditionsOf(draft);
    const { dataSource } = use.database;
    const [{ id }] = await dataSource.query(
      `insert into fields (step_id, field_type_id, code, label) values ($1, 1, 'added', 'Added') returning id`,
      [draft.steps[0]?.id],
    );

    await eventually('the field is there', async () => id in (await conditionsOf(draft)).body.data);
  });

  it('evaluates a form of 1,000 fields and as many conditions', async () => {
    const draft = await newDraft(use, [{ on: {} }]);
    const { manager } = use.database.dataSource;
    await manager.query(
      `with added as (
         insert into fields (step_id, field_type_id, code, label, "order")
           select $1, 1, 'f' || n, 'F', n from generate_series(1, 1000) n returning id
       )
       insert into conditions (field_id, depends_on_field_id, form_id, operator, value, action)
         select id, $2, $3, 'equals', 'x', 'show' from added`,
      [draft.steps[0]?.id, draft.fields['on']?.id, draft.form.id],
    );
    expect(await manager.countBy(Condition, { formId: draft.form.id })).toBe(1_000);
    await store(draft, { on: 'x' });

    await eventually('all fields are visible', async () => {
      const { body } = await conditionsOf(draft);
      const states = Object.values<{ visible: boolean }>(body.data);
      return states.length === 1_001 && states.every(({ visible }) => visible);
    });
  });

  it('returns 404 to another user and 401 without a valid token (S1, A5)', async () => {
    const draft = await newDraft(use);
    const other = await newDraft(use);

    expectRefusal(await conditionsOf({ ...draft, client: other.client }), 404);
    expectRefusal(await conditionsOf({ ...draft, client: other.client }, '?shape=list'), 404);
    expectUnauthenticated(await use.service.anyone.get(`${draft.path}/conditions`));
  });
});

describe('GET /api/v1/forms/{uuid}/conditions', () => {
  const use = useService();

  const build = (more: object = {}) => buildForm(use.database.dataSource, { steps: PLAN, ...more });
  const conditionsOf = (uuid: string, query = '', headers = {}) =>
    use.service.anyone.get(`/api/v1/forms/${uuid}/conditions${query}`, headers);

  it('returns what a submission without values gets, in each shape, with and without steps (P11, C1, C12)', async () => {
    const draft = await newDraftOf(use, {
      steps: PLAN,
      stepConditions: { 2: [['kind', 'not_empty', '', 'show']] },
    });
    for (const query of [
      '',
      '?shape=map',
      '?shape=list',
      '?steps=true',
      '?shape=list&steps=true&scope=records',
    ]) {
      const ofForm = await conditionsOf(draft.form.uuid.toUpperCase(), query);
      const { body } = await draft.client.get(
        `${draft.path}/conditions${query.replace('&scope=records', '')}`,
      );
      expect([ofForm.status, ofForm.body]).toEqual([200, body]);
    }
    const { body } = await conditionsOf(draft.form.uuid, '?steps=true');
    expect(body).toMatchObject({
      form_version: draft.form.version,
      steps: [{ is_visible: true }, { is_visible: false }],
    });
  });

  it('needs no token, and works for an inactive form', async () => {
    const { form } = await build({ form: { isActive: false, access: 'token' } });
    expect((await conditionsOf(form.uuid)).status).toBe(200);
  });

  it('can be cached like a schema: 304 until the form changes, and compressed (F10)', async () => {
    const fields = Array.from({ length: 40 }, (_, index) => [`f${index}`, {}] as const);
    const { form } = await build({ steps: [Object.fromEntries(fields)] });
    const first = await conditionsOf(form.uuid);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    expect(etagOf(first)).toMatch(/^"[\w-]+"$/);
    const again = await conditionsOf(form.uuid, '', { 'If-None-Match': etagOf(first) });
    expect([again.status, again.body]).toEqual([304, undefined]);
    const gzip = await conditionsOf(form.uuid, '', { 'Accept-Encoding': 'gzip' });
    expect(gzip.headers.get('content-encoding')).toBe('gzip');
    expect(gzip.body).toEqual(first.body);
    expect(etagOf(await conditionsOf(form.uuid, '?shape=list'))).not.toBe(etagOf(first));

    await use.service.hearing(() =>
      use.database.dataSource.query(`update fields set is_required = true where form_id = $1`, [form.id]),
    );
    const changed = await conditionsOf(form.uuid, '', { 'If-None-Match': etagOf(first) });
    expect([changed.status, changed.body.form_version]).toEqual([200, Number(first.body.form_version) + 1]);
    expect(Object.values(changed.body.data)).toContainEqual(REQUIRED);
  });

  it('rejects an unknown form with 404, and any other shape or steps with 422', async () => {
    for (const uuid of [randomUUID(), 'job-application', '%00']) expectRefusal(await conditionsOf(uuid), 404);
    const { form } = await build();
    expectInvalid(await conditionsOf(form.uuid, '?shape=tree'), 'shape');
    expectInvalid(await conditionsOf(form.uuid, '?steps=yes'), 'steps');
  });
});
