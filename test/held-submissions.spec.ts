import { Submission } from '../src/entities.js';
import { useCommandLine } from './support/command-line.js';
import { createDraft, type Draft, newDraftOf } from './support/drafts.js';
import { announcementOf, filesFolder, storeFile, uploadFile } from './support/files.js';
import { onOneServer } from './support/it-on-one-server.js';
import { letAllTokensExpire, newRespondent, publicForm } from './support/respondents.js';
import { asAnotherProgram } from './support/test-server.js';

const HELD = { message: 'The submission is held.' };
const BY_DATABASE = 'is held';

const storage = filesFolder();
afterAll(() => storage.remove());

/** A distributed database holds nothing, because holding needs triggers on submissions. */
onOneServer('a held submission (T2)', () => {
  const use = useCommandLine({ FILES_URL: storage.url });
  let draft: Draft;
  let recordId: number;
  let fileUuid: string;

  const sql = <Row = unknown>(text: string, values: readonly unknown[] = []) =>
    use.database.dataSource.query<Row[]>(text, [...values]);
  const hold = (uuid: string, held = true) =>
    sql('update submissions set held = $2 where uuid = $1', [uuid, held]);
  const left = async () =>
    (await use.database.dataSource.manager.find(Submission)).map(({ uuid }) => uuid).toSorted();
  const stored = async ({ client, path }: Draft) => (await client.get(path)).body.data;

  beforeEach(async () => {
    await sql('truncate submissions cascade');
    draft = await newDraftOf(use, {
      steps: [{ name: {}, cv: { type: 'file' }, amount: { isRepeatable: true } }],
      entities: [{ name: 'expense', isRepeatable: true, of: ['amount'] }],
    });
    const { client, path } = draft;
    recordId = (await client.post(`${path}/records`, { entity: 'expense' })).body.data.id;
    const file = await storeFile(client, path);
    fileUuid = file.uuid;
    const values = [
      { field_code: 'name', value: 'Ada' },
      { field_code: 'cv', value: file.value },
      { field_code: 'amount', value: '7', entity_record_id: recordId },
    ];
    expect((await client.post(`${path}/values`, { values })).status).toBe(200);
    await hold(draft.uuid);
  });
  // The database rejects TRUNCATE while anything is held.
  afterEach(() => sql('update submissions set held = false where held'));

  it('rejects stored values, records, files and its deletion with 422, and keeps everything', async () => {
    const { client, path } = draft;
    const before = await stored(draft);
    const answers = [
      await client.post(`${path}/values`, { values: [{ field_code: 'name', value: 'Eve' }] }),
      await client.post(`${path}/records`, { entity: 'expense' }),
      await client.delete(`${path}/records/${recordId}`),
      await client.post(`${path}/files`, announcementOf(Buffer.from('x'))),
      await client.delete(`${path}/files/${fileUuid}`),
      await client.delete(path),
    ];
    for (const { status, body } of answers) expect([status, body]).toEqual([422, HELD]);
    expect(await stored(draft)).toEqual(before);
    const details = await client.delete(path, { Accept: 'application/problem+json' });
    expect([details.status, details.body]).toEqual([
      422,
      expect.objectContaining({ code: 'held', detail: HELD.message, status: 422 }),
    ]);
    expect(details.body).not.toHaveProperty('errors');
  });

  it('rejects the commit of an upload that began before, and stores it after the release', async () => {
    await hold(draft.uuid, false);
    const file = await uploadFile(draft.client, draft.path);
    await hold(draft.uuid);
    const rejected = await draft.client.post(`${file}/commit`);
    expect([rejected.status, rejected.body]).toEqual([422, HELD]);
    await hold(draft.uuid, false);
    expect((await draft.client.post(`${file}/commit`)).body.data.state).toBe('stored');
  });

  it('reports errors that come first as before: another user, If-Match, a completed submission', async () => {
    const { client, path } = draft;
    const stranger = (await newDraftOf(use, {})).client;
    const values = { values: [{ field_code: 'name', value: 'Eve' }] };
    expect((await stranger.post(`${path}/values`, values)).status).toBe(404);
    const stale = { 'If-Match': '"1"' };
    expect((await client.post(`${path}/values`, values, stale)).status).toBe(412);
    expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
    expect((await client.post(`${path}/values`, values)).body.message).toBe(
      'The submission is already completed.',
    );
  });

  it('can be read, moved, completed and given a meta, which change no answer', async () => {
    const { client, path } = draft;
    const changed = await client.patch(path, { meta: { seen: true }, status: 'completed' });
    expect([changed.status, changed.body.data.status]).toEqual([200, 'completed']);
    expect((await stored(draft)).values).toHaveLength(3);
  });

  it('cannot be completed if that stores computed values', async () => {
    const computing = await newDraftOf(use, {
      steps: [{ a: { type: 'number' }, twice: { type: 'number', computed: { op: 'sum', of: ['a', 'a'] } } }],
    });
    const { client, path, uuid } = computing;
    await client.post(`${path}/values`, { values: [{ field_code: 'a', value: '2' }] });
    await hold(uuid);
    const rejected = await client.patch(path, { status: 'completed', meta: { seen: true } });
    expect([rejected.status, rejected.body]).toEqual([422, HELD]);
    expect(await stored(computing)).toMatchObject({ status: 'draft', meta: null });
    await hold(uuid, false);
    expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
  });

  it('stores the values of other requests that arrive together with a rejected one', async () => {
    const other = await createDraft(draft.client, draft);
    const values = { values: [{ field_code: 'name', value: 'Eve' }] };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        draft.client.post(`${index % 2 === 0 ? draft.path : other.path}/values`, values),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(
      answers.map((_, index) => (index % 2 === 0 ? 422 : 200)),
    );
  });

  it('accepts everything again once it is released', async () => {
    const { client, path } = draft;
    await hold(draft.uuid, false);
    const values = { values: [{ field_code: 'name', value: 'Eve' }] };
    expect((await client.post(`${path}/values`, values)).status).toBe(200);
    expect((await client.delete(path)).status).toBe(204);
  });

  it.each([
    ['its deletion', 'delete from submissions where uuid = $1'],
    ['a changed value', `update submission_values set value = 'x' where submission_uuid = $1`],
    ['a deleted value', 'delete from submission_values where submission_uuid = $1'],
    [
      'a new value',
      `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
       select uuid, submissions.form_id, fields.id, true, 'x' from submissions join fields using (form_id)
        where uuid = $1 and is_repeatable`,
    ],
    ['a deleted record', 'delete from entity_records where submission_uuid = $1'],
    ['a changed record', `update entity_records set created_at = now() where submission_uuid = $1`],
    [
      'a new record',
      `insert into entity_records (submission_uuid, form_id, entity_id)
       select uuid, submissions.form_id, entities.id from submissions join entities using (form_id) where uuid = $1`,
    ],
    ['a deleted file', 'delete from files where submission_uuid = $1'],
    ['a renamed file', `update files set name = 'x' where submission_uuid = $1`],
  ])('is protected from SQL of any program: %s', async (_, text) => {
    const before = await stored(draft);
    await expect(sql(text, [draft.uuid])).rejects.toThrow(BY_DATABASE);
    expect(await stored(draft)).toEqual(before);
  });

  it.each(['submissions', 'submission_values', 'entity_records', 'files', 'users', 'forms'])(
    'is protected from TRUNCATE of %s',
    async (table) => {
      await expect(sql(`truncate ${table} cascade`)).rejects.toThrow(BY_DATABASE);
    },
  );

  it('keeps its files, also those that no value refers to, while others expire', async () => {
    await hold(draft.uuid, false);
    const { uuid } = await storeFile(draft.client, draft.path);
    const other = await createDraft(draft.client, draft);
    const { uuid: lost } = await storeFile(draft.client, other.path);
    await hold(draft.uuid);
    const left = async () => {
      await sql(`update files set expires_at = now() - interval '1 minute' where expires_at is not null`);
      await use.service.workOnFiles();
      const rows = await sql<{ uuid: string }>('select uuid from files');
      return rows.map((row) => row.uuid);
    };
    const held = await left();
    expect(held).toEqual(expect.arrayContaining([uuid, fileUuid]));
    expect(held).not.toContain(lost);

    await hold(draft.uuid, false);
    const released = await left();
    expect(released).toContain(fileUuid);
    expect(released).not.toContain(uuid);
  });

  it('keeps the content of a file that a scan finds infected, and loses it with its release', async () => {
    await sql(`update files set state = 'infected' where uuid = $1`, [fileUuid]);
    await sql(`insert into file_deletions (uuid, submission_uuid, until) values ($1, $2, now())`, [
      fileUuid,
      draft.uuid,
    ]);
    await use.service.workOnFiles();
    expect(await storage.uuids()).toContain(fileUuid);
    await hold(draft.uuid, false);
    await use.service.workOnFiles();
    expect(await storage.uuids()).not.toContain(fileUuid);
  });

  it('is seen by a write that has waited for the program that holds it', async () => {
    await hold(draft.uuid, false);
    await asAnotherProgram(use.database.connection, async (panel) => {
      await panel.query('begin');
      await panel.query('update submissions set held = true where uuid = $1', [draft.uuid]);
      const values = { values: [{ field_code: 'name', value: 'Eve' }] };
      const writing = draft.client.post(`${draft.path}/values`, values);
      const deleting = draft.client.delete(draft.path);
      const other = sql('delete from submissions where uuid = $1', [draft.uuid]).catch(
        (error: unknown) => (error as Error).message,
      );
      await panel.query('commit');
      expect([(await writing).status, (await deleting).status]).toEqual([422, 422]);
      expect(await other).toContain(BY_DATABASE);
    });
  });

  it('stays when respondents, tests and drafts are purged, and the rest goes', async () => {
    const built = await publicForm(use);
    const visitor = await newRespondent(use, built);
    const [kept, free] = [await createDraft(visitor.client, built), await createDraft(visitor.client, built)];
    await letAllTokensExpire(use.database);
    const preview = await newRespondent(use, built);
    const test = await createDraft(preview.client, built);
    await sql('update submissions set is_test = true where uuid = $1', [test.uuid]);
    await sql(
      `update respondents set is_preview = true, created_at = now() - interval '2 days' where user_id = $1`,
      [preview.id],
    );
    await sql(`update submissions set updated_at = now() - interval '9 days'`);
    for (const { uuid } of [kept, test]) await hold(uuid);

    const purged = await use.run(['respondents', 'purge', '--json']);
    expect([purged.status, purged.stderr]).toEqual([0, '']);
    expect(await left()).toEqual([draft.uuid, kept.uuid, test.uuid].toSorted());
    expect(await left()).not.toContain(free.uuid);
    const drafts = await use.run(['submissions', 'purge', '--drafts-older-than', '1d', '--json']);
    expect(JSON.parse(drafts.stdout)).toMatchObject({ drafts: 0, tests: 0 });
    await hold(test.uuid, false);
    expect(
      JSON.parse((await use.run(['submissions', 'purge', '--drafts-older-than', '1d', '--json'])).stdout),
    ).toMatchObject({ drafts: 0, tests: 1 });
    expect(await left()).toEqual([draft.uuid, kept.uuid].toSorted());
  });

  it('forbids "submissions delete" and "forms delete", which name it', async () => {
    const line = `Nothing was deleted, because ${draft.uuid} is held. Set submissions.held to false first, for example in the administration panel.`;
    const deletion = await use.run(['submissions', 'delete', draft.uuid, '--yes']);
    expect([deletion.status, deletion.stderr]).toEqual([1, expect.stringContaining(line)]);
    const ofForm = await use.run(['forms', 'delete', draft.form.slug, '--with-submissions', '--yes']);
    expect([ofForm.status, ofForm.stderr]).toEqual([1, expect.stringContaining(line)]);
    expect(await stored(draft)).toMatchObject({ uuid: draft.uuid });
  });

  it('is erased with its user only after its release; everything else of the user goes', async () => {
    const other = await createDraft(draft.client, draft);
    const erase = () => use.run(['users', 'erase', '--user', String(draft.userId), '--yes']);
    const first = await erase();
    expect(first.status).toBe(1);
    expect(first.stdout + first.stderr).toContain(draft.uuid);
    expect(await left()).not.toContain(other.uuid);
    expect(await left()).toContain(draft.uuid);
    expect((await draft.client.get(draft.path)).status).toBe(401);
    const users = () => sql('select from users where id = $1', [draft.userId]);
    expect(await users()).toHaveLength(1);

    await hold(draft.uuid, false);
    expect((await erase()).status).toBe(0);
    expect(await left()).not.toContain(draft.uuid);
    expect(await users()).toHaveLength(0);
  });
});
