import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { type Environment, readEnvironment } from '../config/environment.js';
import { StartError } from '../config/start-error.js';
import type { OpenDatabase } from '../database/connection.js';
import { migrate, migrationStatus } from '../migrations/migrate.js';
import { type Close, closeAfter, closeAll } from '../process/close-all.js';
import { CLOSING_FAILED, createLogger, standardOutput } from '../process/logging.js';
import { sayToOperator } from '../process/say-to-operator.js';
import type { Tracing } from '../capabilities/tracing/open-telemetry.js';
import { createDataSource, initialize } from './data-source.js';
import { openDatabase } from './open-database.js';
import { openMetrics } from './open-metrics.js';

/** The resources of every long-running program of the package. */
export interface Program {
  readonly environment: Environment;
  readonly packageRoot: string;
  readonly logger: Logger;
  readonly tracing: Tracing | undefined;
  readonly database: OpenDatabase;
  /** Undefined without METRICS_PORT. */
  readonly metrics: Awaited<ReturnType<typeof openMetrics>>;
  /** Functions that close the open resources, called in this order. Add a new function in front. */
  readonly closing: Close[];
}

/**
 * Opens what every program needs, then runs `run`. If anything fails, closes everything, logs errors of closing, and throws the
 * first error.
 *
 * @throws StartError if the operator can mend the cause
 */
export async function start(
  variables: NodeJS.ProcessEnv,
  packageRoot: string,
  tracing: Tracing | undefined,
  run: (program: Program) => Promise<void>,
): Promise<void> {
  const environment = readEnvironment(variables, sayToOperator);
  const logger = createLogger(environment, await standardOutput(environment), tracing?.fields);
  tracing?.reportTo(logger);
  endOnFault(logger);
  const closing: Close[] = tracing === undefined ? [] : [tracing.stop];
  const work = async () => {
    const metrics = await openMetrics(environment, packageRoot);
    // Close the metrics last, so that they can be read during a stop.
    if (metrics !== undefined) closing.push(() => metrics.close());
    const database = await openDatabase(environment, sayToOperator);
    closing.unshift(() => database.release());
    await run({ environment, packageRoot, logger, tracing, database, metrics, closing });
  };
  try {
    await work();
  } catch (error) {
    for (const second of await closeAll(closing)) logger.error({ err: second }, CLOSING_FAILED);
    throw error;
  }
}

/**
 * Applies pending migrations if MIGRATE_ON_START is set.
 *
 * @param pool an open pool. If it shows that no migrations are pending, no other connection is opened
 * @throws StartError if migrations are pending and MIGRATE_ON_START is not set
 */
export async function prepareSchema(
  { environment, database: { direct }, logger }: Program,
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
        'The schema of the database is behind. Run the command "db migrate", or start with MIGRATE_ON_START=true.',
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

/** Logs an uncaught error or an unhandled rejection, and ends the process, because its state may be inconsistent. */
function endOnFault(logger: Logger): void {
  process.once('uncaughtException', (error, origin) => {
    logger.fatal(
      { err: error, origin },
      'The process ends because of an uncaught error. If this began with a new version, go back to the previous version.',
    );
    process.exit(1);
  });
}
