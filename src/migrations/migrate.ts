import {
  type DataSource,
  type EntityManager,
  type Migration,
  MigrationExecutor,
  QueryFailedError,
} from 'typeorm';
import { Environment } from '../config/environment.js';
import { StartError } from '../config/start-error.js';
import { isConnectionLost } from '../database/database-errors.js';
import { retryWhileLocked, type RetryOptions, TRIES } from './retry-while-locked.js';

export interface MigrationStatus {
  readonly name: string;
  readonly isApplied: boolean;
}

/** The first migration of development versions. Seven migrations have replaced it and those after it. */
const BEFORE_BASELINE = 'InitialSchema1795219200000';

/**
 * Returns all migrations of this build, in order. Writes nothing, even if no migration has ever run.
 *
 * @throws StartError if a development version before the first release created the tables
 */
export async function migrationStatus(dataSource: DataSource): Promise<MigrationStatus[]> {
  const [table] = await dataSource.query<{ exists: boolean }[]>(
    `select to_regclass('migrations') is not null as exists`,
  );
  const rows = table?.exists ? await dataSource.query<{ name: string }[]>('select name from migrations') : [];
  const applied = new Set(rows.map(({ name }) => name));
  if (applied.has(BEFORE_BASELINE))
    throw new StartError(
      'An earlier development version created this database, and this version cannot upgrade it. ' +
        'Use an empty database. CHANGELOG.md says how to copy the data with "pg_dump --data-only".',
    );
  return dataSource.migrations.map(({ name: given, constructor }) => {
    const name = given ?? constructor.name;
    return { name, isApplied: applied.has(name) };
  });
}

/**
 * Executes the pending migrations, each in its own transaction, and returns their names. You can call this on many
 * machines at once, and while instances serve requests: a migration that waits for a lock is rolled back and retried.
 * The call needs two connections.
 *
 * @throws StartError if a migration cannot be applied. The migrations before it remain applied. Also like {@link migrationStatus}
 */
export async function migrate(
  dataSource: DataSource,
  onProgress: (sentence: string) => void = () => undefined,
  {
    lockTimeout = new Environment().migrateLockTimeout,
    tries = TRIES,
  }: Partial<Pick<RetryOptions, 'lockTimeout' | 'tries'>> = {},
): Promise<string[]> {
  // The advisory lock ends with its transaction. A session lock could remain on a connection of a pooler.
  return dataSource.transaction(async (manager) => {
    await lockMigrations(manager, onProgress);
    await migrationStatus(dataSource);
    const runner = dataSource.createQueryRunner();
    try {
      const executor = new MigrationExecutor(dataSource, runner);
      const names: string[] = [];
      for (const migration of await executor.getPendingMigrations()) {
        await apply(migration, executor, { runner, watcher: manager, onProgress, tries, lockTimeout });
        names.push(migration.name);
      }
      return names;
    } finally {
      await runner.release();
    }
  });
}

async function lockMigrations(manager: EntityManager, onProgress: (sentence: string) => void): Promise<void> {
  const key = `hashtext('formtrail migrations')`;
  const [attempt] = await manager.query<{ taken: boolean }[]>(
    `select pg_try_advisory_xact_lock(${key}) as taken`,
  );
  if (attempt?.taken) return;
  onProgress('Another process migrates this database. Waiting until it has ended.');
  await manager.query(`select pg_advisory_xact_lock(${key})`);
}

async function apply(
  migration: Migration,
  executor: MigrationExecutor,
  retrying: RetryOptions,
): Promise<void> {
  const { name } = migration;
  try {
    await retryWhileLocked(`Migration ${name}`, retrying, () => executor.executeMigration(migration));
  } catch (error) {
    if (!(error instanceof QueryFailedError) || isConnectionLost(error)) throw error;
    throw new StartError(
      `Migration ${name} failed, and PostgreSQL undid all of it (${error.message}). ` +
        'The migrations before it are applied. Remove the cause, then run "db migrate" again.',
      { cause: error },
    );
  }
}
