import { randomBytes } from 'node:crypto';
import { issueToken } from '../../src/auth/issue-token.js';
import type { Connection } from '../../src/database/connection.js';
import { User } from '../../src/entities.js';
import { client, type Client } from './client.js';
import { isOneServer } from './it-on-one-server.js';
import { openApiFile } from './openapi-file.js';
import { type SentStatement, withoutProbes } from './statements.js';
import { testDatabase, type TestDatabase } from './test-database.js';
import { testServer } from './test-server.js';

/** A service of the build, in the process that all spec files of a worker share (`service-host.mjs`). */
export interface Service {
  readonly url: string;
  /** Requests without credentials. */
  readonly anyone: Client;
  /** Whether it can have missed no change of a form or a token. */
  isHearing(): Promise<boolean>;
  /** All statements that it sends while `work` goes on, but for the probes of its listener. */
  statementsDuring(work: () => Promise<unknown>): Promise<SentStatement[]>;
  /** Does the work for files that is due; a service of tests does none by itself. */
  workOnFiles(): Promise<void>;
  deleteExpiredKeys(): Promise<void>;
  /** Connections that clients have to it. */
  openConnections(): Promise<number>;
  /** As if its process had been sent SIGTERM; it goes on. */
  beginToStop(): Promise<void>;
  /** Makes a change of a form, and waits until the service has heard of it: milliseconds (F9), and more under load. */
  hearing(change: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

declare global {
  // Of environment.cjs.
  var askServiceHost: (request: { method: string; url?: string } & object) => Promise<string>;
}

async function ask<T>(method: string, parameters: object = {}): Promise<T> {
  const response = await globalThis.askServiceHost({ method, ...parameters });
  const { value, error } = JSON.parse(response) as { value?: T; error?: Error };
  if (error !== undefined) throw Object.assign(new Error(error.message), error);
  return value as T;
}

/** `pooled` is where its pool connects to, where that is not the database itself. */
export async function startService(
  database: TestDatabase,
  variables: Record<string, string> = {},
  pooled: Connection = database.connection,
): Promise<Service> {
  const url = await ask<string>('start', {
    ...surroundings(variables),
    connection: database.connection,
    pooled,
    openApiFile: openApiFile(),
  });
  const of =
    <T = void>(method: string) =>
    () =>
      ask<T>(method, { url });
  return {
    url,
    anyone: client(url),
    isHearing: of<boolean>('isHearing'),
    statementsDuring: async (work) => {
      await ask('recordStatements');
      try {
        await work();
      } catch (error) {
        await ask('recordedStatements');
        throw error;
      }
      return withoutProbes(await ask('recordedStatements'));
    },
    workOnFiles: of('workOnFiles'),
    deleteExpiredKeys: of('deleteExpiredKeys'),
    openConnections: of<number>('openConnections'),
    beginToStop: of('beginToStop'),
    hearing: async (change) => {
      await ask('beginToHear', { url });
      await change();
      await ask('hear', { url });
    },
    close: of('close'),
  };
}

/** What a service of tests finds where an operator sets variables, and what it does besides. */
export function surroundings(variables: Record<string, string>) {
  const redisUrl = ownRedisUrl();
  // Where there is a Redis, requests are counted even where none is refused.
  const unlimited = redisUrl === undefined ? '0' : '1000000000';
  return {
    variables: {
      DATABASE_URL: 'postgres://unused',
      // All routes are there, where there can be files. Those who store some name a folder of their own.
      ...(isOneServer && { FILES_URL: 'file:///nonexistent/files' }),
      THROTTLE_LIMIT: unlimited,
      THROTTLE_USER_LIMIT: unlimited,
      ...variables,
    },
    redisUrl,
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

let users = 0;

/** A new user with a token, and a client that sends it. */
export async function newUser({
  database,
  service,
}: {
  database: TestDatabase;
  service: { readonly url: string };
}) {
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
