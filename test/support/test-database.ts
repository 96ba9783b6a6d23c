import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import type { Connection } from '../../src/database/connection.js';
import { createDataSource } from '../../src/server/data-source.js';
import { distributeDatabase, onWorkers } from './citus.js';
import { asAnotherProgram, testServer, withDatabase } from './test-server.js';

export interface TestDatabase {
  readonly connection: Connection;
  /** The connection as a URL, for child processes. */
  readonly url: string;
  /** Tests use this data source to write forms and read tables. */
  readonly dataSource: DataSource;
  drop(): Promise<void>;
}

/** Creates a migrated database. With `template0`, the database has no tables. */
export async function testDatabase(template = `${testServer().prefix}_template`): Promise<TestDatabase> {
  const { connection: server, prefix, workers } = testServer();
  const name = `${prefix}_${randomBytes(4).toString('hex')}`;
  await asAnotherProgram(server, (client) => client.query(`create database ${name} template ${template}`));
  if (workers.length > 0 && template !== 'template0') await distributeDatabase(server, name, workers);
  const connection = withDatabase(server, name);
  const dataSource = await createDataSource(connection, { size: 4, deadlines: false }).initialize();
  return {
    connection,
    url: urlOf(connection),
    dataSource,
    drop: async () => {
      await dataSource.destroy();
      const dropIt = (client: Client) => client.query(`drop database if exists ${name} with (force)`);
      await asAnotherProgram(server, dropIt);
      await onWorkers(workers, dropIt);
    },
  };
}

function urlOf({ connectionString, host, port, user, password, database }: Connection): string {
  if (connectionString !== undefined) return connectionString;
  const secret = typeof password === 'string' ? `:${encodeURIComponent(password)}` : '';
  return `postgres://${user}${secret}@${encodeURIComponent(host ?? '')}:${port}/${database}`;
}
