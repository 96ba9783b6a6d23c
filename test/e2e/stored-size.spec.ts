import { MAX_TEXT, MAX_VALUES } from '../../src/submissions/values/stored-size.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import { buildEntity, buildForm, buildRecords } from '../support/forms.js';
import { announcementOf } from '../support/files.js';
import { onOneServer } from '../support/it-on-one-server.js';
import { eventually } from '../support/eventually.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, type Service, startService, useService } from '../support/service.js';
import { client, type Client } from '../support/client.js';
import { testDatabase } from '../support/test-database.js';
import { asAnotherProgram } from '../support/test-server.js';

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

  onOneServer('in all submissions of one user', () => {
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

    it('is limited for files too, including announced ones', async () => {
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

    const LIMIT = 2 ** 20;
    /** A user with drafts of one form, the first of which leaves so many bytes of the limit. */
    const userWithRoomFor = async (room: number, drafts: number) => {
      const { dataSource } = small.database;
      const built = await buildForm(dataSource, { steps: [{ ...fields(20), cv: { type: 'file' } }] });
      const user = await newUser(small);
      const all: { uuid: string; path: string }[] = [];
      for (let at = 0; at < drafts; at += 1) all.push(await createDraft(user.client, built));
      await dataSource.query(
        `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
         select $1, form_id, id, false, repeat('x', least(65535, $3::integer - 65535 * (row_number() over (order by id) - 1)::integer))
           from fields where form_id = $2 and code <> 'cv' order by id limit ceil($3 / 65535.0)`,
        [all[0]?.uuid, built.form.id, LIMIT - room],
      );
      return { ...user, built, drafts: all };
    };
    const totalsOf = async (userId: number) => {
      const [row] = await small.database.dataSource.query<{ text: number; files: number; rows: number }[]>(
        `select coalesce(sum(text_bytes), 0)::integer as text, coalesce(sum(file_bytes), 0)::integer as files,
                count(*)::integer as rows from user_storage where user_id = $1`,
        [userId],
      );
      return row;
    };
    const TEN = 'x'.repeat(10);
    const storeTen = (own: Client, { path }: { path: string }) =>
      own.post(`${path}/values`, { values: [{ field_code: 'field_19', value: TEN }] });

    it('is limited exactly by one instance, even if calls for different submissions arrive at once', async () => {
      const { client: own, drafts, id } = await userWithRoomFor(25, 8);
      const answers = await Promise.all(drafts.map((draft) => storeTen(own, draft)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([
        ...[200, 200],
        ...Array<number>(6).fill(422),
      ]);
      expectRefusal(
        answers.find(({ status }) => status === 422)!,
        422,
        tooMuchStored,
      );
      expect(await totalsOf(id)).toMatchObject({ text: LIMIT - 5 });
    });

    it('is exceeded by at most one call for each of several instances', async () => {
      const another = await startService(small.database, { USER_STORAGE: '1,1' });
      try {
        const { plainToken, drafts, id } = await userWithRoomFor(25, 12);
        const authorization = { Authorization: `Bearer ${plainToken}` };
        const clients = [client(small.service.url, authorization), client(another.url, authorization)];
        const answers = await Promise.all(
          drafts.map((draft, at) => storeTen(clients[at % 2] as Client, draft)),
        );
        const stored = answers.filter(({ status }) => status === 200).length;
        expect(answers.filter(({ status }) => status === 422)).toHaveLength(12 - stored);
        expect([2, 3, 4]).toContain(stored);
        expect(await totalsOf(id)).toMatchObject({ text: LIMIT - 25 + 10 * stored });
      } finally {
        await another.close();
      }
    });

    it('needs one connection for a call, so calls at the limit are 422 with a pool of two', async () => {
      const narrow = await startService(small.database, { USER_STORAGE: '1,1', DATABASE_POOL_SIZE: '2' });
      try {
        const { plainToken, drafts } = await userWithRoomFor(5, 12);
        const own = client(narrow.url, { Authorization: `Bearer ${plainToken}` });
        // A submission that was not counted yet is counted in a transaction, which holds a connection.
        await small.database.dataSource.query(
          'update submissions set value_count = null, value_bytes = null',
        );
        const answers = await Promise.all(drafts.map((draft) => storeTen(own, draft)));
        for (const answer of answers) expectRefusal(answer, 422, tooMuchStored);
      } finally {
        await narrow.close();
      }
    });

    it('lets nobody wait: a transaction that stores values of another submission is still open', async () => {
      const { client: own, drafts, id } = await userWithRoomFor(1_000, 2);
      const [held, other] = drafts as [(typeof drafts)[number], (typeof drafts)[number]];
      await asAnotherProgram(small.database.connection, async (program) => {
        await program.query('begin');
        await program.query(`update submission_values set value = '' where submission_uuid = $1`, [
          held.uuid,
        ]);
        expect((await storeTen(own, other)).status).toBe(200);
        await program.query('rollback');
      });
      expect(await totalsOf(id)).toMatchObject({ text: LIMIT - 990 });
    });

    it('counts files of parallel calls for different submissions exactly', async () => {
      const { client: own, drafts } = await userWithRoomFor(LIMIT, 5);
      const answers = await Promise.all(
        drafts.map(({ path }) =>
          own.post(`${path}/files`, announcementOf(Buffer.alloc(0), { size: 400_000 })),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 422, 422, 422]);
    });

    it('is the sum of what is stored, whichever program writes', async () => {
      const { dataSource } = small.database;
      const { client: own, drafts, id, built } = await userWithRoomFor(LIMIT - 100, 3);
      const [first, second, third] = drafts.map(({ uuid }) => uuid);
      await storeTen(own, drafts[1]!);
      await own.post(`${drafts[1]!.path}/files`, announcementOf(Buffer.alloc(0), { size: 1_000 }));
      await own.post(`${drafts[2]!.path}/files`, announcementOf(Buffer.alloc(0), { size: 500 }));
      expect(await totalsOf(id)).toMatchObject({ text: 110, files: 1_500 });

      await dataSource.query(`update submission_values set value = 'short' where submission_uuid = $1`, [
        first,
      ]);
      expect(await totalsOf(id)).toMatchObject({ text: 15 });
      await dataSource.query('update files set size = 700 where submission_uuid = $1', [third]);
      expect(await totalsOf(id)).toMatchObject({ files: 1_700 });

      const another = await newUser(small);
      await dataSource.query('update submissions set user_id = $2 where uuid = $1', [second, another.id]);
      expect(await totalsOf(id)).toMatchObject({ text: 5, files: 700 });
      expect(await totalsOf(another.id)).toMatchObject({ text: 10, files: 1_000 });

      await dataSource.query('delete from submissions where uuid = any ($1)', [[second, third]]);
      expect(await totalsOf(id)).toMatchObject({ text: 5, files: 0 });
      expect(await totalsOf(another.id)).toMatchObject({ text: 0, files: 0 });

      const [{ id: entityId }] = await dataSource.query<[{ id: number }]>(
        `insert into entities (form_id, name, label, is_repeatable) values ($1, 'thing', 'Thing', true) returning id`,
        [built.form.id],
      );
      const [record] = await dataSource.query<[{ id: string }]>(
        `insert into entity_records (submission_uuid, form_id, entity_id) values ($1, $2, $3) returning id`,
        [first, built.form.id, entityId],
      );
      await dataSource.query(
        `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, entity_record_id, value)
         select $1, form_id, id, false, $3, 'of a record' from fields where form_id = $2 and code = 'field_9'`,
        [first, built.form.id, record.id],
      );
      expect(await totalsOf(id)).toMatchObject({ text: 16 });
      expect((await own.delete(`${drafts[0]!.path}/records/${record.id}`)).status).toBe(204);
      expect(await totalsOf(id)).toMatchObject({ text: 5 });

      expect(await dataSource.query('select formtrail_recount_storage()')).toEqual([
        { formtrail_recount_storage: '0' },
      ]);
    });

    it('is nothing after TRUNCATE', async () => {
      const own = await testDatabase();
      try {
        const { dataSource } = own;
        const built = await buildForm(dataSource, { steps: [{ name: {} }] });
        const [{ id }] = await dataSource.query<[{ id: number }]>(
          `insert into users (email) values ('truncated@example.org') returning id`,
        );
        await dataSource.query(
          `with begun as (insert into submissions (uuid, form_id, user_id) values (gen_random_uuid(), $1, $2) returning uuid)
           select uuid from begun`,
          [built.form.id, id],
        );
        await dataSource.query(
          `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
           select submissions.uuid, form_id, fields.id, false, 'Ada' from submissions join fields using (form_id)`,
        );
        const sum = 'select coalesce(sum(text_bytes), 0)::integer as text from user_storage';
        expect(await dataSource.query(sum)).toEqual([{ text: 3 }]);
        await dataSource.query('truncate submissions cascade');
        expect(await dataSource.query(sum)).toEqual([{ text: 0 }]);
      } finally {
        await own.drop();
      }
    });

    it('is found by reading few rows, however often it has changed', async () => {
      const { client: own, drafts, id } = await userWithRoomFor(LIMIT, 2);
      await small.database.dataSource.query(
        'insert into user_storage (user_id, text_bytes) select $1, 1 from generate_series(1, 12000)',
        [id],
      );
      expect((await storeTen(own, drafts[0]!)).status).toBe(200);
      await eventually('the rows are merged', async () => ((await totalsOf(id))?.rows ?? 0) < 3);
      expect(await totalsOf(id)).toMatchObject({ text: 12_010 });
    });

    it('is forgotten with the user', async () => {
      const { id, drafts } = await userWithRoomFor(5, 1);
      const { dataSource } = small.database;
      await dataSource.query('delete from submissions where uuid = $1', [drafts[0]?.uuid]);
      await dataSource.query('delete from users where id = $1', [id]);
      expect(await totalsOf(id)).toEqual({ text: 0, files: 0, rows: 0 });
    });
  });
});
