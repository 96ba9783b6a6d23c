import { randomBytes } from 'node:crypto';
import { forgetDue } from '../src/capabilities/retention/forget-due.js';
import { tryTurn } from '../src/capabilities/retention/turns.js';
import { createWebhookEndpoint, type Form } from '../src/entities.js';
import { ended, useCommandLine } from './support/command-line.js';
import { createDraft, newDraftOf } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { filesFolder, storeFile } from './support/files.js';
import { type BuiltForm, buildForm } from './support/forms.js';
import { onOneServer } from './support/it-on-one-server.js';
import { newUser, startService } from './support/service.js';
import { asAnotherProgram } from './support/test-server.js';

const storage = filesFolder();
afterAll(() => storage.remove());

/** On a distributed database, forms cannot have periods. */
onOneServer('periods of a form', () => {
  const use = useCommandLine({ FILES_URL: storage.url });
  const sql = <Row = unknown>(text: string, values: readonly unknown[] = []) =>
    use.database.dataSource.query<Row[]>(text, [...values]);
  let userId: number;

  beforeAll(async () => {
    userId = (await newUser(use)).id;
  });
  beforeEach(async () => {
    await sql('truncate submissions cascade');
    await sql(
      'update forms set keep_completed_days = null, keep_drafts_days = null, keep_personal_days = null',
    );
    await sql('delete from erasures');
  });

  const formWith = (form: Partial<Form>): Promise<BuiltForm> =>
    buildForm(use.database.dataSource, {
      form,
      steps: [{ name: { isPersonal: true }, city: {}, amount: { isRepeatable: true, isPersonal: true } }],
      entities: [{ name: 'expense', isRepeatable: true, of: ['amount'] }],
    });

  interface Age {
    readonly status?: 'draft' | 'completed';
    /** Days since the completion. Null: the database did not keep the time then. */
    readonly completed?: number | null;
    /** Days since the last write. */
    readonly written?: number;
    readonly count?: number;
    readonly isTest?: boolean;
  }

  /** Stores submissions with a personal and another answer. Returns their UUIDs. */
  async function submit({ form, fields }: BuiltForm, age: Age): Promise<string[]> {
    const { status = 'completed', completed = null, written = completed, count = 1, isTest = false } = age;
    const rows = await sql<{ uuid: string }>(
      `insert into submissions (uuid, form_id, user_id, status, created_at, updated_at, is_test)
       select gen_random_uuid(), $1, $2, $3, now() - interval '1000 days', now() - make_interval(days => $4), $5
         from generate_series(1, $6) returning uuid`,
      [form.id, userId, status, written, isTest, count],
    );
    const uuids = rows.map(({ uuid }) => uuid);
    // A trigger sets the time of completion of a row that is inserted without one.
    await sql(
      'update submissions set completed_at = now() - make_interval(days => $2) where uuid = any ($1)',
      [uuids, completed],
    );
    for (const [code, value] of [
      ['name', 'Ada'],
      ['city', 'London'],
    ] as const)
      await sql(
        `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
         select unnest($1::uuid[]), $2, $3, false, $4`,
        [uuids, form.id, fields[code]?.id, value],
      );
    return uuids;
  }

  const left = async () =>
    (await sql<{ uuid: string }>('select uuid from submissions order by uuid')).map(({ uuid }) => uuid);
  const erased = () =>
    sql<{ kind: string; reason: string; submission_uuid: string }>(
      'select kind, reason, submission_uuid from erasures order by kind, submission_uuid',
    );
  const purge = async (...words: string[]) => {
    const { status, stdout, stderr } = await use.run(['submissions', 'purge', '--due', '--json', ...words]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return JSON.parse(stdout) as { forms: unknown; dry_run: boolean; tests: number };
  };
  const nothing = { completed: 0, drafts: 0, personal: 0 };

  it('"submissions purge --due" deletes what is due by form and reason, and nothing else (T1)', async () => {
    const built = await formWith({ keepCompletedDays: 30, keepDraftsDays: 7 });
    const other = await formWith({ keepDraftsDays: 100 });
    const forEver = await formWith({});
    const kept = [
      await submit(built, { completed: 29, written: 400 }),
      await submit(built, { status: 'draft', written: 6 }),
      await submit(built, { completed: 400, isTest: true }),
      await submit(other, { completed: 400 }),
      await submit(other, { status: 'draft', written: 99 }),
      await submit(forEver, { completed: 4000, count: 3 }),
    ].flat();
    const gone = [
      // The meta of a completed submission was changed later.
      await submit(built, { completed: 31, written: 1, count: 2 }),
      // The database did not keep the time of completion then.
      await submit(built, { completed: null, written: 31 }),
      await submit(built, { status: 'draft', written: 8, count: 4 }),
      await submit(other, { status: 'draft', written: 101 }),
    ].flat();
    const counts = [
      { form: built.form.slug, ...nothing, completed: 3, drafts: 4 },
      { form: other.form.slug, ...nothing, drafts: 1 },
    ];
    expect(await purge('--dry-run')).toEqual({ forms: counts, tests: 0, dry_run: true });
    expect(await left()).toEqual([...kept, ...gone].toSorted());
    expect(await purge('--form', other.form.slug, '--dry-run')).toMatchObject({ forms: counts.slice(1) });

    expect(await purge()).toEqual({ forms: counts, tests: 0, dry_run: false });
    expect(await left()).toEqual(kept.toSorted());
    expect(await erased()).toEqual(
      gone
        .toSorted()
        .map((uuid) => ({ kind: 'submission.deleted', reason: 'retention', submission_uuid: uuid })),
    );
    expect(await purge()).toMatchObject({ forms: [{ completed: 0, drafts: 0 }, { drafts: 0 }] });
    const [{ submissions }] = (await sql(
      `select sum((detail ->> 'completed')::integer + (detail ->> 'drafts')::integer)::integer as submissions
         from audit_log where action = 'submissions.deleted' and detail ? 'due'`,
    )) as [{ submissions: number }];
    expect(submissions).toBe(gone.length);
  });

  it('says in sentences what was or would be deleted, and what to give', async () => {
    const built = await formWith({ keepCompletedDays: 30, keepDraftsDays: 1, keepPersonalDays: 2 });
    await submit(built, { completed: 31, count: 2 });
    await submit(built, { completed: 3 });
    const parts = `2 submissions completed over 30 days ago, 0 drafts last written to over 1 day ago, and the personal answers of 1 submission completed over 2 days ago.\n`;
    expect((await use.run(['submissions', 'purge', '--due', '--dry-run'])).stdout).toBe(
      `${built.form.slug}: would delete ${parts}`,
    );
    expect((await use.run(['submissions', 'purge', '--due'])).stdout).toBe(
      `${built.form.slug}: deleted ${parts}`,
    );
    await sql(
      'update forms set keep_completed_days = null, keep_drafts_days = null, keep_personal_days = null',
    );
    expect((await use.run(['submissions', 'purge', '--due'])).stdout).toBe(
      'No form has a period. Set keep_completed_days, keep_drafts_days or keep_personal_days of forms.\n',
    );
    for (const words of [[], ['--due', '--drafts-older-than', '90d']]) {
      const { status, stderr } = await use.run(['submissions', 'purge', ...words]);
      expect([status, stderr]).toEqual([1, 'formtrail: Give one of "--drafts-older-than" and "--due".\n']);
    }
  });

  it.each([0, 36_501, -1])('a period is 1 to 36,500 days: the database rejects %i', async (days) => {
    for (const column of ['keep_completed_days', 'keep_drafts_days', 'keep_personal_days'])
      await expect(sql(`update forms set ${column} = $1`, [days])).rejects.toThrow(column);
  });

  it('is no deletion by a user, which has a reason of its own (T3)', async () => {
    const { client, path, uuid } = await newDraftOf(use, {});
    expect((await client.delete(path)).status).toBe(204);
    expect(await erased()).toEqual([{ kind: 'submission.deleted', reason: 'user', submission_uuid: uuid }]);
  });

  it('deletes files with their submission, and skips what is held or being written to', async () => {
    const draft = await newDraftOf(use, { form: { keepDraftsDays: 5 }, steps: [{ cv: { type: 'file' } }] });
    const file = await storeFile(draft.client, draft.path);
    const values = [{ field_code: 'cv', value: file.value }];
    expect((await draft.client.post(`${draft.path}/values`, { values })).status).toBe(200);
    const held = await createDraft(draft.client, draft);
    const busy = await createDraft(draft.client, draft);
    await sql('update submissions set held = true where uuid = $1', [held.uuid]);
    await sql(`update submissions set updated_at = now() - interval '6 days'`);
    await asAnotherProgram(use.database.connection, async (client) => {
      await client.query('begin');
      await client.query('update submissions set updated_at = now() where uuid = $1', [busy.uuid]);
      expect(await purge()).toMatchObject({ forms: [{ drafts: 1 }] });
      await client.query('commit');
    });
    expect(await left()).toEqual([held.uuid, busy.uuid].toSorted());
    expect(await storage.uuids()).toContain(file.uuid);
    await use.service.workOnFiles();
    expect(await storage.uuids()).not.toContain(file.uuid);
    await sql('update submissions set held = false');
  });

  it('judges each submission again under its lock: a period that was lengthened meanwhile holds', async () => {
    const built = await formWith({ keepCompletedDays: 30 });
    const uuids = await submit(built, { completed: 31, count: 3 });
    await asAnotherProgram(use.database.connection, async (client) => {
      // The purge has found the submissions, and waits for its turn.
      await client.query('select pg_advisory_lock(1798000038)');
      const child = use.start(['submissions', 'purge', '--due']);
      const outcome = ended(child);
      await eventually('the purge waits', async () => {
        const waiting = await client.query(
          `select from pg_locks where locktype = 'advisory' and not granted`,
        );
        return waiting.rows.length > 0;
      });
      await client.query('update forms set keep_completed_days = 60 where id = $1', [built.form.id]);
      await client.query('select pg_advisory_unlock(1798000038)');
      expect((await outcome).stdout).toContain('deleted 0 submissions');
    });
    expect(await left()).toEqual(uuids.toSorted());
  });

  it('is the work of one program at a time: a server leaves it to another', async () => {
    const built = await formWith({ keepCompletedDays: 30 });
    await submit(built, { completed: 31, count: 3 });
    const run = () => forgetDue(use.database.dataSource, { takeTurn: tryTurn });
    await asAnotherProgram(use.database.connection, async (other) => {
      await other.query('select pg_advisory_lock(1798000038)');
      expect(await run()).toMatchObject([{ counts: nothing }]);
      expect(await left()).toHaveLength(3);
    });
    const [both] = await Promise.all([Promise.all([run(), run()]), purge()]);
    expect(both.flat().length).toBeGreaterThan(0);
    expect(await left()).toEqual([]);
    expect(await erased()).toHaveLength(3);
  });

  it('works in transactions of at most 500 submissions, and an interruption keeps what was done', async () => {
    const built = await formWith({ keepCompletedDays: 30 });
    await submit(built, { completed: 31, count: 1_300 });
    const last = (await left()).at(-1);
    await asAnotherProgram(use.database.connection, async (client) => {
      await client.query(`
        create function wait_here() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(1); return old; end $$;
        create trigger wait_here before delete on submissions
          for each row when (old.uuid = '${last}') execute function wait_here()`);
      await client.query('select pg_advisory_lock(1)');
      const child = use.start(['submissions', 'purge', '--due']);
      const outcome = ended(child);
      await eventually('the purge waits', async () => {
        const waiting = await client.query(
          `select from pg_locks where locktype = 'advisory' and not granted`,
        );
        return waiting.rows.length > 0;
      });
      child.kill('SIGINT');
      expect((await outcome).status).toBe(130);
      await client.query('drop function wait_here cascade');
    });
    const remaining = (await left()).length;
    expect(remaining).toBeGreaterThan(0);
    expect(remaining).toBeLessThanOrEqual(500);
    expect(await purge()).toMatchObject({ forms: [{ completed: remaining }] });
    const batches = await sql<{ size: number }>(
      `select count(*)::integer as size from erasures group by xmin::text`,
    );
    expect(Math.max(...batches.map(({ size }) => size))).toBeLessThanOrEqual(500);
  });

  describe('of personal answers (T4)', () => {
    const ended = async (built: BuiltForm, uuid: string) =>
      sql<{ code: string; value: string }>(
        `select code, value from submission_values join fields on fields.id = field_id
          where submission_uuid = $1 and fields.form_id = $2 order by code`,
        [uuid, built.form.id],
      );

    it('deletes those values and files, and changes nothing else that a client sees', async () => {
      const draft = await newDraftOf(use, {
        form: { keepPersonalDays: 10, maxSubmissions: 5 },
        steps: [
          {
            name: { isPersonal: true },
            cv: { type: 'file', isPersonal: true },
            city: {},
            photo: { type: 'file' },
          },
        ],
      });
      const { client, path, uuid } = draft;
      const cv = await storeFile(client, path);
      const photo = await storeFile(client, path, undefined, { field_code: 'photo' });
      const values = Object.entries({ name: 'Ada', cv: cv.value, city: 'London', photo: photo.value }).map(
        ([field_code, value]) => ({ field_code, value }),
      );
      expect((await client.post(`${path}/values`, { values })).status).toBe(200);
      expect((await client.patch(path, { status: 'completed', meta: { a: 1 } })).status).toBe(200);
      await sql(`update submissions set completed_at = now() - interval '11 days' where uuid = $1`, [uuid]);
      const before = await client.get(path);
      const availability = await client.get(`/api/v1/forms/${draft.form.uuid}/availability`);
      expect(before.body.data.anonymized_at).toBeNull();

      expect(await purge('--dry-run')).toMatchObject({ forms: [{ personal: 1 }] });
      expect(await purge()).toMatchObject({ forms: [{ personal: 1 }] });
      const after = await client.get(path);
      const { anonymized_at, values: rest, ...others } = after.body.data;
      const { anonymized_at: _, values: all, ...othersBefore } = before.body.data;
      expect(anonymized_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(others).toEqual(othersBefore);
      const isKept = ({ field_code }: { field_code: string }) => ['city', 'photo'].includes(field_code);
      expect(rest).toEqual((all as { field_code: string }[]).filter(isKept));
      expect(after.headers.get('ETag')).toBe(before.headers.get('ETag'));
      const list = await client.get('/api/v1/submissions');
      expect(list.body.data).toMatchObject([{ uuid, anonymized_at }]);
      expect((await client.get(`/api/v1/forms/${draft.form.uuid}/availability`)).body).toEqual(
        availability.body,
      );
      await use.service.workOnFiles();
      expect(await storage.uuids()).toContain(photo.uuid);
      expect(await storage.uuids()).not.toContain(cv.uuid);
      expect((await client.get(`${path}/files/${cv.uuid}`)).status).toBe(404);
      expect(await erased()).toEqual([
        { kind: 'submission.anonymized', reason: 'retention', submission_uuid: uuid },
      ]);
    });

    it('is judged by what is personal now, again at each purge, and anonymized_at stays the first time', async () => {
      const built = await formWith({ keepPersonalDays: 10 });
      const [uuid = ''] = await submit(built, { completed: 11 });
      expect(await purge()).toMatchObject({ forms: [{ personal: 1 }] });
      const first = await sql('select anonymized_at, updated_at from submissions');
      expect(await ended(built, uuid)).toEqual([{ code: 'city', value: 'London' }]);
      expect(await purge()).toMatchObject({ forms: [{ personal: 0 }] });

      await sql('update fields set is_personal = true where id = $1', [built.fields['city']?.id]);
      expect(await purge()).toMatchObject({ forms: [{ personal: 1 }] });
      expect(await ended(built, uuid)).toEqual([]);
      expect(await sql('select anonymized_at, updated_at from submissions')).toEqual(first);
      const fields = await sql<{ field_ids: number[] }>(
        'select field_ids from erasures order by happened_at',
      );
      expect(fields.map(({ field_ids }) => field_ids)).toEqual([
        [built.fields['name']?.id],
        [built.fields['city']?.id],
      ]);
    });

    it('leaves drafts, held submissions, younger ones and submissions without personal answers alone', async () => {
      const built = await formWith({ keepPersonalDays: 10 });
      const [held] = await submit(built, { completed: 11 });
      await submit(built, { completed: 9 });
      await submit(built, { status: 'draft', written: 50 });
      const [without] = await submit(built, { completed: 50 });
      await sql('delete from submission_values where submission_uuid = $1 and field_id = $2', [
        without,
        built.fields['name']?.id,
      ]);
      await sql('update submissions set held = true where uuid = $1', [held]);
      expect(await purge('--dry-run')).toMatchObject({ forms: [{ personal: 0 }] });
      expect(await purge()).toMatchObject({ forms: [{ personal: 0 }] });
      expect(await sql('select from submissions where anonymized_at is not null')).toEqual([]);
      await sql('update submissions set held = false');
    });

    it('deletes waiting webhooks with such answers, and none without', async () => {
      const { id } = await createWebhookEndpoint(
        use.database.dataSource.manager,
        { url: 'https://crm.example/hook', body: 'full' },
        randomBytes(32).toString('base64'),
      );
      const steps = [{ name: { isPersonal: true }, city: {} }];
      const { client, path, ...built } = await newDraftOf(use, { form: { keepPersonalDays: 10 }, steps });
      const other = await createDraft(client, built);
      const store = (to: string, field_code: string) =>
        client.post(`${to}/values`, { values: [{ field_code, value: 'Ada' }] });
      await store(path, 'name');
      await store(other.path, 'city');
      for (const to of [path, other.path]) await client.patch(to, { status: 'completed' });
      await sql(`update submissions set completed_at = now() - interval '11 days'`);
      expect(await purge()).toMatchObject({ forms: [{ personal: 1 }] });
      const waiting = await sql<{ submission_uuid: string }>('select submission_uuid from webhook_outbox');
      expect(waiting).toEqual([{ submission_uuid: other.uuid }]);
      await sql('delete from webhook_endpoints where id = $1', [id]);
    });

    it('keeps the places that a choice took (D6)', async () => {
      const { client, path, uuid, form, fields } = await newDraftOf(use, {
        form: { keepPersonalDays: 10 },
        steps: [{ slot: { type: 'select', options: ['a', 'b'], isPersonal: true } }],
      });
      await client.post(`${path}/values`, { values: [{ field_code: 'slot', value: 'a' }] });
      await client.patch(path, { status: 'completed' });
      // Counted by the stored value, because the limit comes later.
      await use.service.hearing(() =>
        sql(`update options set places = 3 where field_id = $1 and value = 'a'`, [fields['slot']?.id]),
      );
      const left = async () =>
        (await client.get(`/api/v1/forms/${form.uuid}/availability`)).body.data.options;
      expect(await left()).toMatchObject([{ places_left: 2 }]);
      await sql(`update submissions set completed_at = now() - interval '11 days' where uuid = $1`, [uuid]);
      expect(await purge()).toMatchObject({ forms: [{ personal: 1 }] });
      expect(await left()).toMatchObject([{ places_left: 2 }]);
    });
  });

  describe('with RETENTION=on', () => {
    it('are kept to by a server soon after its start, and forgets old erasures (T3)', async () => {
      const built = await formWith({ keepCompletedDays: 30 });
      const [kept] = await submit(built, { completed: 29 });
      await submit(built, { completed: 31, count: 3 });
      await sql(`insert into erasures (kind, reason, submission_uuid, happened_at)
        select 'submission.deleted', 'sql', gen_random_uuid(), now() - make_interval(days => age) from unnest(array[6, 8]) age`);
      const variables = { RETENTION: 'on', KEEP_ERASURES_DAYS: '7' };
      const service = await startService(use.database, variables, undefined, {
        hasMetrics: true,
        logLevel: 'debug',
      });
      try {
        await eventually(
          'the server has deleted what is due',
          async () => (await left()).length === 1,
          60_000,
        );
        await eventually(
          'the server has forgotten old erasures',
          async () => (await sql(`select from erasures where reason = 'sql'`)).length === 1,
        );
        await eventually('the metrics have the run', async () =>
          /^formtrail_retention_last_run_timestamp_seconds [\d.e+]+$/m.test(
            await (await fetch(await service.metricsUrl())).text(),
          ),
        );
        const metrics = await (await fetch(await service.metricsUrl())).text();
        expect(metrics).toContain('formtrail_retention_total{reason="completed"} 3');
        expect(metrics).toContain('formtrail_retention_failures_total 0');
        const line = (await service.logLines()).find((one) => one.includes('Deleted what was due.'));
        expect(JSON.parse(line ?? '{}')).toMatchObject({ form: built.form.slug, ...nothing, completed: 3 });
      } finally {
        await service.close();
      }
      expect(await left()).toEqual([kept]);
      expect(await erased()).toHaveLength(4);
    }, 90_000);
  });
});
