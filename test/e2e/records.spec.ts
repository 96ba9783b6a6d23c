import { etagOf, expectUnauthenticated, TIMESTAMP, withVersion } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { createDraft, type Draft } from '../support/drafts.js';
import { EntityDefinition, EntityRecord, SubmissionValue } from '../../src/entities.js';
import { buildEntity, buildForm, type FieldPlan } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

const UNKNOWN_ID = 2_147_483_647;

describe('records of repeating groups', () => {
  const use = useService();
  const strict = useService({ COMPLETION_POLICY: 'strict' });

  type EntityPlan = Partial<Pick<EntityDefinition, 'isRepeatable' | 'minRecords' | 'maxRecords'>> & {
    readonly fields?: Record<string, FieldPlan>;
  };

  /** Creates a draft of a form with these entities. Their fields are repeatable by default. */
  async function draftWith(
    entities: Record<string, EntityPlan>,
    { service = use, own = {} }: { service?: typeof use; own?: Record<string, FieldPlan> } = {},
  ): Promise<Draft> {
    const { dataSource } = service.database;
    const plans = Object.values(entities).flatMap(({ fields = {} }) =>
      Object.entries(fields).map(([code, plan]) => [code, { isRepeatable: true, ...plan }] as const),
    );
    const built = await buildForm(dataSource, { steps: [{ ...own, ...Object.fromEntries(plans) }] });
    for (const [name, { fields = {}, ...columns }] of Object.entries(entities)) {
      const plan = { name, isRepeatable: true, ...columns };
      await buildEntity(dataSource, built, plan, Object.keys(fields));
    }
    const { client, id: userId } = await newUser(service);
    return { ...built, client, userId, ...(await createDraft(client, built)) };
  }

  const add = ({ client, path }: Draft, entity: unknown = 'receipt', headers = {}) =>
    client.post(`${path}/records`, { entity }, headers);
  const added = async (draft: Draft, entity = 'receipt'): Promise<number> => {
    const { status, body } = await add(draft, entity);
    expect(status).toBe(201);
    return body.data.id;
  };
  const remove = ({ client, path }: Draft, id: number | string, headers = {}) =>
    client.send('DELETE', `${path}/records/${id}`, '', headers);
  const list = ({ client, path }: Draft, query = '') => client.get(`${path}/records${query}`);
  const idsOf = ({ body }: Answer) => body.data.map(({ id }: { id: number }) => id);
  const store = ({ client, path }: Draft, ...values: (readonly [string, string, number?])[]) =>
    client.post(`${path}/values`, {
      values: values.map(([field_code, value, entity_record_id]) => ({
        field_code,
        value,
        entity_record_id,
      })),
    });
  const stateOf = async ({ client, path }: Draft) => client.get(path);

  it('are added, listed by id and with the submission, and deleted with their values (R1, R5)', async () => {
    const draft = await draftWith({ receipt: { fields: { amount: {} } }, hotel: {} });
    const before = await stateOf(draft);
    expect(before.body.data.records).toEqual([]);

    const answer = await add(draft);
    expect(answer.status).toBe(201);
    const { id } = answer.body.data;
    expect(answer.body).toEqual(
      withVersion({
        id: expect.any(Number),
        entity: 'receipt',
        created_at: expect.stringMatching(TIMESTAMP),
      }),
    );
    expect(answer.headers.get('location')).toBe(`${use.service.url}${draft.path}/records/${id}`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const hotel = await added(draft, 'hotel');
    const second = await added(draft);
    await store(draft, ['amount', '10', id], ['amount', '20', second], ['amount', '5']);

    expect(idsOf(await list(draft))).toEqual([id, hotel, second]);
    expect(idsOf(await list(draft, '?entity=receipt'))).toEqual([id, second]);
    expect((await stateOf(draft)).body.data.records).toEqual((await list(draft)).body.data);

    const gone = await remove(draft, id);
    expect([gone.status, gone.body]).toEqual([204, undefined]);
    const { body } = await stateOf(draft);
    expect(etagOf(gone)).toBe(etagOf(await stateOf(draft)));
    expect(body.data.values.map(({ value }: { value: string }) => value)).toEqual(['5', '20']);
    expect(idsOf(await list(draft))).toEqual([hotel, second]);
    expect(body.data.updated_at > before.body.data.updated_at).toBe(true);
    expectRefusal(await remove(draft, id), 404, { message: 'Record not found.' });
  });

  it('are rejected if the form has no such entity or the body names none (R2)', async () => {
    const draft = await draftWith({ receipt: {} });
    const before = await stateOf(draft);
    expectInvalid(await add(draft, 'Receipt'), 'entity');
    expectInvalid(await add(draft, ''), 'entity');
    expectInvalid(await add(draft, 7), 'entity');
    expectInvalid(await add(draft, null), 'entity');
    expectInvalid(await add(draft, 'a\u0000'), 'entity');
    expectInvalid(await draft.client.post(`${draft.path}/records`), 'entity');
    expectInvalid(await list(draft, '?entity=nothing'), 'entity');
    expectInvalid(await list(draft, '?entity=a&entity=b'), 'entity');
    expect((await stateOf(draft)).body).toEqual(before.body);
  });

  it.each([
    '0',
    '-1',
    '1.5',
    'x',
    UNKNOWN_ID,
    '9007199254740991',
    '9007199254740992',
    '99999999999999999999',
    '%00',
  ])('cannot be deleted by the unknown id %s (R2)', async (id) => {
    const draft = await draftWith({ receipt: {} });
    expectRefusal(await remove(draft, id), 404);
  });

  it('have ids of more than four bytes, up to the largest safe integer', async () => {
    const draft = await draftWith({ receipt: { fields: { amount: {} } } });
    const { dataSource } = use.database;
    await dataSource.query(`select setval(pg_get_serial_sequence('entity_records', 'id'), 3000000000)`);
    const counted = await added(draft);
    expect(counted).toBe(3_000_000_001);
    const entity = await dataSource.manager.findOneByOrFail(EntityDefinition, { formId: draft.form.id });
    const last = Number.MAX_SAFE_INTEGER;
    const { uuid: submissionUuid, form } = draft;
    await dataSource.manager.insert(EntityRecord, {
      id: last,
      submissionUuid,
      formId: form.id,
      entityId: entity.id,
    });
    const values = [counted, last].map((id) => ({
      field_code: 'amount',
      value: String(id),
      entity_record_id: id,
    }));
    expect((await draft.client.post(`${draft.path}/values`, { values })).body.data).toMatchObject(values);

    const { body } = await stateOf(draft);
    expect(body.data.records.map(({ id }: { id: number }) => id)).toEqual([counted, last]);
    expect(body.data.values).toMatchObject(values);
    const stored = await dataSource.manager.findBy(SubmissionValue, { entityRecordId: last });
    expect(stored).toMatchObject([{ recordKey: last, entityRecordId: last, value: String(last) }]);
    expect((await remove(draft, last)).status).toBe(204);
    expect((await stateOf(draft)).body.data.values).toMatchObject(values.slice(0, 1));
  });

  it('belong to one submission, and to its user (S1, R2)', async () => {
    const draft = await draftWith({ receipt: {} });
    const other = { ...draft, ...(await createDraft(draft.client, draft)) };
    const stranger = { ...draft, client: (await newUser(use)).client };
    const id = await added(draft);
    expectRefusal(await remove(other, id), 404, { message: 'Record not found.' });
    expectRefusal(await remove(stranger, id), 404, { message: 'Submission not found.' });
    expectRefusal(await add(stranger), 404, { message: 'Submission not found.' });
    expectRefusal(await add(stranger, 'nothing'), 404, { message: 'Submission not found.' });
    expectRefusal(await list(stranger), 404, { message: 'Submission not found.' });
    expectUnauthenticated(await use.service.anyone.post(`${draft.path}/records`, { entity: 'receipt' }));
    expectUnauthenticated(await use.service.anyone.get(`${draft.path}/records`));
    expect(idsOf(await list(draft))).toEqual([id]);
  });

  it('cannot change after completion (S3), and honour If-Match (S11)', async () => {
    const draft = await draftWith({ receipt: {} });
    const old = etagOf(await stateOf(draft));
    const first = await add(draft, 'receipt', { 'If-Match': old });
    expect(first.status).toBe(201);
    expectRefusal(await add(draft, 'receipt', { 'If-Match': old }), 412);
    expectRefusal(await remove(draft, first.body.data.id, { 'If-Match': old }), 412);
    expect((await remove(draft, first.body.data.id, { 'If-Match': etagOf(first) })).status).toBe(204);
    const id = await added(draft);
    await draft.client.patch(draft.path, { status: 'completed' });
    const completed = { message: 'The submission is already completed.' };
    expectRefusal(await add(draft), 422, completed);
    expectRefusal(await remove(draft, id), 422, completed);
    expect(idsOf(await list(draft))).toEqual([id]);
  });

  it('are added once with an Idempotency-Key (S10)', async () => {
    const draft = await draftWith({ receipt: {}, hotel: {} });
    const key = { 'Idempotency-Key': `records ${draft.uuid}` };
    const first = await add(draft, 'receipt', key);
    await add(draft);
    const again = await add(draft, 'receipt', key);
    expect([again.status, again.body, etagOf(again)]).toEqual([201, first.body, etagOf(first)]);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expectInvalid(await add(draft, 'hotel', key), 'Idempotency-Key');
    expect((await list(draft)).body.data).toHaveLength(2);
    const burst = await Promise.all(
      Array.from({ length: 10 }, () => add(draft, 'hotel', { 'Idempotency-Key': `burst ${draft.uuid}` })),
    );
    expect(burst.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect((await list(draft, '?entity=hotel')).body.data).toHaveLength(1);
  });

  describe('have limits that are exact (R3)', () => {
    it.each<[string, EntityPlan, number]>([
      ['max_records', { maxRecords: 5 }, 5],
      ['one record of an entity that is not repeatable', { isRepeatable: false }, 1],
      ['200 of all entities', {}, 200],
    ])('%s, under parallel calls', async (_, plan, most) => {
      const draft = await draftWith({ receipt: plan, hotel: {} });
      if (most === 200) {
        const { manager } = use.database.dataSource;
        const entity = await manager.findOneByOrFail(EntityDefinition, {
          formId: draft.form.id,
          name: 'hotel',
        });
        const row = { submissionUuid: draft.uuid, formId: draft.form.id, entityId: entity.id };
        await manager.insert(
          EntityRecord,
          Array.from({ length: 190 }, () => row),
        );
      }
      const answers = await Promise.all(Array.from({ length: 50 }, () => add(draft)));
      const left = most === 200 ? 10 : most;
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(left);
      for (const answer of answers.filter(({ status }) => status !== 201)) expectInvalid(answer, 'entity');
      expect((await list(draft, '?entity=receipt')).body.data).toHaveLength(left);
      // A deleted record makes room for another.
      const [id] = idsOf(await list(draft, '?entity=receipt'));
      expect((await remove(draft, id)).status).toBe(204);
      expect((await add(draft)).status).toBe(201);
      expectInvalid(await add(draft), 'entity');
    });

    it('and count records that another program adds at the same time', async () => {
      const draft = await draftWith({ receipt: { maxRecords: 1 } });
      const entity = await use.database.dataSource.manager.findOneByOrFail(EntityDefinition, {
        formId: draft.form.id,
      });
      await asAnotherProgram(use.database.connection, async (program) => {
        await program.query('begin');
        await program.query('select from submissions where uuid = $1 for update', [draft.uuid]);
        await program.query(
          'insert into entity_records (submission_uuid, form_id, entity_id) values ($1, $2, $3)',
          [draft.uuid, draft.form.id, entity.id],
        );
        const answer = add(draft);
        await program.query('commit');
        expectInvalid(await answer, 'entity');
      });
    });
  });

  it('an entity is unknown right after its deletion, and known right after its creation', async () => {
    const draft = await draftWith({ receipt: {} });
    const { dataSource } = use.database;
    await dataSource.query(`insert into entities (form_id, name, label) values ($1, 'new', 'New')`, [
      draft.form.id,
    ]);
    const id = await added(draft, 'new');
    expect((await stateOf(draft)).body.data.records).toMatchObject([{ id, entity: 'new' }]);
    await dataSource.query(`delete from entities where form_id = $1 and name = 'receipt'`, [draft.form.id]);
    expectInvalid(await add(draft), 'entity');
  });

  it('conditions inside a record see the values of that record (R6)', async () => {
    const fields: Record<string, FieldPlan> = {
      currency: {},
      original: {
        conditions: [
          ['currency', 'equals', 'USD', 'show'],
          ['currency', 'equals', 'USD', 'require'],
        ],
      },
    };
    const draft = await draftWith({ receipt: { fields } }, { own: { name: {} } });
    const [euros, dollars] = [await added(draft), await added(draft)];
    await store(draft, ['currency', 'EUR', euros], ['currency', 'USD', dollars]);
    const ids = Object.fromEntries(Object.entries(draft.fields).map(([code, { id }]) => [code, id]));
    const conditions = (query: string) => draft.client.get(`${draft.path}/conditions${query}`);
    const state = (visible: boolean, required: boolean) => ({ visible, required });

    const plain = await conditions('?shape=map');
    const { status, body } = await conditions('?shape=map&scope=records');
    expect(status).toBe(200);
    expect(body).toEqual({
      ...plain.body,
      records: {
        [euros]: { [ids['currency']!]: state(true, false), [ids['original']!]: state(false, false) },
        [dollars]: { [ids['currency']!]: state(true, false), [ids['original']!]: state(true, true) },
      },
    });
    expect(plain.body.data[ids['original']!]).toEqual(state(true, true));
    const asList = await conditions('?shape=list&scope=records');
    expect(asList.body.records[euros]).toEqual([
      { field_id: ids['currency'], field_code: 'currency', is_visible: true, is_required: false },
      { field_id: ids['original'], field_code: 'original', is_visible: false, is_required: false },
    ]);
    const explained = await conditions('?shape=map&scope=records&explain=true');
    expect(explained.body.records[euros][ids['original']!].conditions_met).toEqual([]);
    expect(explained.body.records[dollars][ids['original']!].conditions_met).toHaveLength(2);
    expectInvalid(await conditions('?scope=all'), 'scope');
    expectInvalid(await conditions('?scope='), 'scope');
  });

  it('the explanation of a record includes conditions on fields outside of the record', async () => {
    const fields: Record<string, FieldPlan> = {
      reason: { conditions: [['name', 'equals', 'Ada', 'require']] },
    };
    const draft = await draftWith({ receipt: { fields } }, { own: { name: {} } });
    const record = await added(draft);
    await store(draft, ['name', 'Ada']);
    const { body } = await draft.client.get(`${draft.path}/conditions?shape=map&scope=records&explain=true`);
    expect(body.records[record][draft.fields['reason']!.id].conditions_met).toEqual([
      { depends_on_field_code: 'name', operator: 'equals', value: 'Ada', action: 'require' },
    ]);
  });

  it('strict completion checks each record of each entity, and their number', async () => {
    const fields: Record<string, FieldPlan> = {
      supplier: { isRequired: true },
      amount: { type: 'number' },
      currency: {},
      rate: {
        conditions: [
          ['currency', 'equals', 'USD', 'require'],
          ['currency', 'equals', 'USD', 'show'],
        ],
      },
    };
    const draft = await draftWith({ receipt: { fields, minRecords: 2 } }, { service: strict });
    const complete = () => draft.client.patch(draft.path, { status: 'completed' });
    const first = await added(draft);
    expectInvalid(await complete(), `supplier.${first}`, 'receipt');
    const second = await added(draft);
    await store(
      draft,
      ...([
        ['supplier', 'Inn', first],
        ['amount', 'ten', first],
        ['currency', 'EUR', first],
      ] as const),
      ...([
        ['supplier', '', second],
        ['currency', 'USD', second],
        ['amount', 'x'],
      ] as const),
    );
    expectInvalid(await complete(), 'amount', `amount.${first}`, `supplier.${second}`, `rate.${second}`);
    await store(
      draft,
      ['amount', '10', first],
      ['supplier', 'Cab', second],
      ['rate', '1', second],
      ['amount', ''],
    );
    expect((await complete()).status).toBe(200);
  });

  it('strict completion returns the errors of both if an old form has a field and an entity of the same name (R3)', async () => {
    const draft = await draftWith(
      { receipt: { fields: { amount: {} }, minRecords: 1 } },
      { service: strict, own: { trip: { isRequired: true } } },
    );
    await asAnotherProgram(strict.database.connection, async (program) => {
      await program.query('set session_replication_role = replica');
      await program.query(`update entities set name = 'trip' where form_id = $1`, [draft.form.id]);
    });
    const other = await createDraft(draft.client, draft);
    await strict.service.hearing(() =>
      strict.database.dataSource.query(`update forms set description = 'Changed' where id = $1`, [
        draft.form.id,
      ]),
    );
    const { errors } = (await draft.client.patch(other.path, { status: 'completed' })).body;
    expect(errors).toEqual({
      trip: ['The trip is required.', 'The submission must have at least 1 of trip, but has 0.'],
    });
  });

  it('strict completion requires nothing of an entity without records', async () => {
    const draft = await draftWith(
      { receipt: { fields: { supplier: { isRequired: true } } } },
      { service: strict },
    );
    expect((await draft.client.patch(draft.path, { status: 'completed' })).status).toBe(200);
  });

  it('strict completion checks values that fields of an entity have outside of its records', async () => {
    const amount: FieldPlan = { type: 'number' };
    const draft = await draftWith(
      { receipt: { fields: { amount, total: { ...amount, isRepeatable: false } } }, hotel: {} },
      { service: strict },
    );
    const complete = () => draft.client.patch(draft.path, { status: 'completed' });
    const hotel = await added(draft, 'hotel');
    await store(draft, ['amount', 'x', hotel], ['amount', 'x'], ['total', 'x']);
    expectInvalid(await complete(), 'amount', `amount.${hotel}`, 'total');
    // The single value of a field that is not repeatable belongs to all records.
    const receipt = await added(draft);
    expectInvalid(await complete(), 'amount', `amount.${hotel}`, `total.${receipt}`);
    await store(draft, ['amount', '1', hotel], ['amount', ''], ['total', '1']);
    expect((await complete()).status).toBe(200);
  });

  it('are checked by rules, and by an advance or validation of the step with their fields (S12, J4)', async () => {
    const fields: Record<string, FieldPlan> = { amount: { type: 'number', rules: { max: '50' } } };
    const draft = await draftWith({ receipt: { fields, minRecords: 1 } });
    await use.service.hearing(() =>
      use.database.dataSource.query(`insert into steps (form_id, step_number, title) values ($1, 2, 'Two')`, [
        draft.form.id,
      ]),
    );
    const errorsOf = async (query = '') =>
      (await draft.client.get(`${draft.path}/validation${query}`)).body.data.errors;
    const advance = () => draft.client.post(`${draft.path}/advance?validate=true`);
    const tooFew = { receipt: ['The submission must have at least 1 of receipt, but has 0.'] };

    expect([await errorsOf(), await errorsOf('?step=1'), await errorsOf('?step=2')]).toEqual([
      tooFew,
      tooFew,
      {},
    ]);
    expectInvalid(await advance(), 'receipt');
    const id = await added(draft);
    await store(draft, ['amount', '50.01', id]);
    expect(await errorsOf('?step=1')).toEqual({ [`amount.${id}`]: ['The amount must be at most 50.'] });
    expect(await errorsOf('?step=2')).toEqual({});
    expectInvalid(await advance(), `amount.${id}`);
    await store(draft, ['amount', '50', id]);
    expect((await advance()).status).toBe(200);
  });

  it('are deleted with the submission, even by SQL', async () => {
    const draft = await draftWith({ receipt: { fields: { amount: {} } } });
    await store(draft, ['amount', '1', await added(draft)]);
    const { manager } = use.database.dataSource;
    await manager.query('delete from submissions where uuid = $1', [draft.uuid]);
    expect(await manager.countBy(EntityRecord, { submissionUuid: draft.uuid })).toBe(0);
    expect(await manager.countBy(SubmissionValue, { submissionUuid: draft.uuid })).toBe(0);
    expectRefusal(await list(draft), 404);
  });
});
