import type { DataSource } from 'typeorm';
import { StartError } from '../config/start-error.js';
import { migrate, migrationStatus } from '../migrations/migrate.js';
import { closeAfter } from '../process/close-all.js';
import { createDataSource, initialize } from './data-source.js';
import { commandLine } from './command-line.js';
import type { Program } from './program.js';

/**
 * Applies pending migrations if MIGRATE_ON_START is set.
 *
 * @param pool an open pool. If it shows that no migrations are pending, no other connection is opened
 * @throws StartError if migrations are pending and MIGRATE_ON_START is not set
 */
export async function prepareSchema(
  { environment, packageRoot, database: { direct }, logger }: Program,
  pool?: DataSource,
): Promise<void> {
  if (pool !== undefined && (await isCurrent(pool))) return;
  // A separate pool without deadlines, because a migration may take longer than any request.
  const migrator = createDataSource(direct.connection, { size: 2, deadlines: false });
  await initialize(migrator, direct.configuredBy);
  const work = async () => {
    if (await isCurrent(migrator)) return;
    if (!environment.migrateOnStart)
      throw new StartError(
        `The schema of the database is behind. Run "${commandLine(packageRoot)} db migrate", or start with MIGRATE_ON_START=true.`,
      );
    const names = await migrate(migrator, (sentence) => logger.warn({ context: 'Database' }, sentence), {
      lockTimeout: environment.migrateLockTimeout,
    });
    for (const name of names) logger.info({ migration: name }, 'A migration of the database was executed.');
  };
  await closeAfter(work, [() => migrator.destroy()]);
}

async function isCurrent(dataSource: DataSource): Promise<boolean> {
  return (await migrationStatus(dataSource)).every(({ isApplied }) => isApplied);
}
