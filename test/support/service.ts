import { randomBytes } from 'node:crypto';
import { issueToken } from '../../src/auth/issue-token.js';
import type { Connection } from '../../src/database/connection.js';
import { User } from '../../src/entities.js';
import { client, type Client } from './client.js';
import { isOneServer } from './it-on-one-server.js';
import { OPENAPI_FILE } from './openapi-file.js';
import { Rows } from './rows.js';
import { type SentStatement, withoutProbes } from './statements.js';
import { opened, testDatabase, type TestDatabase, useDatabase } from './test-database.js';
import { testServer } from './test-server.js';

/** A built service, in the process that all spec files of a jest worker share (`service-host.mjs`). */
export interface Service {
  readonly url: string;
  /** Sends requests without credentials. */
  readonly anyone: Client;
  /** Whether the service has certainly received every change of a form or a token. */
  isHearing(): Promise<boolean>;
  /** Returns all statements that the service sends during `work`, except the probes of its listener. */
  statementsDuring(work: () => Promise<unknown>): Promise<SentStatement[]>;
  /** Does the due work for files: deletions and scans. Services of tests do not start this work on their own. */
  workOnFiles(): Promise<void>;
  deleteExpiredKeys(): Promise<void>;
  /** Returns the commands that services send to Redis during `work`, except probes. */
  redisCommandsDuring(work: () => Promise<unknown>): Promise<string[]>;
  /** Returns all lines of the log, if the service was started with a `logLevel`. */
  logLines(): Promise<string[]>;
  /** The URL of the metrics, if the service was started with `hasMetrics`. */
  metricsUrl(): Promise<string>;
  failToReadMetrics(): Promise<void>;
  /** Returns the tree of routes that Fastify prints. */
  routes(): Promise<string>;
  /** Counts the open connections of clients. */
  openConnections(): Promise<number>;
  /** Puts the service into the state after SIGTERM, but does not end it. */
  beginToStop(): Promise<void>;
  /** Makes a change of a form, and waits until the service is notified of all changes. */
  hearing(change: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/** Parts of a service under test that a test watches or replaces. */
export interface Watch {
  readonly logLevel?: 'trace' | 'debug' | 'warn';
  readonly hasMetrics?: boolean;
  readonly redisUrl?: string | undefined;
}

async function ask<T>(method: string, parameters: object = {}): Promise<T> {
  const response = await globalThis.worker.askServiceHost({ method, ...parameters });
  const { value, error } = JSON.parse(response) as { value?: T; error?: Error };
  if (error !== undefined) throw Object.assign(new Error(error.message), error);
  return value as T;
}

/** Starts a service in the shared process. The service's pool connects to `pooled`, for example PgBouncer. */
export async function startService(
  database: TestDatabase,
  variables: Record<string, string> = {},
  pooled: Connection = database.connection,
  watch: Watch = {},
): Promise<Service> {
  const parts = { connection: database.connection, pooled, openApiFile: OPENAPI_FILE, ...watch };
  return running(await ask<string>('start', { ...surroundings(variables), ...parts }));
}

function running(url: string): Service {
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
    redisCommandsDuring: async (work) => {
      await ask('recordCommands');
      await work();
      const sent = await ask<string[]>('recordedCommands');
      return sent.filter((command) => !command.includes('probe'));
    },
    logLines: of<string[]>('logLines'),
    metricsUrl: of<string>('metricsUrl'),
    failToReadMetrics: of('failToReadMetrics'),
    routes: of<string>('routes'),
    workOnFiles: of('workOnFiles'),
    deleteExpiredKeys: of('deleteExpiredKeys'),
    openConnections: of<number>('openConnections'),
    beginToStop: of('beginToStop'),
    hearing: async (change) => {
      await change();
      await ask('hear', { url });
    },
    close: of('close'),
  };
}

/** Returns the environment variables and the Redis of a service under test. */
export function surroundings(variables: Record<string, string>) {
  const redisUrl = ownRedisUrl();
  // With Redis, use a limit that rejects no request, so that the tests count requests in Redis.
  const unlimited = redisUrl === undefined ? '0' : '1000000000';
  return {
    variables: {
      DATABASE_URL: 'postgres://unused',
      // Enables the routes of files, except on Citus. Tests that store files set a folder of their own.
      ...(isOneServer && { FILES_URL: 'file:///nonexistent/files' }),
      THROTTLE_LIMIT: unlimited,
      THROTTLE_USER_LIMIT: unlimited,
      RESPONDENT_LIMIT: unlimited,
      ...variables,
    },
    redisUrl,
  };
}

/** Returns the run's Redis with a new key prefix, so that all counters start at zero. */
export function ownRedisUrl(): string | undefined {
  const { redisUrl } = testServer();
  return redisUrl && `${redisUrl}?keyPrefix=${randomBytes(8).toString('hex')}:`;
}

/** Gives one test its own service. */
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

export interface Use {
  database: TestDatabase;
  service: Service;
}

/**
 * Gives the spec file a service and its database. Without variables, all spec files of the jest worker share them: a test reads and
 * changes only the users and the forms that it has created.
 */
export function useService(variables?: Record<string, string>): Use {
  if (variables !== undefined) return useOwnService(variables);
  const use = {} as Use;
  beforeAll(async () => {
    const { shared } = globalThis.worker;
    shared.database ??= await testDatabase();
    use.database = opened(shared.database.connection, shared.database.dataSource);
    shared.url ??= (await startService(use.database)).url;
    use.service = running(shared.url);
  });
  return use;
}

/** Gives the spec file its own database and service, if tests of other files would disturb it or be disturbed. */
export function useOwnService(variables: Record<string, string> = {}, watch: Watch = {}): Use {
  const database = useDatabase();
  return { database, service: useServiceOn({ database }, variables, watch) };
}

/** Gives the spec file one more service, which tests can use, but not the spec file before them. */
export function useServiceOn(
  use: Pick<Use, 'database'>,
  variables: Record<string, string> = {},
  watch: Watch = {},
): Service {
  const service = {} as Service;
  beforeAll(async () => {
    Object.assign(service, await startService(use.database, variables, undefined, watch));
  });
  afterAll(() => service.close());
  return service;
}

/** Creates a user with a token, and a client that sends the token. */
export async function newUser({
  database: { dataSource },
  service,
}: {
  database: TestDatabase;
  service: { readonly url: string };
}) {
  const rows = new Rows(dataSource);
  const id = globalThis.worker.newId();
  rows.add(User, { id, email: `user-${id}@example.org` });
  await rows.write();
  const { plainToken, token } = await issueToken(dataSource, { userId: id });
  return { id, plainToken, token, client: client(service.url, { Authorization: `Bearer ${plainToken}` }) };
}
