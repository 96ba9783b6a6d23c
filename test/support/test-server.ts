import pg from 'pg';
import type { Connection } from '../../src/database/connection.js';

/** The PostgreSQL server of the whole run. */
export interface TestServer {
  readonly connection: Connection;
  /** Prefix of the names of this run's databases, by which the teardown finds them. */
  readonly prefix: string;
  /** The Redis in which the run's services count requests, or undefined if each service counts its own requests. */
  readonly redisUrl: string | undefined;
  /** URLs of the workers over which every database is distributed, if the server is a Citus coordinator. */
  readonly workers: readonly string[];
}

/** The global setup has set the variable (`global-setup.mjs`). */
export function testServer(): TestServer {
  return JSON.parse(process.env['FORMTRAIL_TEST_SERVER'] ?? '') as TestServer;
}

export function withDatabase(connection: Connection, database: string): Connection {
  if (connection.connectionString === undefined) return { ...connection, database };
  const url = new URL(connection.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}

/** Runs `work` on a separate connection, as an administrator or the administration panel would. */
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
