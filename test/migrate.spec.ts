import pg from 'pg';
import type { DataSource, MigrationInterface, MixedList, QueryRunner } from 'typeorm';
import { StartError } from '../src/config/start-error.js';
import { isConnectionLost } from '../src/database/database-errors.js';
import { migrate, migrationStatus } from '../src/migrations/migrate.js';
import { MIGRATIONS } from '../src/schema.js';
import { createDataSource } from '../src/server/data-source.js';
import { eventually } from './support/eventually.js';
import { onOneServer } from './support/it-on-one-server.js';
import { testDatabase, useDatabase } from './support/test-database.js';

const database = useDatabase();
let other: pg.Client;
let otherPid: number;
const opened: DataSource[] = [];

beforeEach(async () => {
  other = new pg.Client({ ...database.connection, application_name: 'dump' });
  await other.connect();
  otherPid = (await other.query('select pg_backend_pid() as pid')).rows[0].pid as number;
});

afterEach(async () => {
  await other.end();
  for (const dataSource of opened.splice(0)) await dataSource.destroy();
  await database.dataSource.query('delete from migrations where name = any ($1)', [[FREE, LOCKING]]);
});

/** Adds two migrations: the first takes no locks, the second executes these statements. */
const FREE = 'Free4000000000000';
const LOCKING = 'Locking4000000000001';
/** Completing a submission locks `submissions` first. */
const LOCKS = 'lock table users; lock table submissions';

async function openMigrator(statements = LOCKS, options?: string): Promise<DataSource> {
  const connection = { ...database.connection, ...(options !== undefined && { options }) };
  const migrator = createDataSource(connection, { size: 2, deadlines: false });
  const migration = (name: string, sql: string) =>
    class {
      readonly name = name;
      up = (runner: QueryRunner) => runner.query(sql);
      down = () => Promise.resolve();
    };
  const added = [migration(FREE, 'select 1'), migration(LOCKING, statements)];
  migrator.setOptions({ migrations: [...MIGRATIONS, ...added] as MixedList<new () => MigrationInterface> });
  opened.push(await migrator.initialize());
  return migrator;
}

/** Returns the process that waits for a lock, and the locked relation. */
function waiting(): Promise<{ pid: number; relation: string }> {
  return eventually('the migration waits', async () => {
    const [row] = await database.dataSource.query<{ pid: number; relation: string }[]>(
      `select pid, relation::regclass::text as relation from pg_locks
        where not granted and database = (select oid from pg_database where datname = current_database())`,
    );
    return row;
  });
}

async function applied(): Promise<string[]> {
  const rows = await database.dataSource.query<{ name: string }[]>(
    'select name from migrations order by timestamp',
  );
  return rows.map(({ name }) => name).slice(MIGRATIONS.length);
}

onOneServer('a migration while others use the tables', () => {
  it('gives way to a transaction that holds a lock, prints its process, and is retried', async () => {
    await other.query('begin; lock table submissions in access share mode');
    const sentences: string[] = [];
    const migrating = migrate(await openMigrator(), (sentence) => sentences.push(sentence));
    await eventually('the second failure', () => sentences.length === 2);
    await other.query('commit');
    expect(await migrating).toEqual([FREE, LOCKING]);
    expect(await applied()).toEqual([FREE, LOCKING]);
    for (const [index, sentence] of sentences.entries()) {
      const [, age, pause] =
        new RegExp(
          `^Migration ${LOCKING} was undone: it gave up waiting for a lock on submissions, ` +
            `which process ${otherPid} \\(dump, user \\w+, in a transaction for (\\d+) s\\) held\\. ` +
            `Try ${index + 2} of 30 in ([\\d.]+) s\\.$`,
        ).exec(sentence) ?? [];
      expect(Number(age)).toBeLessThan(60);
      expect(Number(pause)).toBeLessThan(1);
    }
  });

  it('does not abort a transaction that takes the locks in another order', async () => {
    await other.query('begin; lock table submissions in row exclusive mode');
    const sentences: string[] = [];
    const migrating = migrate(await openMigrator(), (sentence) => sentences.push(sentence));
    expect(await waiting()).toMatchObject({ relation: 'submissions' });
    // Checks of foreign keys take this lock. It waits for the migration, and the migration waits for this transaction.
    await other.query('lock table users in row share mode; commit');
    await migrating;
    expect(sentences[0]).toContain(`process ${otherPid} (dump`);
  });

  it('is retried after PostgreSQL has aborted it because of a deadlock', async () => {
    // PostgreSQL aborts the transaction that detects the deadlock first: the migration.
    await other.query(`set deadlock_timeout = '1h'; begin; lock table submissions in row exclusive mode`);
    const sentences: string[] = [];
    // The migrator does not change a lock_timeout that the operator has set.
    const migrator = await openMigrator(LOCKS, '-c lock_timeout=30s');
    const migrating = migrate(migrator, (sentence) => sentences.push(sentence));
    await waiting();
    await other.query('lock table users in row share mode; commit');
    expect(await migrating).toEqual([FREE, LOCKING]);
    expect(sentences).toEqual([expect.stringMatching(/ was undone: it was in a deadlock for a lock on /)]);
  });

  it('fails after the last try and says what to do; the migrations before it stay applied', async () => {
    await other.query('begin; lock table submissions in access share mode');
    const sentences: string[] = [];
    const say = (sentence: string) => sentences.push(sentence);
    const failing = migrate(await openMigrator(), say, { tries: 2 });
    await expect(failing).rejects.toBeInstanceOf(StartError);
    await expect(failing).rejects.toThrow(
      new RegExp(
        `^Migration ${LOCKING} was tried 2 times in [1-9]\\d* s, and PostgreSQL undid all of it each time: it gave up ` +
          `waiting for a lock on submissions, which process ${otherPid} .* held\\. ` +
          `See what it does: "select state, query from pg_stat_activity where pid = ${otherPid}"\\. ` +
          `Wait until it has ended, or end it: "select pg_terminate_backend\\(${otherPid}\\)"\\. ` +
          'Then run "db migrate" again: it continues where it stopped\\.$',
      ),
    );
    expect(sentences).toEqual([expect.stringContaining('Try 2 of 2')]);
    expect(await applied()).toEqual([FREE]);
    await other.query('commit');
    expect(await migrate(await openMigrator())).toEqual([LOCKING]);
  });

  it('waits for a lock as long as the operator wants', async () => {
    await other.query('begin; lock table submissions in access share mode');
    const sentences: string[] = [];
    const say = (sentence: string) => sentences.push(sentence);
    const migrating = migrate(await openMigrator(), say, { lockTimeout: 60_000 });
    const { pid } = await waiting();
    await eventually('the default would have given up', async () => {
      const [{ waited }] = await database.dataSource.query<[{ waited: boolean }]>(
        `select clock_timestamp() - query_start > '600ms' as waited from pg_stat_activity where pid = $1`,
        [pid],
      );
      return waited || undefined;
    });
    await other.query('commit');
    expect(await migrating).toEqual([FREE, LOCKING]);
    expect(sentences).toEqual([]);
  });
});

onOneServer('a migration that fails', () => {
  it('for another reason is not retried but named, and the migrations before it stay applied', async () => {
    const sentences: string[] = [];
    const failing = migrate(await openMigrator('select * from nowhere'), (sentence) =>
      sentences.push(sentence),
    );
    await expect(failing).rejects.toBeInstanceOf(StartError);
    await expect(failing).rejects.toThrow(
      `Migration ${LOCKING} failed, and PostgreSQL undid all of it (relation "nowhere" does not exist). ` +
        'The migrations before it are applied. Remove the cause, then run "db migrate" again.',
    );
    expect([sentences, await applied()]).toEqual([[], [FREE]]);
  });

  it('because its connection is lost reports that', async () => {
    await other.query('begin; lock table submissions in access share mode');
    const migrating = migrate(await openMigrator(LOCKS, '-c lock_timeout=1h')).catch(
      (error: unknown) => error,
    );
    const { pid } = await waiting();
    await database.dataSource.query('select pg_terminate_backend($1)', [pid]);
    const error = await migrating;
    expect(error).not.toBeInstanceOf(StartError);
    expect(isConnectionLost(error)).toBe(true);
    await other.query('commit');
    expect(await applied()).toEqual([FREE]);
  });
});

it('a database of a development version before the first migrations of now is rejected unchanged', async () => {
  const older = await testDatabase('template0');
  try {
    const { dataSource } = older;
    await dataSource.query(`
      create table users (id integer);
      create table migrations (id serial primary key, timestamp bigint not null, name varchar not null);
      insert into migrations (timestamp, name) values (1795219200000, 'InitialSchema1795219200000')`);
    const sentence =
      'An earlier development version created this database, and this version cannot upgrade it. ' +
      'Use an empty database. CHANGELOG.md says how to copy the data with "pg_dump --data-only".';
    for (const rejected of [migrate(dataSource), migrationStatus(dataSource)]) {
      await expect(rejected).rejects.toBeInstanceOf(StartError);
      await expect(rejected).rejects.toThrow(sentence);
    }
    expect(await dataSource.query('select name from migrations')).toHaveLength(1);
  } finally {
    await older.close();
  }
});
