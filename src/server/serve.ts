import path from 'node:path';
import type { DataSource } from 'typeorm';
import { ChangeListener } from '../database/change-listener.js';
import { ConnectionDrain } from '../http/wire/connection-drain.js';
import { CONNECTION_LOST } from '../process/logging.js';
import { createApp } from './app.js';
import { cannotListen } from './cannot-listen.js';
import { createDataSource, initialize } from './data-source.js';
import { fillNew, firstToken } from './fill-new.js';
import { Lifecycle } from './health/lifecycle.js';
import { prepareSchema } from './prepare-schema.js';
import type { Program } from './program.js';
import { stopOnSignal } from './stop-on-signal.js';
import { farewell, welcome } from './welcome.js';

/** Starts the server and resolves when it listens. The process ends on SIGTERM or SIGINT. */
export async function serve(program: Program): Promise<void> {
  const { environment, packageRoot, logger, database, startFields, closing, interruption } = program;
  const isEmbedded = environment.databaseUrl === undefined;
  const dataSource = await openPool(program);
  closing.unshift(() => dataSource.destroy());
  await prepareSchema(program, dataSource);
  interruption.throwIfAborted();
  if (isEmbedded) await fillNew(dataSource, packageRoot);
  interruption.throwIfAborted();
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
  interruption.throwIfAborted();
  // Only now, because a start that ends before its welcome would not print the token.
  const newToken = isEmbedded ? await firstToken(dataSource) : undefined;
  const started = { url, databaseUrl: isEmbedded ? database.url : undefined, newToken };
  const greeting = environment.production ? '' : await welcome(dataSource, packageRoot, started);
  logger.info({ url, ...startFields }, 'listening');
  process.stdout.write(greeting);
  stopOnSignal(environment, {
    ...{ logger, closing, interruption, http: { lifecycle: app.get(Lifecycle), connections } },
    farewell: environment.production ? undefined : farewell(environment),
  });
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
