import { type DataSource, MigrationExecutor } from 'typeorm';
import { MIGRATIONS } from '../src/schema.js';
import { onOneServer } from './support/it-on-one-server.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';

let database: TestDatabase;
let dataSource: DataSource;
beforeEach(async () => {
  database = await testDatabase();
  ({ dataSource } = database);
});
afterEach(() => database.close());

onOneServer('the migrations', () => {
  it('after the first seven each block requests to one table at most, so that each needs only one lock at a time', async () => {
    /** Modes that block requests which write. */
    const BLOCKING = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];
    const undone = MIGRATIONS.slice(7).map(({ name }) => name);
    const runner = dataSource.createQueryRunner();
    const executor = new MigrationExecutor(dataSource, runner);
    for (const _migration of undone) await executor.undoLastMigration();
    const names: string[] = [];
    // Nobody uses a new table before all migrations are executed.
    const tables = await runner.query(`select array_agg(oid) as oids from pg_class where relkind = 'r'`);
    for (const migration of await executor.getPendingMigrations()) {
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
});
