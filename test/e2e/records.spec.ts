import { EntityDefinition, EntityRecord } from '../../src/entities.js';
import { etagOf, TIMESTAMP, withVersion } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { addRecord, complete, store } from '../support/draft-requests.js';
import { createDraft, type Draft, newDraftOf } from '../support/drafts.js';
import type { FieldPlan } from '../support/forms.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { type Service, useService, useServiceOn } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

const UNKNOWN_ID = 2_147_483_647;

describe('records of repeating groups', () => {
  const use = useService();
  const strict = useServiceOn(use, { COMPLETION_POLICY: 'strict' });

  type EntityPlan = Partial<Pick<EntityDefinition, 'isRepeatable' | 'minRecords' | 'maxRecords'>> & {
    readonly fields?: Record<string, FieldPlan>;
  };

  /** Creates a draft of a form with these entities. Their fields are repeatable by default. */
  function draftWith(
    entities: Record<string, EntityPlan>,
    { service = use.service, own = {} }: { service?: Service; own?: Record<string, FieldPlan> } = {},
  ): Promise<Draft> {
    const plans = Object.entries(entities).map(([name, { fields = {}, ...columns }]) => ({
      entity: { name, isRepeatable: true, ...columns, of: Object.keys(fields) },
      fields: Object.entries(fields).map(([code, plan]) => [code, { isRepeatable: true, ...plan }] as const),
    }));
    const fields = Object.fromEntries(plans.flatMap((plan) => plan.fields));
    const plan = { steps: [{ ...own, ...fields }], entities: plans.map(({ entity }) => entity) };
    return newDraftOf({ ...use, service }, plan);
  }

  const add = ({ client, path }: Draft, entity: unknown = 'receipt', headers = {}) =>
    client.post(`${path}/records`, { entity }, headers);
  const added = (draft: Draft, entity = 'receipt') => addRecord(draft, entity);
  const remove = ({ client, path }: Draft, id: number | string, headers = {}) =>
    client.send('DELETE', `${path}/records/${id}`, '', headers);
  const list = ({ client, path }: Draft, query = '') => client.get(`${path}/records${query}`);
  const idsOf = ({ body }: Answer) => body.data.map(({ id }: { id: number }) => id);
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
    await store(draft, { amount: '10' }, id);
    await store(draft, { amount: '20' }, second);
    await store(draft, { amount: '5' });

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
    for (const entity of ['Receipt', '', 7, null, 'a\u0000'])
      expectInvalid(await add(draft, entity), 'entity');
    expectInvalid(await draft.client.post(`${draft.path}/records`), 'entity');
    for (const query of ['entity=nothing', 'entity=a&entity=b'])
      expectInvalid(await list(draft, `?${query}`), 'entity');
    expect((await stateOf(draft)).body).toEqual(before.body);
  });

  it('cannot be deleted by an unknown id (R2)', async () => {
    const draft = await draftWith({ receipt: {} });
    for (const id of ['0', '-1', '1.5', 'x', UNKNOWN_ID, '9007199254740991', '99999999999999999999', '%00'])
      expectRefusal(await remove(draft, id), 404);
  });

  it('have ids up to the largest safe integer', async () => {
    const draft = await draftWith({ receipt: { fields: { amount: {} } } });
    const { manager } = use.database.dataSource;
    const { id: entityId } = await manager.findOneByOrFail(EntityDefinition, { formId: draft.form.id });
    const id = Number.MAX_SAFE_INTEGER;
    await manager.insert(EntityRecord, { id, submissionUuid: draft.uuid, formId: draft.form.id, entityId });
    const values = [{ field_code: 'amount', value: 'x', entity_record_id: id }];
    expect((await draft.client.post(`${draft.path}/values`, { values })).body.data).toMatchObject(values);
    const { body } = await stateOf(draft);
    expect([idsOf(await list(draft)), body.data.records[0].id]).toEqual([[id], id]);
    expect(body.data.values).toMatchObject(values);
    expect((await remove(draft, id)).status).toBe(204);
    expect((await stateOf(draft)).body.data.values).toEqual([]);
  });

  it('belong to one submission (R2)', async () => {
    const draft = await draftWith({ receipt: {} });
    const other = { ...draft, ...(await createDraft(draft.client, draft)) };
    const id = await added(draft);
    expectRefusal(await remove(other, id), 404, { message: 'Record not found.' });
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
    await complete(draft);
    const completed = { message: 'The submission is already completed.' };
    expectRefusal(await add(draft), 422, completed);
    expectRefusal(await remove(draft, id), 422, completed);
    expect(idsOf(await list(draft))).toEqual([id]);
  });

  describe('have limits that are exact (R3)', () => {
    it.each<[string, EntityPlan, number]>([
      ['max_records', { maxRecords: 5 }, 5],
      ['one record of an entity that is not repeatable', { isRepeatable: false }, 1],
      ['200 of all entities', {}, 10],
    ])('%s, under parallel calls', async (_, plan, left) => {
      const draft = await draftWith({ receipt: plan, hotel: {} });
      await use.database.dataSource.query(
        `insert into entity_records (submission_uuid, form_id, entity_id)
         select $1, form_id, id from entities, generate_series(1, 190) where form_id = $2 and name = 'hotel'`,
        [draft.uuid, draft.form.id],
      );
      const answers = await Promise.all(Array.from({ length: 15 }, () => add(draft)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(left);
      for (const answer of answers.filter(({ status }) => status !== 201)) expectInvalid(answer, 'entity');
      const ids = idsOf(await list(draft, '?entity=receipt'));
      expect(ids).toHaveLength(left);
      // A deleted record makes room for another.
      expect((await remove(draft, ids[0])).status).toBe(204);
      expect((await add(draft)).status).toBe(201);
      expectInvalid(await add(draft), 'entity');
    });

    it('as many as have 20,000 fields together, and completion requires no more', async () => {
      const fields = { first: {} };
      const draft = await draftWith({ receipt: { fields, minRecords: 100 } }, { service: strict });
      const { dataSource } = use.database;
      await strict.hearing(() =>
        dataSource.query(
          `insert into fields (form_id, step_id, entity_id, field_type_id, code, label, is_repeatable)
           select form_id, step_id, entity_id, field_type_id, 'field_' || n, 'Field', true
             from fields, generate_series(1, 999) as n where form_id = $1`,
          [draft.form.id],
        ),
      );
      await dataSource.query(
        `insert into entity_records (submission_uuid, form_id, entity_id)
         select $1, form_id, id from entities, generate_series(1, 19) where form_id = $2`,
        [draft.uuid, draft.form.id],
      );
      expect((await add(draft)).status).toBe(201);
      expectRefusal(await add(draft), 422, {
        message: 'The given data was invalid.',
        errors: { entity: ['The submission already has 20 records of receipt, which is the maximum.'] },
      });
      expect((await complete(draft)).status).toBe(200);
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

  it('an entity is unknown right after its deletion, and known after its creation', async () => {
    const draft = await draftWith({ receipt: {} });
    const { dataSource } = use.database;
    await use.service.hearing(() =>
      dataSource.query(`insert into entities (form_id, name, label) values ($1, 'new', 'New')`, [
        draft.form.id,
      ]),
    );
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
    await store(draft, { currency: 'EUR' }, euros);
    await store(draft, { currency: 'USD' }, dollars);
    const ids = Object.fromEntries(Object.entries(draft.fields).map(([code, { id }]) => [code, id]));
    const conditions = (query: string) => draft.client.get(`${draft.path}/conditions${query}`);
    const field = ids['original']!;
    const state = (visible: boolean, required: boolean) => ({ visible, required });

    const plain = await conditions('?shape=map');
    const { status, body } = await conditions('?shape=map&scope=records');
    expect(status).toBe(200);
    expect(body).toEqual({
      ...plain.body,
      records: {
        [euros]: { [ids['currency']!]: state(true, false), [field]: state(false, false) },
        [dollars]: { [ids['currency']!]: state(true, false), [field]: state(true, true) },
      },
    });
    expect(plain.body.data[field]).toEqual(state(true, true));
    const asList = await conditions('?shape=list&scope=records');
    expect(asList.body.records[euros]).toEqual([
      { field_id: ids['currency'], field_code: 'currency', is_visible: true, is_required: false },
      { field_id: ids['original'], field_code: 'original', is_visible: false, is_required: false },
    ]);
    const explained = await conditions('?shape=map&scope=records&explain=true');
    expect(explained.body.records[euros][field].conditions_met).toEqual([]);
    expect(explained.body.records[dollars][field].conditions_met).toHaveLength(2);
    for (const scope of ['all', '']) expectInvalid(await conditions(`?scope=${scope}`), 'scope');
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
    const first = await added(draft);
    expectInvalid(await complete(draft), `supplier.${first}`, 'receipt');
    const second = await added(draft);
    await store(draft, { supplier: 'Inn', amount: 'ten', currency: 'EUR' }, first);
    await store(draft, { supplier: '', currency: 'USD' }, second);
    await store(draft, { amount: 'x' });
    expectInvalid(await complete(draft), 'amount', `amount.${first}`, `supplier.${second}`, `rate.${second}`);
    await store(draft, { amount: '10' }, first);
    await store(draft, { supplier: 'Cab', rate: '1' }, second);
    await store(draft, { amount: '' });
    expect((await complete(draft)).status).toBe(200);
  });

  it('strict completion returns the errors of both if an old form has a field and an entity of the same name (R3)', async () => {
    const draft = await draftWith(
      { receipt: { fields: { amount: {} }, minRecords: 1 } },
      { service: strict, own: { trip: { isRequired: true } } },
    );
    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query('set session_replication_role = replica');
      await program.query(`update entities set name = 'trip' where form_id = $1`, [draft.form.id]);
    });
    const other = await createDraft(draft.client, draft);
    await strict.hearing(() =>
      use.database.dataSource.query(`update forms set description = 'Changed' where id = $1`, [
        draft.form.id,
      ]),
    );
    const { errors } = (await complete({ client: draft.client, path: other.path })).body;
    expect(errors).toEqual({
      trip: ['The trip is required.', 'The submission needs at least 1 record of "trip". There are 0.'],
    });
  });

  it('strict completion checks values that fields of an entity have outside of its records', async () => {
    const amount: FieldPlan = { type: 'number' };
    const draft = await draftWith(
      {
        receipt: { fields: { amount, total: { ...amount, isRepeatable: false } } },
        hotel: {},
        // An entity without records requires nothing.
        car: { fields: { plate: { isRequired: true } } },
      },
      { service: strict },
    );
    const hotel = await added(draft, 'hotel');
    await store(draft, { amount: 'x' }, hotel);
    await store(draft, { amount: 'x', total: 'x' });
    expectInvalid(await complete(draft), 'amount', `amount.${hotel}`, 'total');
    // The single value of a field that is not repeatable belongs to all records.
    const receipt = await added(draft);
    expectInvalid(await complete(draft), 'amount', `amount.${hotel}`, `total.${receipt}`);
    await store(draft, { amount: '1' }, hotel);
    await store(draft, { amount: '', total: '1' });
    expect((await complete(draft)).status).toBe(200);
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
    const tooFew = { receipt: ['The submission needs at least 1 record of "receipt". There are 0.'] };

    expect([await errorsOf(), await errorsOf('?step=1'), await errorsOf('?step=2')]).toEqual([
      tooFew,
      tooFew,
      {},
    ]);
    expectInvalid(await advance(), 'receipt');
    const id = await added(draft);
    await store(draft, { amount: '50.01' }, id);
    expect(await errorsOf('?step=1')).toEqual({ [`amount.${id}`]: ['The amount must be at most 50.'] });
    expect(await errorsOf('?step=2')).toEqual({});
    expectInvalid(await advance(), `amount.${id}`);
    await store(draft, { amount: '50' }, id);
    expect((await advance()).status).toBe(200);
  });
});
