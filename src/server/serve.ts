import path from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { createApp } from './app.js';
import { closeAfter, closeAll } from '../process/close-all.js';
import { type Environment, readEnvironment, StartError } from '../config/environment.js';
import { ChangeListener } from '../database/change-listener.js';
import type { OpenDatabase } from '../database/connection.js';
import { createDataSource, initialize } from './data-source.js';
import { migrate, migrationStatus } from '../migrations/migrate.js';
import { openDatabase } from './open-database.js';
import { seedOnce } from '../forms/definitions/seed.js';
import { Lifecycle } from '../health/lifecycle.js';
import { ConnectionDrain } from '../http/connection-drain.js';
import { CLOSING_FAILED, CONNECTION_LOST, createLogger, standardOutput } from '../process/logging.js';
import { cannotListen, openMetrics } from './open-metrics.js';
import { stopOnSignal } from './stop-on-signal.js';
import type { Tracing } from '../tracing/open-telemetry.js';
import { welcome } from './welcome.js';

/**
 * Starts the server and resolves when it listens; it ends by itself on SIGTERM or SIGINT.
 *
 * @throws StartError when it cannot start and the operator can do something about it
 */
export async function serve(
  variables: NodeJS.ProcessEnv,
  packageRoot: string,
  tracing?: Tracing,
): Promise<void> {
  const environment = readEnvironment(variables, sayToOperator);
  const logger = createLogger(environment, await standardOutput(environment), tracing?.fields);
  tracing?.reportTo(logger);
  endOnFault(logger);
  const database = await openDatabase(environment, sayToOperator);
  const closing = [() => database.release()];
  if (tracing !== undefined) closing.push(tracing.stop);
  try {
    const dataSource = await openPool(environment, database, logger);
    closing.unshift(() => dataSource.destroy());
    await prepareSchema(environment, database, dataSource, logger);
    const listener = new ChangeListener(database.direct.connection);
    await listener.start();
    closing.unshift(() => listener.close());
    const webhooks = await openWebhooks(environment, database, logger, tracing);
    if (webhooks !== undefined) closing.unshift(() => webhooks.close());
    const metrics = await openMetrics(environment, packageRoot);
    // Last, so that a stop can be watched.
    if (metrics !== undefined) closing.push(() => metrics.close());
    const openApiFile = path.join(packageRoot, 'dist/openapi.json');
    const parts = { environment, dataSource, listener, openApiFile };
    if (webhooks !== undefined) metrics?.metrics.watchWebhooks(webhooks);
    const app = await createApp(parts, logger, metrics?.metrics);
    closing.unshift(() => app.close());
    const connections = new ConnectionDrain(app.getHttpServer());
    const url = await listen(app, environment);
    stopOnSignal(environment, { lifecycle: app.get(Lifecycle), connections, closing, logger });

    const isEmbedded = environment.databaseUrl === undefined;
    const newToken = isEmbedded ? await seedOnce(dataSource, packageRoot) : undefined;
    logger.info({ url, metricsUrl: metrics?.url }, 'listening');
    if (!environment.production) {
      const started = { url, databaseUrl: isEmbedded ? database.url : undefined, newToken };
      process.stdout.write(await welcome(dataSource, packageRoot, started));
    }
  } catch (error) {
    for (const second of await closeAll(closing)) logger.error({ err: second }, CLOSING_FAILED);
    throw error;
  }
}

async function prepareSchema(
  { migrateOnStart }: Environment,
  database: OpenDatabase,
  dataSource: DataSource,
  logger: Logger,
): Promise<void> {
  const status = await migrationStatus(dataSource);
  if (status.every(({ isApplied }) => isApplied)) return;
  if (!migrateOnStart) {
    throw new StartError(
      'The schema of the database is behind. Run the command "db migrate", or start with MIGRATE_ON_START=true.',
    );
  }
  // On a pool of its own, because a migration may take longer than any request.
  const migrator = createDataSource(database.direct.connection, { size: 2, deadlines: false });
  await initialize(migrator, database.direct.configuredBy);
  const say = (sentence: string) => logger.warn({ context: 'Database' }, sentence);
  const names = await closeAfter(() => migrate(migrator, say), [() => migrator.destroy()]);
  for (const name of names) logger.info({ migration: name }, 'A migration of the database was executed.');
}

function openPool(environment: Environment, database: OpenDatabase, logger: Logger): Promise<DataSource> {
  const dataSource = createDataSource(database.connection, {
    size: environment.databasePoolSize,
    deadlines: true,
    onConnectionLost: (error) => {
      logger.warn({ context: 'Database', reason: error.message }, CONNECTION_LOST);
    },
  });
  return initialize(dataSource, database.configuredBy);
}

async function listen(app: NestFastifyApplication, { port, host }: Environment): Promise<string> {
  await app.listen(port, host).catch((error: unknown) => cannotListen(error, 'PORT', port, host));
  return app.getUrl();
}

/** Delivering, and what it takes, is loaded only where somebody asks for it. */
async function openWebhooks(
  environment: Environment,
  database: OpenDatabase,
  logger: Logger,
  tracing: Tracing | undefined,
) {
  if (environment.webhooks === 'off') return undefined;
  const { deliverWebhooks } = await import('../webhooks/deliver-webhooks.js');
  return deliverWebhooks(environment, database, logger, tracing);
}

/** What nothing has caught may have left anything half done: it is logged, rejected promises too, and all ends. */
function endOnFault(logger: Logger): void {
  process.once('uncaughtException', (error, origin) => {
    logger.fatal(
      { err: error, origin },
      'The process ends because of a fault that nothing handles. If it began with a new version, go back to the one before.',
    );
    process.exit(1);
  });
}

/** Long steps of a start show that they are under way; standard output is for what the start results in. */
function sayToOperator(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
