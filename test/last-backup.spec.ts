import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Database } from '../src/database/database.js';
import { lastBackupOf } from '../src/metrics/database-metrics.js';
import { startMetrics } from '../src/metrics/metrics-server.js';
import { openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import { type ServiceInProcess, startServiceInProcess } from './support/service-in-process.js';
import { asAnotherProgram } from './support/test-server.js';

let { database, run, close } = {} as OpenCommandLine;
let metrics: Awaited<ReturnType<typeof startMetrics>>;
let service: ServiceInProcess;

beforeAll(async () => {
  ({ database, run, close } = await openCommandLine());
  metrics = await startMetrics('1.2.3', 0, '127.0.0.1');
  service = await startServiceInProcess(database, {}, { metrics: metrics.metrics });
}, 120_000);
afterAll(async () => {
  await service.close();
  await metrics.close();
  await close();
});
beforeEach(() => database.dataSource.query('delete from backups'));

const record = (...words: string[]) => run(['db', 'record-backup', ...words]);
const recorded = async () => {
  const [row] = await database.dataSource.query<{ taken_at: Date }[]>('select taken_at from backups');
  return row?.taken_at.toISOString();
};
const exported = async () => {
  const text = await (await fetch(metrics.url)).text();
  expect(text).toContain('\nformtrail_changes_heard ');
  return /^formtrail_last_backup_timestamp_seconds (.+)$/m.exec(text)?.[1];
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

  it('has the same effect as the statement in docs/operations.md', async () => {
    const operations = readFileSync(path.resolve(__dirname, '../docs/operations.md'), 'utf8');
    const [, statement = ''] = /"(insert into backups[^"]*)"/.exec(operations) ?? [];
    for (const expected of ['2026-01-02T03:00:00.000Z', '2026-01-03T03:00:00.000Z']) {
      await database.dataSource.query(statement.replace('$began', expected));
      expect(await recorded()).toBe(expected);
    }
    await database.dataSource.query(statement.replace('$began', '2026-01-01'));
    expect(await recorded()).toBe('2026-01-03T03:00:00.000Z');
  });
});

describe('formtrail_last_backup_timestamp_seconds', () => {
  it('is absent until a backup is recorded, and is then the time when the backup began', async () => {
    expect(await exported()).toBeUndefined();
    await database.dataSource.query(`insert into backups (taken_at) values ('2026-01-02T03:04:05.5Z')`);
    expect(await exported()).toBe('1767323045.5');
  });

  it('does not delay a scrape if the table is locked', async () => {
    const lastBackup = lastBackupOf(service.app.get(Database), 0);
    expect(await lastBackup.read()).toBeUndefined();
    await asAnotherProgram(database.connection, async (program) => {
      await program.query('begin; lock table backups');
      expect(await lastBackup.read()).toBeUndefined();
      await program.query(`insert into backups (taken_at) values ('2026-01-02'); commit`);
    });
    await eventually('it is read', async () => (await lastBackup.read()) === 1_767_312_000);
  });

  it('keeps its last value while the table cannot be read', async () => {
    const lastBackup = lastBackupOf(service.app.get(Database), 0);
    await database.dataSource.query(`insert into backups (taken_at) values ('2026-01-02')`);
    expect(await lastBackup.read()).toBe(1_767_312_000);
    await database.dataSource.query('alter table backups rename to lost');
    expect(await lastBackup.read()).toBe(1_767_312_000);
    await database.dataSource.query('alter table lost rename to backups');
    await database.dataSource.query(`update backups set taken_at = '2026-01-03'`);
    expect(await lastBackup.read()).toBe(1_767_398_400);
  });
});

describe('in PostgreSQL', () => {
  it('statements begin with their name, which pg_stat_activity and pg_stat_statements show', async () => {
    await asAnotherProgram(database.connection, async (program) => {
      await program.query('begin; lock table forms');
      const list = service.anyone.get('/api/v1/forms');
      await eventually('the statement is seen', async () => {
        // Query outside of a transaction, because `pg_stat_activity` never changes within a transaction.
        const waiting = await database.dataSource.query<{ query: string }[]>(
          `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.some(({ query }) => query.startsWith('/* forms.list */ '));
      });
      await program.query('rollback');
      expect((await list).status).toBe(200);
    });
  });
});
