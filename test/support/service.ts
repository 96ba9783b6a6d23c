import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger, pino } from 'pino';
import { createApp } from '../../src/app.js';
import { issueToken } from '../../src/auth/issue-token.js';
import { Environment, readEnvironment } from '../../src/config/environment.js';
import { ChangeListener } from '../../src/database/change-listener.js';
import { type Connection, createDataSource } from '../../src/database/data-source.js';
import { User } from '../../src/entities.js';
import { FileWorkService } from '../../src/files/file-work.service.js';
import { ConnectionDrain } from '../../src/http/connection-drain.js';
import type { Metrics } from '../../src/metrics/metrics.js';
import { client, type Client } from './client.js';
import { isOneServer } from './it-on-one-server.js';
import { openApiFile } from './openapi-file.js';
import { testDatabase, type TestDatabase } from './test-database.js';
import { testServer } from './test-server.js';

export interface Service {
  readonly url: string;
  readonly app: NestFastifyApplication;
  readonly listener: ChangeListener;
  /** Requests without credentials. */
  readonly anyone: Client;
  close(): Promise<void>;
}

export async function startService(
  database: TestDatabase,
  variables: Record<string, string> = {},
  overrides: Partial<Environment> = {},
  logger: Logger = pino({ level: 'silent' }),
  pooled: Connection = database.connection,
  metrics?: Metrics,
): Promise<Service> {
  const redisUrl = ownRedisUrl();
  // Where there is a Redis, requests are counted even where none is refused.
  const unlimited = redisUrl === undefined ? '0' : '1000000000';
  const environment = Object.assign(
    new Environment(),
    readEnvironment({
      DATABASE_URL: 'postgres://unused',
      // All routes are there, where there can be files. Those who store some name a folder of their own.
      ...(isOneServer && { FILES_URL: 'file:///nonexistent/files' }),
      THROTTLE_LIMIT: unlimited,
      THROTTLE_USER_LIMIT: unlimited,
      ...variables,
    }),
    { redisUrl },
    overrides,
  );
  const dataSource = await createDataSource(pooled, {
    size: environment.databasePoolSize,
    deadlines: true,
  }).initialize();
  const listener = new ChangeListener(database.connection);
  await listener.start();
  const parts = { environment, dataSource, listener, openApiFile: openApiFile() };
  const app = await createApp(parts, logger, metrics);
  // Tests say when the work for files is done.
  if (environment.filesUrl !== undefined) await app.get(FileWorkService).onModuleDestroy();
  const connections = new ConnectionDrain(app.getHttpServer());
  await app.listen(0, '127.0.0.1');
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
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

/** The run's Redis, with keys that begin with a prefix of their own: whoever uses it has counted nothing yet. */
export function ownRedisUrl(): string | undefined {
  const { redisUrl } = testServer();
  return redisUrl && `${redisUrl}?keyPrefix=${randomBytes(8).toString('hex')}:`;
}

/** A service of its own for one test. */
export async function withServiceOn(
  database: TestDatabase,
  variables: Record<string, string>,
  test: (service: Service) => Promise<void>,
): Promise<void> {
  const service = await startService(database, variables);
  try {
    await test(service);
  } finally {
    await service.close();
  }
}

/** A database and a service on it for the whole test file. */
export function useService(variables: Record<string, string> = {}) {
  const use = {} as { database: TestDatabase; service: Service };
  beforeAll(async () => {
    use.database = await testDatabase();
    use.service = await startService(use.database, variables);
  });
  afterAll(async () => {
    await use.service.close();
    await use.database.drop();
  });
  return use;
}

/** Changes a form, and waits until the service has heard of it: that takes milliseconds (F9), and more under load. */
export async function changeForm(service: Service, change: () => Promise<unknown>): Promise<void> {
  const heard = once(service.listener, 'form');
  await change();
  await heard;
}

let users = 0;

/** A new user with a token, and a client that sends it. */
export async function newUser({ database, service }: { database: TestDatabase; service: Service }) {
  users += 1;
  const { manager } = database.dataSource;
  const user = await manager.save(manager.create(User, { email: `user-${users}@example.org` }));
  const { plainToken, token } = await issueToken(manager, { userId: user.id });
  return {
    id: user.id,
    plainToken,
    token,
    client: client(service.url, { Authorization: `Bearer ${plainToken}` }),
  };
}
