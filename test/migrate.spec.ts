import pg from 'pg';
import { type DataSource, MigrationExecutor } from 'typeorm';
import { StartError } from '../src/config/start-error.js';
import { createDataSource } from '../src/server/data-source.js';
import { isConnectionLost } from '../src/database/database-errors.js';
import { migrate, migrationStatus } from '../src/migrations/migrate.js';
import { MIGRATIONS } from '../src/migrations/index.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import { onOneServer } from './support/it-on-one-server.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';

/** This migration locks `users` before `submissions`. Completing a submission locks `submissions` first. */
const LOCKS_MANY = 'TimestampChecks1795910400000';
/** The migration before `LOCKS_MANY`. Without Citus, it does nothing. */
const LOCKS_NOTHING = 'ShardFunctions1795824000001';
const SECOND_TO_LAST = MIGRATIONS.at(-2)!.name;

let database: TestDatabase;
let other: pg.Client;
let otherPid: number;
const opened: DataSource[] = [];

beforeEach(async () => {
  database = await testDatabase();
  other = new pg.Client({ ...database.connection, application_name: 'dump' });
  // Some tests terminate this connection.
  other.on('error', () => undefined);
  await other.connect();
  otherPid = (await other.query('select pg_backend_pid() as pid')).rows[0].pid as number;
});

afterEach(async () => {
  await other.end();
  for (const dataSource of opened.splice(0)) await dataSource.destroy();
  await database.drop();
});

async function openMigrator(options?: string): Promise<DataSource> {
  const connection = { ...database.connection, ...(options !== undefined && { options }) };
  const migrator = await createDataSource(connection, { size: 2, deadlines: false }).initialize();
  opened.push(migrator);
  return migrator;
}

/** Reverts the named migration and all later migrations. */
async function undoTo(name: string): Promise<string[]> {
  const names = MIGRATIONS.map((migration) => migration.name);
  const undone = names.slice(names.indexOf(name));
  for (const _ of undone) await new MigrationExecutor(database.dataSource).undoLastMigration();
  return undone;
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

async function pending(): Promise<string[]> {
  const status = await migrationStatus(database.dataSource);
  return status.filter(({ isApplied }) => !isApplied).map(({ name }) => name);
}

onOneServer('a migration while others use the tables', () => {
  it('gives way to a transaction that holds a lock, prints its process, and is retried', async () => {
    const undone = await undoTo(LOCKS_MANY);
    await other.query('begin; lock table submissions in access share mode');
    const sentences: string[] = [];
    const migrating = migrate(await openMigrator(), (sentence) => sentences.push(sentence));
    await eventually('the second failure', () => sentences.length === 2);
    await other.query('commit');
    expect(await migrating).toEqual(undone);
    expect(await pending()).toEqual([]);
    for (const [index, sentence] of sentences.entries()) {
      const [, age, pause] =
        new RegExp(
          `^Migration ${LOCKS_MANY} was undone: it gave up waiting for a lock on submissions, ` +
            `which process ${otherPid} \\(dump, user \\w+, in a transaction for (\\d+) s\\) held\\. ` +
            `Try ${index + 2} of 30 in ([\\d.]+) s\\.$`,
        ).exec(sentence) ?? [];
      expect(Number(age)).toBeLessThan(60);
      expect(Number(pause)).toBeLessThan(1);
    }
  });

  it('does not abort a transaction that takes the locks in another order', async () => {
    await undoTo(LOCKS_MANY);
    await other.query('begin; lock table submissions in row exclusive mode');
    const sentences: string[] = [];
    const migrating = migrate(await openMigrator(), (sentence) => sentences.push(sentence));
    expect(await waiting()).toMatchObject({ relation: 'submissions' });
    // Checks of foreign keys take this lock. It waits for the migration, and the migration waits for this transaction.
    await other.query('lock table users in row share mode; commit');
    await migrating;
    expect(await pending()).toEqual([]);
    expect(sentences[0]).toContain(`process ${otherPid} (dump`);
  });

  it('is retried after PostgreSQL has aborted it because of a deadlock', async () => {
    await undoTo(LOCKS_MANY);
    // PostgreSQL aborts the transaction that detects the deadlock first: the migration.
    await other.query(`set deadlock_timeout = '1h'; begin; lock table submissions in row exclusive mode`);
    const sentences: string[] = [];
    // The migrator does not change a lock_timeout that the operator has set.
    const migrator = await openMigrator('-c lock_timeout=30s');
    const migrating = migrate(migrator, (sentence) => sentences.push(sentence));
    await waiting();
    await other.query('lock table users in row share mode; commit');
    await migrating;
    expect(await pending()).toEqual([]);
    expect(sentences).toEqual([expect.stringMatching(/ was undone: it was in a deadlock for a lock on /)]);
  });

  it('fails after the last try and says what to do; the migrations before it stay applied', async () => {
    const undone = await undoTo(LOCKS_NOTHING);
    await other.query('begin; lock table submissions in access share mode');
    const error = await migrate(await openMigrator(), undefined, { tries: 2 }).catch(
      (reason: unknown) => reason,
    );
    expect(await pending()).toEqual(undone.slice(1));
    expect(error).toBeInstanceOf(StartError);
    const { message } = error as Error;
    expect(message).toMatch(
      new RegExp(
        `^Migration ${LOCKS_MANY} was tried 2 times in [1-9]\\d* s, and PostgreSQL undid all of it each time: it gave up ` +
          `waiting for a lock on submissions, which process ${otherPid} .* held\\. ` +
          `See what it does: "select state, query from pg_stat_activity where pid = ${otherPid}"\\. ` +
          `Wait until it has ended, or end it: "select pg_terminate_backend\\(${otherPid}\\)"\\. ` +
          'Then run "db migrate" again: it continues where it stopped\\.$',
      ),
    );
    await other.query('commit');
    await migrate(await openMigrator());
    expect(await pending()).toEqual([]);
  });
});

onOneServer('a migration', () => {
  /** The first migration to which this rule applies. */
  const FIRST = 'HiddenValues1797200000000';
  /** Modes that block requests which write. */
  const BLOCKING = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];

  it('blocks requests to one table at most, so that it needs only one lock at a time', async () => {
    const undone = await undoTo(FIRST);
    const runner = (await openMigrator()).createQueryRunner();
    const executor = new MigrationExecutor(runner.dataSource, runner);
    const names: string[] = [];
    for (const migration of await executor.getPendingMigrations()) {
      const tables = await runner.query(`select array_agg(oid) as oids from pg_class where relkind = 'r'`);
      await runner.startTransaction();
      await executor.executeMigration(migration);
      const locked = await runner.query(
        `select distinct relation::regclass::text as name from pg_locks
          where pid = pg_backend_pid() and mode = any ($1) and relation = any ($2)`,
        [BLOCKING, tables[0].oids],
      );
      expect({ name: migration.name, more: locked.slice(1) }).toEqual({ name: migration.name, more: [] });
      await runner.commitTransaction();
      names.push(migration.name);
    }
    await runner.release();
    expect(names).toEqual(undone);
  });

  it('waits for a lock as long as the operator wants', async () => {
    await undoTo(FIRST);
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
    await migrating;
    expect(sentences).toEqual([]);
    expect(await pending()).toEqual([]);
  });
});

onOneServer('the migrations that count what users store (V9)', () => {
  it('count what was stored before, and what other transactions store meanwhile', async () => {
    await undoTo('UserStorage1797300000000');
    const { dataSource } = database;
    const { form } = await buildForm(dataSource, { steps: [{ name: {}, note: {} }] });
    const store = (runner: { query: (sql: string, values: unknown[]) => Promise<unknown> }, field: string) =>
      runner.query(
        `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
         select uuid, fields.form_id, fields.id, false, 'Ada' from submissions join fields using (form_id)
          where form_id = $1 and code = $2`,
        [form.id, field],
      );
    await dataSource.query(
      `with people as (insert into users (email) values ('ada@example.org'), ('bob@example.org') returning id)
       insert into submissions (uuid, form_id, user_id)
       select gen_random_uuid(), $1, id from people, generate_series(1, 2)`,
      [form.id],
    );
    await store(dataSource, 'name');
    const counting = MIGRATIONS.findIndex(({ name }) => name === 'CountUserStorage1797300000005');
    const only = createDataSource(database.connection, { size: 2, deadlines: false });
    only.setOptions({ migrations: MIGRATIONS.slice(0, counting) });
    opened.push(await only.initialize());
    await migrate(only);
    await other.query('begin');
    await store(other, 'note');
    await migrate(await openMigrator());
    await other.query('commit');
    expect(
      await dataSource.query(
        'select sum(text_bytes)::integer as text, formtrail_recount_storage()::integer as wrong from user_storage group by user_id',
      ),
    ).toEqual([
      { text: 12, wrong: 0 },
      { text: 12, wrong: 0 },
    ]);
  });
});

onOneServer('a migration that fails', () => {
  it('for another reason is not retried but named, and the migrations before it stay applied', async () => {
    const [first = '', second = ''] = await undoTo(SECOND_TO_LAST);
    const failing = class {
      readonly name = second;
      up = (runner: { query: (text: string) => Promise<unknown> }) => runner.query('select * from nowhere');
      down = () => Promise.resolve();
    };
    const migrator = createDataSource(database.connection, { size: 2, deadlines: false });
    migrator.setOptions({ migrations: [...MIGRATIONS.slice(0, -1), failing] });
    opened.push(await migrator.initialize());
    const sentences: string[] = [];
    const error = await migrate(migrator, (sentence) => sentences.push(sentence)).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StartError);
    expect((error as Error).message).toBe(
      `Migration ${second} failed, and PostgreSQL undid all of it (relation "nowhere" does not exist). ` +
        'The migrations before it are applied. Remove the cause, then run "db migrate" again.',
    );
    expect(sentences).toEqual([]);
    expect(await pending()).toEqual([second]);
    expect(first).toBe(SECOND_TO_LAST);
  });

  it('because its connection is lost reports that', async () => {
    await undoTo(LOCKS_MANY);
    await other.query('begin; lock table submissions in access share mode');
    const migrating = migrate(await openMigrator('-c lock_timeout=1h')).catch((reason: unknown) => reason);
    const { pid } = await waiting();
    await database.dataSource.query('select pg_terminate_backend($1)', [pid]);
    const error = await migrating;
    expect(error).not.toBeInstanceOf(StartError);
    expect(isConnectionLost(error)).toBe(true);
    await other.query('commit');
    await migrate(await openMigrator());
    expect(await pending()).toEqual([]);
  });
});
