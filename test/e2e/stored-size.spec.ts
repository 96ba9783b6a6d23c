import { MAX_TEXT, MAX_VALUES } from '../../src/submissions/values/stored-size.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import { buildEntity, buildForm, buildRecords } from '../support/forms.js';
import { announcementOf } from '../support/files.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, type Service, startService, useService } from '../support/service.js';
import { client, type Client } from '../support/client.js';

const LONG = 'x'.repeat(65_535);
/** The number of entries with {@link LONG} that almost fill a body of 1 MiB. */
const FULL = 15;

const refusal = (sentence: string) => ({
  message: 'The given data was invalid.',
  errors: { values: [sentence] },
});
const TOO_MUCH_TEXT = refusal(
  `The values of the submission must not have more than ${MAX_TEXT} bytes together.`,
);
const TOO_MANY_VALUES = refusal(`The submission must not hold more than ${MAX_VALUES} values.`);

describe('the size of a submission (V9)', () => {
  const use = useService();
  let other: Service;
  beforeAll(async () => {
    other = await startService(use.database);
  });
  afterAll(() => other.close());

  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, {}]));
  const entries = (from: number, count: number, value: string) =>
    Array.from({ length: count }, (_, index) => ({ field_code: `field_${from + index}`, value }));
  const store = ({ client, path }: Draft, values: object[]) => client.post(`${path}/values`, { values });
  const storedIn = async ({ uuid }: Pick<Draft, 'uuid'>) => {
    const [row] = await use.database.dataSource.query(
      `select count(*)::integer as count, coalesce(sum(octet_length(value)), 0)::integer as bytes
         from submission_values where submission_uuid = $1`,
      [uuid],
    );
    return row as { count: number; bytes: number };
  };

  it('is limited in text: a call beyond the limit stores nothing, and the submission stays readable', async () => {
    const draft = await newDraft(use, [fields(40)]);
    expect((await store(draft, entries(0, FULL, LONG))).status).toBe(200);
    expect((await store(draft, entries(FULL, FULL, LONG))).status).toBe(200);
    expectRefusal(await store(draft, entries(30, 3, LONG)), 422, TOO_MUCH_TEXT);
    expect((await store(draft, entries(30, 2, LONG))).status).toBe(200);
    // 32 bytes are left, and each é has two bytes.
    const last = (value: string) => store(draft, [{ field_code: 'field_39', value }]);
    expectRefusal(await last('é'.repeat(17)), 422, TOO_MUCH_TEXT);
    expect((await storedIn(draft)).count).toBe(32);
    expect((await last('é'.repeat(16))).status).toBe(200);
    expect((await draft.client.get(draft.path)).body.data.values).toHaveLength(33);
  });

  it('leaves every way of reading: values that are long are read apart from other requests', async () => {
    const draft = await newDraft(use, [fields(40), { last: {} }], { completion: 'strict' });
    const { client, path } = draft;
    for (const from of [0, FULL]) expect((await store(draft, entries(from, FULL, LONG))).status).toBe(200);
    const { body: short } = await client.get(`${path}/conditions`);
    const { status, body } = await client.get(`${path}?include=conditions`);
    expect(status).toBe(200);
    expect(body.data.values.map(({ value }: { value: string }) => value)).toEqual(
      Array.from({ length: 2 * FULL }, () => LONG),
    );
    expect(body.conditions).toEqual(short);
    for (const query of ['?steps=true', '?scope=records', '?explain=true'])
      expect((await client.get(`${path}/conditions${query}`)).body.data).toBeDefined();
    expect((await client.get(`${path}/validation`)).body.data).toEqual({ valid: true, errors: {} });
    for (const move of ['advance?validate=true', 'retreat?skip=hidden', 'advance?include=conditions'])
      expect((await client.post(`${path}/${move}`)).status).toBe(200);
    expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
  });

  it('is limited in parallel reads: a user who reads long values many times at once gets 503, others do not wait', async () => {
    const draft = await newDraft(use, [fields(40)]);
    for (const from of [0, FULL]) expect((await store(draft, entries(from, FULL, LONG))).status).toBe(200);
    const another = await newDraft(use, [{ note: {} }]);
    const many = Promise.all(
      Array.from({ length: 60 }, () => draft.client.get(`${draft.path}/conditions?steps=true`)),
    );
    expect((await another.client.get(another.path)).status).toBe(200);
    for (const answer of await many) {
      expect([200, 503]).toContain(answer.status);
      if (answer.status === 503) expect(answer.headers.get('retry-after')).toBe('2');
    }
  });

  it('counts stored values only: a replaced value makes room', async () => {
    const draft = await newDraft(use, [fields(40)]);
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await store(draft, entries(0, FULL, LONG))).status).toBe(200);
    }
    expect((await store(draft, entries(FULL, FULL, LONG))).status).toBe(200);
    expectRefusal(await store(draft, entries(30, FULL - 10, LONG)), 422, TOO_MUCH_TEXT);
    expect((await store(draft, entries(0, FULL, ''))).status).toBe(200);
    expect((await store(draft, entries(30, FULL - 10, LONG))).status).toBe(200);
  });

  it('counts a control character as six bytes, its length in JSON', async () => {
    const draft = await newDraft(use, [fields(40)]);
    // Each value has almost 400,000 bytes as JSON, so two values fit into a body.
    const statuses: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const { status } = await store(draft, entries(2 * turn, 2, '\u0001'.repeat(65_535)));
      statuses.push(status);
    }
    expect(statuses).toEqual([200, 200, 422, 422]);
    expect((await storedIn(draft)).count).toBe(4);
  });

  it('is limited in the number of values', async () => {
    const draft = await newDraft(use, [
      Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`field_${index}`, { isRepeatable: true }]),
      ),
    ]);
    const records = await buildRecords(use.database.dataSource, draft.form.id, draft.uuid, 167);
    const all = records.flatMap((id) =>
      Array.from({ length: 60 }, (_, index) => ({
        field_code: `field_${index}`,
        value: 'x',
        entity_record_id: id,
      })),
    );
    for (let from = 0; from < MAX_VALUES; from += 500) {
      expect((await store(draft, all.slice(from, from + 500))).status).toBe(200);
    }
    expectRefusal(await store(draft, all.slice(MAX_VALUES, MAX_VALUES + 1)), 422, TOO_MANY_VALUES);
    expect((await store(draft, all.slice(0, 500))).status).toBe(200);
    expect((await storedIn(draft)).count).toBe(MAX_VALUES);
  });

  it('is limited exactly, even if several instances get calls at once', async () => {
    const built = await buildForm(use.database.dataSource, { steps: [fields(60)] });
    const user = await newUser(use);
    const draft = { ...built, ...(await createDraft(user.client, built)) };
    const elsewhere = client(other.url, { Authorization: `Bearer ${user.plainToken}` });
    const calls = Array.from({ length: 12 }, (_, turn) =>
      (turn % 2 === 0 ? user.client : elsewhere).post(`${draft.path}/values`, {
        values: entries(4 * turn, 4, LONG),
      }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    const fitting = Math.floor(MAX_TEXT / (4 * LONG.length));
    expect(statuses.filter((status) => status === 200)).toHaveLength(fitting);
    expect(statuses.filter((status) => status === 422)).toHaveLength(12 - fitting);
    expect((await storedIn(draft)).bytes).toBe(fitting * 4 * LONG.length);
  });

  it('can only decrease if it has exceeded the limit since before the limit existed', async () => {
    const draft = await newDraft(use, [fields(60)]);
    const manager = use.database.dataSource;
    await manager.query(
      `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
       select $1, form_id, id, false, repeat('x', 65535) from fields where form_id = $2 and code <> 'field_59'`,
      [draft.uuid, draft.form.id],
    );
    await manager.query('update submissions set value_count = null, value_bytes = null where uuid = $1', [
      draft.uuid,
    ]);
    expectRefusal(await store(draft, [{ field_code: 'field_59', value: 'more' }]), 422, TOO_MUCH_TEXT);
    expect((await store(draft, [{ field_code: 'field_0', value: 'less' }])).status).toBe(200);
    expect((await store(draft, [{ field_code: 'field_59', value: 'more' }])).status).toBe(422);
    expect((await storedIn(draft)).count).toBe(59);
  });

  it('is limited to 20,000 fields in the records of one entity, and completion requires no more records (R3)', async () => {
    const draft = await newDraft(use, [{ thing_0: { isRepeatable: true } }], { completion: 'strict' });
    const { dataSource } = use.database;
    await buildEntity(dataSource, draft, { name: 'thing', isRepeatable: true, minRecords: 100 }, ['thing_0']);
    await use.service.hearing(() =>
      dataSource.query(
        `insert into fields (form_id, step_id, entity_id, field_type_id, code, label, is_repeatable)
         select form_id, step_id, entity_id, field_type_id, 'thing_' || number, 'Thing', true
           from fields, generate_series(1, 7999) as number where form_id = $1`,
        [draft.form.id],
      ),
    );
    const add = () => draft.client.post(`${draft.path}/records`, { entity: 'thing' });
    expect([(await add()).status, (await add()).status]).toEqual([201, 201]);
    expectRefusal(await add(), 422, {
      message: 'The given data was invalid.',
      errors: { entity: ['The submission already has 2 records of thing, which is the maximum.'] },
    });
    const { records } = (await draft.client.get(`${draft.path}/conditions?scope=records`)).body;
    expect(Object.values(records).map((states) => Object.keys(states as object).length)).toEqual([
      8_000, 8_000,
    ]);
    expect((await draft.client.send('PATCH', draft.path, '{"status":"completed"}')).status).toBe(200);
  });

  describe('in all submissions of one user', () => {
    const small = useService({ USER_STORAGE: '1,1' });
    const tooMuchStored = {
      message: 'The given data was invalid.',
      errors: {
        values: [
          'All submissions of this user must not hold more than 1048576 bytes of values. Delete drafts to make room.',
        ],
      },
    };

    it('is limited: more is rejected until a draft is deleted, and other users are not affected', async () => {
      const built = await buildForm(small.database.dataSource, { steps: [fields(20)] });
      const user = await newUser(small);
      const another = await newUser(small);
      const begin = async (own: Client) => ({ client: own, ...(await createDraft(own, built)) });
      const drafts = [await begin(user.client), await begin(user.client)] as const;
      const full = (draft: Pick<Draft, 'client' | 'path'>, value = LONG) =>
        draft.client.post(`${draft.path}/values`, { values: entries(0, 10, value) });

      expect((await full(drafts[0])).status).toBe(200);
      expectRefusal(await full(drafts[1]), 422, tooMuchStored);
      expect((await full(drafts[1], '')).status).toBe(200);
      expect((await full(await begin(another.client))).status).toBe(200);
      expect((await user.client.get(drafts[0].path)).status).toBe(200);
      expect((await user.client.send('DELETE', drafts[0].path, '')).status).toBe(204);
      expect((await full(drafts[0])).status).toBe(404);
      expect((await full(drafts[1])).status).toBe(200);
    });

    itOnOneServer('is limited for files too, including announced ones', async () => {
      const built = await buildForm(small.database.dataSource, { steps: [{ cv: { type: 'file' } }] });
      const user = await newUser(small);
      const [one, two] = [await createDraft(user.client, built), await createDraft(user.client, built)];
      const announce = ({ path }: { path: string }, size: number) =>
        user.client.post(`${path}/files`, announcementOf(Buffer.alloc(0), { size }));
      const { status, body } = await announce(one, 700_000);
      expect(status).toBe(201);
      expectRefusal(await announce(two, 400_000), 422, {
        message: 'The given data was invalid.',
        errors: {
          size: [
            'All files of this user must have at most 1048576 bytes together. Delete files or drafts to make room.',
          ],
        },
      });
      expect((await announce(two, 300_000)).status).toBe(201);
      expect((await user.client.send('DELETE', `${one.path}/files/${body.data.uuid}`, '')).status).toBe(204);
      expect((await announce(two, 400_000)).status).toBe(201);
    });

    it('counts stored values, not replaced ones', async () => {
      const built = await buildForm(small.database.dataSource, { steps: [fields(20)] });
      const { client: own } = await newUser(small);
      const draft = await createDraft(own, built);
      for (let turn = 0; turn < 6; turn += 1) {
        const values = entries(0, 5, String(turn).repeat(60_000));
        expect((await own.post(`${draft.path}/values`, { values })).status).toBe(200);
      }
    });
  });
});
