import { lastBackupOf } from '../src/capabilities/metrics/last-backup.js';
import { useCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import { asAnotherProgram } from './support/test-server.js';

const use = useCommandLine({});
const { run } = use;

beforeEach(() => use.database.dataSource.query('delete from backups'));

const record = (...words: string[]) => run(['db', 'record-backup', ...words]);
const recorded = async () => {
  const [row] = await use.database.dataSource.query<{ taken_at: Date }[]>('select taken_at from backups');
  return row?.taken_at.toISOString();
};

describe('formtrail db record-backup', () => {
  it('records that a backup began now, or at a given time, and prints the time of the last one', async () => {
    const { status, stdout } = await record('--at', '2026-01-02T03:04:05.5+01:00');
    expect([status, stdout]).toEqual([0, 'The last recorded backup began at 2026-01-02T02:04:05.500000Z.\n']);
    expect(await recorded()).toBe('2026-01-02T02:04:05.500Z');

    const before = Date.now();
    expect(JSON.parse((await record('--json')).stdout)).toEqual({
      last_backup_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/),
    });
    const now = Date.parse((await recorded()) ?? '');
    expect(now).toBeGreaterThan(before - 5_000);
    expect(now).toBeLessThan(Date.now() + 5_000);
  });

  it('keeps the newest time, even if an earlier backup is recorded later', async () => {
    await record('--at', '2026-01-03');
    const { status, stdout } = await record('--at', '2026-01-02');
    expect([status, stdout]).toEqual([0, 'The last recorded backup began at 2026-01-03T00:00:00.000000Z.\n']);
    expect(await recorded()).toBe('2026-01-03T00:00:00.000Z');
  });

  it('rejects a time in the future, because no alert would fire until then', async () => {
    const { status, stderr } = await record('--at', '2999-01-01');
    expect(status).toBe(1);
    expect(stderr).toContain('2999-01-01T00:00Z is in the future. Nothing was recorded.');
    expect(await recorded()).toBeUndefined();
  });
});

it('the metric of the last backup is absent at first, delays no scrape, and outlives failures', async () => {
  const query = () =>
    use.database.dataSource.query<{ seconds: number }[]>(
      'select extract(epoch from taken_at)::integer as seconds from backups',
    );
  const connections = { inUse: 0, size: 1 };
  const lastBackup = lastBackupOf({ query, connections } as unknown as Parameters<typeof lastBackupOf>[0], 0);
  expect(await lastBackup.read()).toBeUndefined();
  await asAnotherProgram(use.database.connection, async (program) => {
    await program.query('begin; lock table backups');
    expect(await lastBackup.read()).toBeUndefined();
    await program.query(`insert into backups (taken_at) values ('2026-01-02'); commit`);
  });
  await eventually('it is read', async () => (await lastBackup.read()) === 1_767_312_000);

  await use.database.dataSource.query(`update backups set taken_at = '2026-01-03'`);
  connections.inUse = 1;
  expect(await lastBackup.read()).toBe(1_767_312_000);
  connections.inUse = 0;
  expect(await lastBackup.read()).toBe(1_767_398_400);
});

it('statements begin with their name, which pg_stat_activity and pg_stat_statements show', async () => {
  await asAnotherProgram(use.database.connection, async (program) => {
    await program.query('begin; lock table forms');
    const list = use.service.anyone.get('/api/v1/forms');
    await eventually('the statement is seen', async () => {
      // Query outside of a transaction, because `pg_stat_activity` never changes within a transaction.
      const waiting = await use.database.dataSource.query<{ query: string }[]>(
        `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.some(({ query }) => query.startsWith('/* forms.list */ '));
    });
    await program.query('rollback');
    expect((await list).status).toBe(200);
  });
});
