import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger, pino } from 'pino';
import { createApp } from '../../src/server/app.js';
import { Environment, readEnvironment } from '../../src/config/environment.js';
import { ChangeListener } from '../../src/database/change-listener.js';
import type { Connection } from '../../src/database/connection.js';
import { createDataSource } from '../../src/server/data-source.js';
import { FileWorkService } from '../../src/files/file-work.service.js';
import { ConnectionDrain } from '../../src/http/wire/connection-drain.js';
import type { Metrics } from '../../src/metrics/metrics.js';
import { client, type Client } from './client.js';
import { OPENAPI_FILE } from './openapi-file.js';
import { surroundings } from './service.js';
import { testDatabase, type TestDatabase } from './test-database.js';

/** A service that runs from the sources in the test's own process, for tests that inspect its internals. */
export interface ServiceInProcess {
  readonly url: string;
  readonly app: NestFastifyApplication;
  readonly listener: ChangeListener;
  readonly anyone: Client;
  close(): Promise<void>;
}

interface Parts {
  readonly redisUrl?: string | undefined;
  readonly logger?: Logger;
  /** The target of the pool's connections, for example PgBouncer. The default is the database itself. */
  readonly pooled?: Connection;
  readonly metrics?: Metrics;
}

/** Loads the whole program, which takes as long as many tests. Use `startService()` unless you need the internals. */
export async function startServiceInProcess(
  database: TestDatabase,
  variables: Record<string, string> = {},
  parts: Parts = {},
): Promise<ServiceInProcess> {
  const { connection } = database;
  const { logger = pino({ level: 'silent' }), pooled = connection, metrics } = parts;
  const { variables: all, redisUrl } = { ...surroundings(variables), ...parts };
  const environment = Object.assign(new Environment(), readEnvironment(all), { redisUrl });
  const dataSource = await createDataSource(pooled, {
    size: environment.databasePoolSize,
    deadlines: true,
  }).initialize();
  const listener = new ChangeListener(connection);
  await listener.start();
  const app = await createApp({ environment, dataSource, listener, openApiFile: OPENAPI_FILE }, logger, {
    metrics,
  });
  // Tests start the background work for files themselves.
  if (environment.filesUrl !== undefined) await app.get(FileWorkService).onModuleDestroy();
  const connections = new ConnectionDrain(app.getHttpServer());
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    url,
    app,
    listener,
    anyone: client(url),
    close: async () => {
      // Browsers open connections that they may never use. Close them, so that the service can stop.
      await connections.end(0);
      await app.close();
      await listener.close();
      await dataSource.destroy();
    },
  };
}

/** Gives the whole spec file its own database and service. */
export function useServiceInProcess() {
  const use = {} as { database: TestDatabase; service: ServiceInProcess };
  beforeAll(async () => {
    use.database = await testDatabase();
    use.service = await startServiceInProcess(use.database);
  });
  afterAll(async () => {
    await use.service.close();
    await use.database.drop();
  });
  return use;
}
