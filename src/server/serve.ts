import path from 'node:path';
import type { DataSource } from 'typeorm';
import { ChangeListener } from '../database/change-listener.js';
import { seedOnce } from '../capabilities/definitions/seed.js';
import { Lifecycle } from './health/lifecycle.js';
import { ConnectionDrain } from '../http/wire/connection-drain.js';
import { CONNECTION_LOST } from '../process/logging.js';
import type { Tracing } from '../capabilities/tracing/open-telemetry.js';
import type { Webhooks } from '../capabilities/webhooks/webhooks.service.js';
import { createApp } from './app.js';
import { createDataSource, initialize } from './data-source.js';
import { cannotListen } from './open-metrics.js';
import { prepareSchema, type Program, start } from './start.js';
import { stopOnSignal } from './stop-on-signal.js';
import { welcome } from './welcome.js';

/**
 * Starts the server and resolves when it listens. The process ends on SIGTERM or SIGINT.
 *
 * @throws StartError if the operator can mend the cause
 */
export function serve(variables: NodeJS.ProcessEnv, packageRoot: string, tracing?: Tracing): Promise<void> {
  return start(variables, packageRoot, tracing, async (program) => {
    const { environment, logger, database, metrics, closing } = program;
    const dataSource = await openPool(program);
    closing.unshift(() => dataSource.destroy());
    await prepareSchema(program, dataSource);
    const listener = new ChangeListener(database.direct.connection);
    await listener.start();
    closing.unshift(() => listener.close());
    const webhooks = await openWebhooks(program);
    const openApiFile = path.join(packageRoot, 'dist/openapi.json');
    const app = await createApp({ environment, dataSource, listener, openApiFile }, logger, {
      metrics: metrics?.metrics,
      webhooks,
    });
    closing.unshift(() => app.close());
    const connections = new ConnectionDrain(app.getHttpServer());
    await app.init();
    const { port, host } = environment;
    await app.listen(port, host).catch((error: unknown) => cannotListen(error, 'PORT', port, host));
    const url = await app.getUrl();
    stopOnSignal(environment, { ...program, http: { lifecycle: app.get(Lifecycle), connections } });

    const isEmbedded = environment.databaseUrl === undefined;
    const newToken = isEmbedded ? await seedOnce(dataSource, packageRoot) : undefined;
    logger.info({ url, metricsUrl: metrics?.url }, 'listening');
    if (!environment.production) {
      const started = { url, databaseUrl: isEmbedded ? database.url : undefined, newToken };
      process.stdout.write(await welcome(dataSource, packageRoot, started));
    }
  });
}

/** Loads the delivery of webhooks only if WEBHOOKS is not `off`. */
async function openWebhooks(program: Program): Promise<Webhooks | undefined> {
  if (program.environment.webhooks === 'off') return undefined;
  const { Webhooks } = await import('../capabilities/webhooks/webhooks.service.js');
  const webhooks = await Webhooks.of(program);
  program.metrics?.metrics.watchWebhooks(webhooks);
  return webhooks;
}

function openPool({ environment, database, logger }: Program): Promise<DataSource> {
  const dataSource = createDataSource(database.connection, {
    size: environment.databasePoolSize,
    deadlines: true,
    onConnectionLost: (error) => {
      logger.warn({ context: 'Database', reason: error.message }, CONNECTION_LOST);
    },
  });
  return initialize(dataSource, database.configuredBy);
}
