import path from 'node:path';
import type { DataSource } from 'typeorm';
import { ChangeListener } from '../database/change-listener.js';
import { ConnectionDrain } from '../http/wire/connection-drain.js';
import { CONNECTION_LOST } from '../process/logging.js';
import { createApp } from './app.js';
import { cannotListen } from './cannot-listen.js';
import { createDataSource, initialize } from './data-source.js';
import { fillNew } from './fill-new.js';
import { Lifecycle } from './health/lifecycle.js';
import { prepareSchema } from './prepare-schema.js';
import type { Program } from './program.js';
import { stopOnSignal } from './stop-on-signal.js';
import { farewell, welcome } from './welcome.js';

/** Starts the server and resolves when it listens. The process ends on SIGTERM or SIGINT. */
export async function serve(program: Program): Promise<void> {
  const { environment, packageRoot, logger, database, startFields, closing } = program;
  const dataSource = await openPool(program);
  closing.unshift(() => dataSource.destroy());
  await prepareSchema(program, dataSource);
  const listener = new ChangeListener(database.direct.connection);
  await listener.start();
  closing.unshift(() => listener.close());
  const openApiFile = path.join(packageRoot, 'dist/openapi.json');
  const app = await createApp({ program, dataSource, listener, openApiFile });
  closing.unshift(() => app.close());
  const connections = new ConnectionDrain(app.getHttpServer());
  await app.init();
  const { port, host } = environment;
  await app.listen(port, host).catch((error: unknown) => cannotListen(error, 'PORT', port, host));
  const url = await app.getUrl();
  stopOnSignal(environment, {
    ...{ logger, closing, http: { lifecycle: app.get(Lifecycle), connections } },
    farewell: environment.production ? undefined : farewell(environment),
  });

  const isEmbedded = environment.databaseUrl === undefined;
  const newToken = isEmbedded ? await fillNew(dataSource, packageRoot) : undefined;
  logger.info({ url, ...startFields }, 'listening');
  if (!environment.production) {
    const started = { url, databaseUrl: isEmbedded ? database.url : undefined, newToken };
    process.stdout.write(await welcome(dataSource, packageRoot, started));
  }
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
