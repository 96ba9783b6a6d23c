import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { Connection } from '../../src/database/connection.js';
import { createDataSource } from '../../src/server/data-source.js';
import { distributeDatabase } from './citus.js';
import { asAnotherProgram, testServer, withDatabase } from './test-server.js';

export interface TestDatabase {
  readonly connection: Connection;
  /** The connection as a URL, for child processes. */
  readonly url: string;
  /** Tests use this data source to write forms and read tables. */
  readonly dataSource: DataSource;
  close(): Promise<void>;
}

/** Creates a migrated database. With `template0`, the database has no tables. */
export async function testDatabase(template = `${testServer().prefix}_template`): Promise<TestDatabase> {
  const { connection: server, prefix, workers } = testServer();
  const name = `${prefix}_${randomBytes(4).toString('hex')}`;
  await asAnotherProgram(server, async (client) => {
    await client.query(`create database ${name} template ${template}`);
    // The run deletes the data, so the server need not wait for its disk.
    await client.query(`alter database ${name} set synchronous_commit = off`);
  });
  if (workers.length > 0 && template !== 'template0') await distributeDatabase(server, name, workers);
  const connection = withDatabase(server, name);
  const { options } = createDataSource(connection, { size: 4, deadlines: false });
  // The worker may end while the data source of `useService()` is still connected.
  const extra = { ...(options.extra as object), allowExitOnIdle: true };
  return opened(connection, await new DataSource({ ...options, extra }).initialize());
}

/** Gives the spec file a database of its own, which tests can use, but not the spec file before them. */
export function useDatabase(): TestDatabase {
  const database = {} as TestDatabase;
  beforeAll(async () => {
    Object.assign(database, await testDatabase());
  });
  afterAll(() => database.close());
  return database;
}

/** Returns the database of an open data source. The run drops all databases at its end, because each removal is a checkpoint. */
export function opened(connection: Connection, dataSource: DataSource): TestDatabase {
  return { connection, url: urlOf(connection), dataSource, close: () => dataSource.destroy() };
}

function urlOf({ connectionString, host, port, user, password, database }: Connection): string {
  if (connectionString !== undefined) return connectionString;
  const secret = typeof password === 'string' ? `:${encodeURIComponent(password)}` : '';
  return `postgres://${user}${secret}@${encodeURIComponent(host ?? '')}:${port}/${database}`;
}
