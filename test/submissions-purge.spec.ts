import type { Client } from 'pg';
import { SubmissionValue, User } from '../src/entities.js';
import { purgeDrafts } from '../src/cli/purge-drafts.js';
import { PATIENCE } from './support/built-service.js';
import { ended, useCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import { type BuiltForm, buildForm, buildRecords } from './support/forms.js';
import { itOnOneServer } from './support/it-on-one-server.js';
import { asAnotherProgram } from './support/test-server.js';

const use = useCommandLine();
const { start, run } = use;
let user: User;
let form: BuiltForm;

beforeAll(async () => {
  const { manager } = use.database.dataSource;
  user = await manager.save(manager.create(User, { email: 'ada@example.org' }));
}, 120_000);
beforeEach(async () => {
  await use.database.dataSource.query('truncate submissions cascade');
  form = await buildForm(use.database.dataSource);
});

/** Creates submissions whose last change is `age`, a PostgreSQL interval, ago. Returns their UUIDs. */
async function submit(
  count: number,
  age: string,
  { status = 'draft', to = form }: { status?: 'draft' | 'completed'; to?: BuiltForm } = {},
): Promise<string[]> {
  const rows = await use.database.dataSource.query<{ uuid: string }[]>(
    `insert into submissions (uuid, form_id, user_id, status, created_at, updated_at)
     select gen_random_uuid(), $1, $2, $3, now() - interval '1000 days', now() - $4::interval
       from generate_series(1, $5) returning uuid`,
    [to.form.id, user.id, status, age, count],
  );
  return rows.map(({ uuid }) => uuid);
}

async function left(): Promise<string[]> {
  const rows = await use.database.dataSource.query<{ uuid: string }[]>(
    'select uuid from submissions order by uuid',
  );
  return rows.map(({ uuid }) => uuid);
}

/** Resolves when the purge waits for the lock that the test holds. */
async function purgeWaits(client: Client): Promise<void> {
  await eventually(
    'the purge waits',
    async () => {
      const waiting = await client.query(
        `select from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`,
      );
      return waiting.rows.length > 0;
    },
    PATIENCE,
  );
}

const purge = (...words: string[]) => run(['submissions', 'purge', '--drafts-older-than', '90d', ...words]);

describe('formtrail submissions purge', () => {
  it('deletes only drafts that nobody has written to for the given time', async () => {
    await submit(1, '91 days');
    const kept = [
      ...(await submit(1, '89 days')),
      ...(await submit(1, '0')),
      ...(await submit(1, '900 days', { status: 'completed' })),
    ];
    expect(await purge()).toEqual({ status: 0, stdout: 'Deleted 1 draft.\n', stderr: '' });
    expect(await left()).toEqual(kept.toSorted());
    expect(await purge()).toEqual({ status: 0, stdout: 'Deleted 0 drafts.\n', stderr: '' });
  });

  it('deletes values and records with their drafts', async () => {
    const [uuid] = await submit(1, '91 days');
    const [record] = await buildRecords(use.database.dataSource, form.form.id, uuid!, 1);
    await use.database.dataSource.manager.insert(SubmissionValue, {
      submissionUuid: uuid!,
      formId: form.form.id,
      fieldId: form.fields['name']!.id,
      isRepeatable: false,
      entityRecordId: record!,
      value: 'Ada',
    });
    expect((await purge()).stdout).toBe('Deleted 1 draft.\n');
    expect(
      await use.database.dataSource.query(
        'select (select count(*) from submission_values) as values, (select count(*) from entity_records) as records',
      ),
    ).toEqual([{ values: '0', records: '0' }]);
  });

  it('deletes only drafts of one form with --form, and none with --dry-run', async () => {
    const other = await buildForm(use.database.dataSource);
    const kept = await submit(2, '91 days', { to: other });
    await submit(1, '91 days');
    const only = ['--form', form.form.slug];
    expect((await purge('--dry-run')).stdout).toBe('3 drafts would be deleted.\n');
    expect((await purge('--dry-run', ...only)).stdout).toBe('1 draft would be deleted.\n');
    expect(await left()).toHaveLength(3);
    expect((await purge(...only)).stdout).toBe('Deleted 1 draft.\n');
    expect(await left()).toEqual(kept.toSorted());
    expect(await purge('--form', 'nowhere')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'formtrail: There is no form with the slug "nowhere". "forms list" shows all forms.\n',
    });
  });

  it('prints the count and the time limit as JSON', async () => {
    await submit(3, '91 days');
    for (const dryRun of [true, false]) {
      const { status, stdout, stderr } = await purge('--json', ...(dryRun ? ['--dry-run'] : []));
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(JSON.parse(stdout)).toEqual({
        drafts: 3,
        tests: 0,
        last_written_before: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        dry_run: dryRun,
      });
    }
  });

  it('deletes any number of drafts, in batches', async () => {
    await submit(2_001, '91 days');
    const [kept] = await submit(1, '91 days', { status: 'completed' });
    const counts: number[] = [];
    const before = new Date().toISOString();
    await purgeDrafts(use.database.dataSource, { formId: undefined, before }, (count) => counts.push(count));
    expect(counts.at(-1)).toBe(2_001);
    const batches = counts.map((count, index) => count - (counts[index - 1] ?? 0));
    expect(Math.max(...batches)).toBeLessThanOrEqual(500);
    expect(await left()).toEqual([kept]);
  });

  itOnOneServer(
    'keeps a draft that another transaction is writing to, and does not wait for it',
    async () => {
      const drafts = await submit(1_500, '91 days');
      const busy = drafts[700]!;
      await asAnotherProgram(use.database.connection, async (client) => {
        await client.query('begin');
        await client.query('update submissions set updated_at = now() where uuid = $1', [busy]);
        expect((await purge()).stdout).toBe('Deleted 1499 drafts.\n');
        await client.query('commit');
      });
      expect(await left()).toEqual([busy]);
      expect((await purge()).stdout).toBe('Deleted 0 drafts.\n');
    },
  );

  itOnOneServer('keeps a draft that was written to after it was found and before it was locked', async () => {
    const [first, second] = (await submit(2, '91 days')).toSorted();
    await asAnotherProgram(use.database.connection, async (client) => {
      // The purge reads this view instead of the table, and waits at the first draft.
      await client.query(`
        create function wait_at_first(uuid uuid) returns boolean language plpgsql as $$
          begin
            if uuid = '${first}' then perform pg_advisory_xact_lock(1); end if;
            return true;
          end $$;
        create schema slow;
        create view slow.submissions as select * from public.submissions where wait_at_first(uuid)`);
      const { rows } = await client.query<{ name: string }>('select current_database() as name');
      const name = rows[0]!.name;
      await client.query(`alter database ${name} set search_path to slow, public`);
      await client.query('select pg_advisory_lock(1)');
      const outcome = purge();
      await purgeWaits(client);
      await client.query('update submissions set updated_at = now() where uuid = $1', [second]);
      await client.query('select pg_advisory_unlock(1)');
      expect((await outcome).stdout).toBe('Deleted 1 draft.\n');
      await client.query(`alter database ${name} reset search_path`);
    });
    expect(await left()).toEqual([second]);
  });

  // Last, because its trigger stays.
  itOnOneServer(
    'commits finished batches when it is interrupted, and prints the minimum number of deleted drafts',
    async () => {
      await submit(1_500, '91 days');
      const last = (await left()).at(-1);
      await asAnotherProgram(use.database.connection, async (client) => {
        await client.query(`
        create function wait_here() returns trigger language plpgsql as $$
          begin
            perform pg_advisory_xact_lock(1);
            return old;
          end $$;
        create trigger wait_here before delete on submissions
          for each row when (old.uuid = '${last}') execute function wait_here()`);
        await client.query('select pg_advisory_lock(1)');
        const child = start(['submissions', 'purge', '--drafts-older-than', '90d']);
        const outcome = ended(child);
        await purgeWaits(client);
        child.kill('SIGINT');
        const { status, stdout, stderr } = await outcome;
        expect({ status, stdout }).toEqual({ status: 130, stdout: '' });
        const [, deleted] = /^Interrupted after at least (\d+) submissions\.\n$/.exec(stderr) ?? [];
        // The last batch is not committed while the test holds the lock.
        expect(Number(deleted)).toBeGreaterThan(0);
        expect((await left()).length).toBe(1_500 - Number(deleted));
      });
    },
  );
});
