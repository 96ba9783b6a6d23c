import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from 'pg';
import type { Connection } from '../../src/database/connection.js';
import { createDataSource } from '../../src/server/data-source.js';
import { openEmbeddedPostgres } from '../../src/embedded/embedded-postgres.js';
import { migrate } from '../../src/migrations/migrate.js';
import { builtRenderer } from '../browser/support/renderer.js';
import { writeOpenApi } from './openapi-file.js';
import { onWorkers, workersOf } from './citus.js';
import { announceTestServer, asAnotherProgram, type TestServer, withDatabase } from './test-server.js';

declare global {
  var endTestServer: (() => Promise<void>) | undefined;
}

/**
 * Sets up one PostgreSQL server for the whole run: the server of DATABASE_URL, or else an embedded one in a temporary
 * directory. Services count requests in the Redis of REDIS_URL, if it is set.
 */
export async function setUp(): Promise<void> {
  const redisUrl = process.env['REDIS_URL'] || undefined;
  delete process.env['REDIS_URL'];
  const forgetOpenApi = await writeOpenApi();
  const { connection, end } = await openServer();
  const prefix = `formtrail_test_${randomBytes(4).toString('hex')}`;
  const server: TestServer = { connection, prefix, redisUrl, workers: await workersOf(connection) };
  globalThis.endTestServer = async () => {
    await dropDatabases(server);
    await rm(builtRenderer(prefix), { recursive: true, force: true });
    await end();
    await forgetOpenApi();
  };
  announceTestServer(server);
  const template = `${server.prefix}_template`;
  await asAnotherProgram(connection, (client) => client.query(`create database ${template}`));
  const dataSource = createDataSource(withDatabase(connection, template), { size: 2, deadlines: false });
  await dataSource.initialize();
  await migrate(dataSource);
  await dataSource.destroy();
}

async function openServer(): Promise<{ connection: Connection; end: () => Promise<void> }> {
  const url = process.env['DATABASE_URL'];
  // Processes that tests start must not inherit this variable, because they would write to the wrong database.
  delete process.env['DATABASE_URL'];
  if (url !== undefined && url !== '')
    return { connection: { connectionString: url }, end: () => Promise.resolve() };
  const directory = await mkdtemp(path.join(tmpdir(), 'formtrail-test-'));
  const embedded = await openEmbeddedPostgres({ dataDir: directory });
  // The data is deleted after the run, so the server need not write it to disk safely.
  await asAnotherProgram(embedded.connection, async (administrator) => {
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
      await administrator.query(`alter system set ${setting} = off`);
    await administrator.query('select pg_reload_conf()');
  });
  return {
    connection: embedded.connection,
    end: async () => {
      await embedded.release();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function dropDatabases({ connection, prefix, workers }: TestServer): Promise<void> {
  const drop = async (client: Client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where datname like $1',
      [`${prefix}%`],
    );
    for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
  };
  await asAnotherProgram(connection, drop);
  await onWorkers(workers, drop);
}
