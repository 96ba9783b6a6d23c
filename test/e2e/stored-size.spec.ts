import { MAX_TEXT, MAX_VALUES } from '../../src/submissions/values/stored-size.js';
import { client, type Client } from '../support/client.js';
import { entriesOf, stateOf } from '../support/draft-requests.js';
import { createDraft, type Draft } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { announcementOf } from '../support/files.js';
import { buildForm, type BuiltForm } from '../support/forms.js';
import { onOneServer } from '../support/it-on-one-server.js';
import { expectRefusal } from '../support/refusal.js';
import {
  newUser,
  type Service,
  startService,
  useOwnService,
  useService,
  useServiceOn,
} from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

const LONG = 'x'.repeat(65_535);
const refusal = (sentence: string, field = 'values') => ({
  message: 'The given data was invalid.',
  errors: { [field]: [sentence] },
});
const TOO_MUCH_TEXT = refusal(
  `The values of the submission must not have more than ${MAX_TEXT} bytes together.`,
);
const TOO_MANY_VALUES = refusal(`The submission must not hold more than ${MAX_VALUES} values.`);

const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, {}]));
/** Entries for `count` fields, which fill a body if there are 15 of them. */
const longEntries = (from: number, count: number, value = LONG) =>
  entriesOf(Object.fromEntries(Array.from({ length: count }, (_, at) => [`field_${from + at}`, value])));
const store = ({ client: own, path }: Pick<Draft, 'client' | 'path'>, values: object[]) =>
  own.post(`${path}/values`, { values });

describe('the size of a submission (V9)', () => {
  const use = useService();
  const other = useServiceOn(use);

  const sql = (text: string, values: unknown[]) => use.database.dataSource.query(text, values);
  /** A form with 60 fields. */
  let form: BuiltForm;
  beforeAll(async () => {
    form = await buildForm(use.database.dataSource, {
      form: { completion: 'strict' },
      steps: [fields(60), {}],
    });
  });

  /** Creates a draft whose first fields have a value that another program has stored. */
  const newDraft = async (filled: number, value = LONG) => {
    const user = await newUser(use);
    const draft = { ...form, ...user, ...(await createDraft(user.client, form)) };
    await sql(
      `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
       select $1, form_id, id, false, $3 from fields where form_id = $2 order by id limit $4`,
      [draft.uuid, form.form.id, value, filled],
    );
    await sql('update submissions set value_count = null, value_bytes = null where uuid = $1', [draft.uuid]);
    return draft;
  };
  const storedIn = async ({ uuid }: Pick<Draft, 'uuid'>): Promise<{ count: number; bytes: number }> => {
    const [row] = await sql(
      `select count(*)::integer as count, coalesce(sum(octet_length(value)), 0)::integer as bytes
         from submission_values where submission_uuid = $1`,
      [uuid],
    );
    return row;
  };

  it('is limited in text: a call beyond the limit stores nothing, and a replaced value makes room', async () => {
    const draft = await newDraft(30);
    expectRefusal(await store(draft, longEntries(30, 3)), 422, TOO_MUCH_TEXT);
    expect((await store(draft, longEntries(30, 2))).status).toBe(200);
    // 32 bytes are left, and each é has two bytes.
    const last = (value: string) => store(draft, entriesOf({ field_59: value }));
    expectRefusal(await last('é'.repeat(17)), 422, TOO_MUCH_TEXT);
    expect((await storedIn(draft)).count).toBe(32);
    expect((await last('é'.repeat(16))).status).toBe(200);
    expect((await stateOf(draft)).values).toHaveLength(33);

    expectRefusal(await store(draft, longEntries(40, 1)), 422, TOO_MUCH_TEXT);
    expect((await store(draft, longEntries(0, 10))).status).toBe(200);
    expect((await store(draft, entriesOf({ field_0: '' }))).status).toBe(200);
    expect((await store(draft, longEntries(40, 1))).status).toBe(200);
  });

  it('leaves every way of reading: values that are long are read apart from other requests', async () => {
    const draft = await newDraft(30);
    const { client: own, path } = draft;
    const { body: short } = await own.get(`${path}/conditions`);
    const { status, body } = await own.get(`${path}?include=conditions`);
    expect(status).toBe(200);
    expect(body.data.values.map(({ value }: { value: string }) => value)).toEqual(Array(30).fill(LONG));
    expect(body.conditions).toEqual(short);
    for (const query of ['?steps=true', '?scope=records', '?explain=true'])
      expect((await own.get(`${path}/conditions${query}`)).body.data).toBeDefined();
    expect((await own.get(`${path}/validation`)).body.data).toEqual({ valid: true, errors: {} });
    for (const move of ['advance?validate=true', 'retreat?include=conditions'])
      expect((await own.post(`${path}/${move}`)).status).toBe(200);
    expect((await own.patch(path, { status: 'completed' })).status).toBe(200);
  });

  it('counts a control character as six bytes, its length in JSON', async () => {
    const value = '\u0001'.repeat(65_535);
    const draft = await newDraft(4, value);
    expect((await store(draft, entriesOf({ field_4: value }))).status).toBe(200);
    expectRefusal(await store(draft, entriesOf({ field_5: value })), 422, TOO_MUCH_TEXT);
    expect((await storedIn(draft)).count).toBe(5);
  });

  it('is limited in the number of values', async () => {
    const many = await buildForm(use.database.dataSource, { steps: [{ thing: { isRepeatable: true } }] });
    const { client: own } = await newUser(use);
    const draft = { client: own, ...(await createDraft(own, many)) };
    const records = await sql(
      `with entity as (
         insert into entities (form_id, name, label, is_repeatable) values ($2, 'record', 'Record', true) returning id)
       insert into entity_records (submission_uuid, form_id, entity_id)
       select $1, $2, id from entity, generate_series(1, ${MAX_VALUES}) returning id`,
      [draft.uuid, many.form.id],
    );
    const ids = records.map(({ id }: { id: string }) => Number(id));
    await sql(
      `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, entity_record_id, value)
       select $1, $2, $3, true, unnest($4::bigint[]), 'x'`,
      [draft.uuid, many.form.id, many.fields['thing']!.id, ids.slice(1)],
    );
    await sql('update submissions set value_count = null, value_bytes = null where uuid = $1', [draft.uuid]);
    expect((await store(draft, entriesOf({ thing: 'last' }, ids[0]))).status).toBe(200);
    expectRefusal(await store(draft, entriesOf({ thing: 'one more' })), 422, TOO_MANY_VALUES);
    expect((await store(draft, entriesOf({ thing: 'replaced' }, ids[1]))).status).toBe(200);
    expect((await storedIn(draft)).count).toBe(MAX_VALUES);
  });

  it('is limited exactly, even if several instances get calls at once', async () => {
    const draft = await newDraft(0);
    const elsewhere = client(other.url, { Authorization: `Bearer ${draft.plainToken}` });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, turn) =>
        store({ ...draft, client: turn % 2 === 0 ? draft.client : elsewhere }, longEntries(4 * turn, 4)),
      ),
    );
    const fitting = Math.floor(MAX_TEXT / (4 * LONG.length));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      ...Array<number>(fitting).fill(200),
      ...Array<number>(12 - fitting).fill(422),
    ]);
    expect((await storedIn(draft)).bytes).toBe(fitting * 4 * LONG.length);
  });

  it('can only decrease if it has exceeded the limit since before the limit existed', async () => {
    const draft = await newDraft(59);
    expectRefusal(await store(draft, entriesOf({ field_59: 'more' })), 422, TOO_MUCH_TEXT);
    expect((await store(draft, entriesOf({ field_0: 'less' }))).status).toBe(200);
    expect((await store(draft, entriesOf({ field_59: 'more' }))).status).toBe(422);
    expect((await storedIn(draft)).count).toBe(59);
  });

  onOneServer('in all submissions of one user', () => {
    const small = useOwnService({ USER_STORAGE: '1,1' });
    let another: Service;
    let ofSmall: BuiltForm;
    beforeAll(async () => {
      another = await startService(small.database, { USER_STORAGE: '1,1', DATABASE_POOL_SIZE: '2' });
      ofSmall = await buildForm(small.database.dataSource, {
        steps: [{ ...fields(20), cv: { type: 'file' } }],
      });
    });
    afterAll(() => another.close());
    const tooMuchStored = refusal(
      'All submissions of this user must not hold more than 1048576 bytes of values. Delete drafts to make room.',
    );
    const begin = async (own: Client) => ({ client: own, ...(await createDraft(own, ofSmall)) });
    const announce = (own: Client, { path }: { path: string }, size: number) =>
      own.post(`${path}/files`, announcementOf(Buffer.alloc(0), { size }));

    it('is limited: more is rejected until a draft is deleted, and other users are not affected', async () => {
      const user = await newUser(small);
      const stranger = await newUser(small);
      const drafts = [await begin(user.client), await begin(user.client)] as const;
      const full = (draft: Pick<Draft, 'client' | 'path'>, value = LONG) =>
        store(draft, longEntries(0, 10, value));

      // Replaced values do not count.
      for (let turn = 0; turn < 4; turn += 1)
        expect((await store(drafts[0], longEntries(0, 4, `${turn}`.repeat(65_535)))).status).toBe(200);
      expect((await full(drafts[0])).status).toBe(200);
      expectRefusal(await full(drafts[1]), 422, tooMuchStored);
      expect((await full(drafts[1], '')).status).toBe(200);
      expect((await full(await begin(stranger.client))).status).toBe(200);
      expect((await user.client.get(drafts[0].path)).status).toBe(200);
      expect((await user.client.send('DELETE', drafts[0].path, '')).status).toBe(204);
      expect((await full(drafts[1])).status).toBe(200);
    });

    it('is limited for files too, including uploads', async () => {
      const { client: own } = await newUser(small);
      const [one, two] = [await begin(own), await begin(own)];
      const { status, body } = await announce(own, one, 700_000);
      expect(status).toBe(201);
      const tooMuch =
        'All files of this user must have at most 1048576 bytes together. Delete files or drafts to make room.';
      expectRefusal(await announce(own, two, 400_000), 422, refusal(tooMuch, 'size'));
      expect((await announce(own, two, 300_000)).status).toBe(201);
      expect((await own.send('DELETE', `${one.path}/files/${body.data.uuid}`, '')).status).toBe(204);
      expect((await announce(own, two, 400_000)).status).toBe(201);
    });

    const LIMIT = 2 ** 20;
    /** A user with drafts of one form, the first of which leaves so many bytes of the limit. */
    const userWithRoomFor = async (room: number, drafts: number) => {
      const user = await newUser(small);
      const all: { uuid: string; path: string }[] = [];
      for (let at = 0; at < drafts; at += 1) all.push(await createDraft(user.client, ofSmall));
      await small.database.dataSource.query(
        `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
         select $1, form_id, id, false, repeat('x', least(65535, $3::integer - 65535 * (row_number() over (order by id) - 1)::integer))
           from fields where form_id = $2 and code <> 'cv' order by id limit ceil($3 / 65535.0)`,
        [all[0]?.uuid, ofSmall.form.id, LIMIT - room],
      );
      return { ...user, drafts: all };
    };
    const totalsOf = async (userId: number) => {
      const [row] = await small.database.dataSource.query<{ text: number; files: number; rows: number }[]>(
        `select coalesce(sum(text_bytes), 0)::integer as text, coalesce(sum(file_bytes), 0)::integer as files,
                count(*)::integer as rows from user_storage where user_id = $1`,
        [userId],
      );
      return row;
    };
    const storeTen = (own: Client, { path }: { path: string }) =>
      store({ client: own, path }, entriesOf({ field_19: 'x'.repeat(10) }));

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
      const { plainToken, client: own, drafts, id } = await userWithRoomFor(25, 12);
      const elsewhere = client(another.url, { Authorization: `Bearer ${plainToken}` });
      const answers = await Promise.all(
        drafts.map((draft, at) => storeTen(at % 2 === 0 ? own : elsewhere, draft)),
      );
      const stored = answers.filter(({ status }) => status === 200).length;
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(12 - stored);
      expect([2, 3, 4]).toContain(stored);
      expect(await totalsOf(id)).toMatchObject({ text: LIMIT - 25 + 10 * stored });
    });

    it('needs one connection for a call, so calls at the limit are 422 with a pool of two', async () => {
      const { plainToken, drafts } = await userWithRoomFor(5, 12);
      const own = client(another.url, { Authorization: `Bearer ${plainToken}` });
      // A submission that was not counted yet is counted in a transaction, which holds a connection.
      await small.database.dataSource.query('update submissions set value_count = null, value_bytes = null');
      const answers = await Promise.all(drafts.map((draft) => storeTen(own, draft)));
      for (const answer of answers) expectRefusal(answer, 422, tooMuchStored);
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
      const answers = await Promise.all(drafts.map((draft) => announce(own, draft, 400_000)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 422, 422, 422]);
    });

    it('is the sum of what is stored, whichever program writes', async () => {
      const { dataSource } = small.database;
      const { client: own, drafts, id } = await userWithRoomFor(LIMIT - 100, 3);
      const [first, second, third] = drafts.map(({ uuid }) => uuid);
      await storeTen(own, drafts[1]!);
      await announce(own, drafts[1]!, 1_000);
      await announce(own, drafts[2]!, 500);
      expect(await totalsOf(id)).toMatchObject({ text: 110, files: 1_500 });

      await dataSource.query(`update submission_values set value = 'short' where submission_uuid = $1`, [
        first,
      ]);
      expect(await totalsOf(id)).toMatchObject({ text: 15 });
      await dataSource.query('update files set size = 700 where submission_uuid = $1', [third]);
      expect(await totalsOf(id)).toMatchObject({ files: 1_700 });

      const stranger = await newUser(small);
      await dataSource.query('update submissions set user_id = $2 where uuid = $1', [second, stranger.id]);
      expect(await totalsOf(id)).toMatchObject({ text: 5, files: 700 });
      expect(await totalsOf(stranger.id)).toMatchObject({ text: 10, files: 1_000 });

      await dataSource.query('delete from submissions where uuid = any ($1)', [[second, third]]);
      expect(await totalsOf(id)).toMatchObject({ text: 5, files: 0 });
      expect(await totalsOf(stranger.id)).toMatchObject({ text: 0, files: 0 });

      const [{ id: entityId }] = await dataSource.query<[{ id: number }]>(
        `insert into entities (form_id, name, label, is_repeatable) values ($1, 'thing', 'Thing', true) returning id`,
        [ofSmall.form.id],
      );
      const [record] = await dataSource.query<[{ id: string }]>(
        `insert into entity_records (submission_uuid, form_id, entity_id) values ($1, $2, $3) returning id`,
        [first, ofSmall.form.id, entityId],
      );
      await dataSource.query(
        `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, entity_record_id, value)
         select $1, form_id, id, false, $3, 'of a record' from fields where form_id = $2 and code = 'field_9'`,
        [first, ofSmall.form.id, record.id],
      );
      expect(await totalsOf(id)).toMatchObject({ text: 16 });
      expect((await own.delete(`${drafts[0]!.path}/records/${record.id}`)).status).toBe(204);
      expect(await totalsOf(id)).toMatchObject({ text: 5 });

      expect(await dataSource.query('select formtrail_recount_storage()')).toEqual([
        { formtrail_recount_storage: '0' },
      ]);
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

    it('is forgotten with the user, and nothing after TRUNCATE', async () => {
      const { id, drafts } = await userWithRoomFor(5, 1);
      const { dataSource } = small.database;
      await dataSource.query('delete from submissions where uuid = $1', [drafts[0]?.uuid]);
      await dataSource.query('delete from users where id = $1', [id]);
      expect(await totalsOf(id)).toEqual({ text: 0, files: 0, rows: 0 });

      const sum = 'select coalesce(sum(text_bytes), 0)::integer as text from user_storage';
      expect(await dataSource.query(sum)).not.toEqual([{ text: 0 }]);
      await dataSource.query('truncate submissions cascade');
      expect(await dataSource.query(sum)).toEqual([{ text: 0 }]);
    });
  });
});
