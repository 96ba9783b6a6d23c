import { type DataSource, MigrationExecutor } from 'typeorm';
import { migrate } from '../src/migrations/migrate.js';
import { MIGRATIONS } from '../src/migrations/index.js';
import { createDataSource } from '../src/server/data-source.js';
import { catalog } from './support/catalog.js';
import { buildForm } from './support/forms.js';
import { onOneServer } from './support/it-on-one-server.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';
import { asAnotherProgram } from './support/test-server.js';

let database: TestDatabase;
let dataSource: DataSource;
beforeEach(async () => {
  database = await testDatabase();
  ({ dataSource } = database);
});
afterEach(() => database.drop());

/** Reverts the named migration and all later migrations. Returns their names. */
async function undoTo(name: string): Promise<string[]> {
  const names = MIGRATIONS.map((migration) => migration.name);
  const undone = names.slice(names.indexOf(name));
  for (const _ of undone) await new MigrationExecutor(dataSource).undoLastMigration();
  return undone;
}

onOneServer('the migrations', () => {
  it('restore the schema before them when they are reverted', async () => {
    /** Returns the schema before each migration, newest first. */
    const revert = async () => {
      const schemas: unknown[] = [];
      for (const _migration of MIGRATIONS) {
        await dataSource.undoLastMigration();
        schemas.push(await catalog(dataSource));
      }
      return schemas;
    };
    const schemas = await revert();
    await migrate(dataSource);
    // The functions that older migrations restore have other white space than at first.
    expect(await revert()).toEqual(schemas);
  });

  it('since HiddenValues each block requests to one table at most, so that each needs only one lock at a time', async () => {
    /** Modes that block requests which write. */
    const BLOCKING = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];
    const undone = await undoTo('HiddenValues1797200000000');
    const runner = dataSource.createQueryRunner();
    const executor = new MigrationExecutor(dataSource, runner);
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

  it('count what users stored before, and what other transactions store meanwhile (V9)', async () => {
    await undoTo('UserStorage1797300000000');
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
    await only.initialize();
    await migrate(only);
    await only.destroy();
    await asAnotherProgram(database.connection, async (other) => {
      await other.query('begin');
      await store(other, 'note');
      await migrate(dataSource);
      await other.query('commit');
    });
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
