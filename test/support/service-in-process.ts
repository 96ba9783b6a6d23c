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
import { openApiFile } from './openapi-file.js';
import { surroundings } from './service.js';
import { testDatabase, type TestDatabase } from './test-database.js';

/** A service of the sources, in the test's own process: for tests that look inside it. */
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
  /** Where its pool connects to, where that is not the database itself. */
  readonly pooled?: Connection;
  readonly metrics?: Metrics;
}

/** Loads the whole program, which takes the time of many tests: without need of what is inside, `startService()` does. */
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
  const app = await createApp({ environment, dataSource, listener, openApiFile: openApiFile() }, logger, {
    metrics,
  });
  // Tests say when the work for files is done.
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
      // A browser opens connections that it may never use.
      await connections.end(0);
      await app.close();
      await listener.close();
      await dataSource.destroy();
    },
  };
}

/** A database and a service on it for the whole test file. */
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
