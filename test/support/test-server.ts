import pg from 'pg';
import type { Connection } from '../../src/database/connection.js';

/** The server that the whole run uses and the template that every test file's database is cloned from. */
export interface TestServer {
  readonly connection: Connection;
  /** Begins the name of every database of this run, so that the tear-down finds them all. */
  readonly prefix: string;
  /** Where the run's services count requests, if anywhere but in themselves. */
  readonly redisUrl: string | undefined;
  /** Where the server is a coordinator of Citus: the URLs of its workers, over which every database is distributed. */
  readonly workers: readonly string[];
}

const VARIABLE = 'FORMTRAIL_TEST_SERVER';

export function announceTestServer(server: TestServer): void {
  process.env[VARIABLE] = JSON.stringify(server);
}

export function testServer(): TestServer {
  return JSON.parse(process.env[VARIABLE] ?? '') as TestServer;
}

export function withDatabase(connection: Connection, database: string): Connection {
  if (connection.connectionString === undefined) return { ...connection, database };
  const url = new URL(connection.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}

/** As a program whose connection has nothing to do with the service's: an administrator, or the panel. */
export async function asAnotherProgram<T>(
  connection: Connection,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
