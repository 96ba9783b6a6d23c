import { once } from 'node:events';
import { closeAfter } from '../process/close-all.js';
import { readEnvironment, StartError } from '../config/environment.js';
import type { OpenDatabase } from '../database/connection.js';
import { createDataSource, initialize } from './data-source.js';
import { migrationStatus } from '../migrations/migrate.js';
import { openDatabase } from './open-database.js';
import { CLOSING_FAILED, createLogger, standardOutput } from '../process/logging.js';
import { openMetrics } from './open-metrics.js';
import type { Tracing } from '../tracing/open-telemetry.js';
import { deliverWebhooks } from '../webhooks/deliver-webhooks.js';

/**
 * Delivers webhooks, and nothing else, until SIGTERM or SIGINT.
 *
 * @throws StartError when it cannot start and the operator can do something about it
 */
export async function deliver(
  variables: NodeJS.ProcessEnv,
  packageRoot: string,
  tracing: Tracing | undefined,
): Promise<void> {
  const environment = readEnvironment(variables, (sentence) => process.stderr.write(`${sentence}\n`));
  const signal = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  const logger = createLogger(environment, await standardOutput(environment), tracing?.fields);
  tracing?.reportTo(logger);
  const database = await openDatabase(environment, (sentence) => process.stderr.write(`${sentence}\n`));
  const closing = [() => database.release(), ...(tracing ? [tracing.stop] : [])];
  const work = async () => {
    await ensureSchema(database);
    const webhooks = await deliverWebhooks(environment, database, logger, tracing);
    closing.unshift(() => webhooks.close());
    const metrics = await openMetrics(environment, packageRoot);
    if (metrics !== undefined) {
      metrics.metrics.watchWebhooks(webhooks);
      metrics.metrics.watchOutbox(webhooks.outbox);
      closing.push(() => metrics.close());
    }
    logger.info({ metricsUrl: metrics?.url }, 'delivering webhooks');
    await signal;
    logger.info('stopping');
  };
  await closeAfter(work, closing, (error) => logger.error({ err: error }, CLOSING_FAILED));
}

async function ensureSchema({ direct }: OpenDatabase): Promise<void> {
  const dataSource = createDataSource(direct.connection, { size: 1, deadlines: false });
  await initialize(dataSource, direct.configuredBy);
  const status = await closeAfter(() => migrationStatus(dataSource), [() => dataSource.destroy()]);
  if (status.every(({ isApplied }) => isApplied)) return;
  throw new StartError('The schema of the database is behind. Run the command "db migrate" first.');
}
