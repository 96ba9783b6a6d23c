// The process of the run's PostgreSQL server: the server of DATABASE_URL, or else an embedded one in a temporary folder. A process of its
// own deletes everything even if jest is killed, and jest does not transform the program here.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import pg from 'pg';
import { buildIfNeeded } from '../../scripts/build.mjs';

// Ctrl-C also reaches this process. Jest ends then, and this process afterwards.
process.on('SIGINT', () => undefined);

// Tests use the build. Build here, because here no timeout of a test applies.
await buildIfNeeded();
const { DATABASE_URL: url, REDIS_URL: redisUrl } = process.env;
const folder = await mkdtemp(path.join(tmpdir(), 'formtrail-test-'));
const { connection, release } = url ? { connection: { connectionString: url } } : await openEmbedded();
const prefix = `formtrail_test_${randomBytes(4).toString('hex')}`;
const template = `${prefix}_template`;
const workers = await workersOf();
process.once('disconnect', end);
await onServer(connection, (client) => client.query(`create database ${template}`));
await migrateTemplate();
process.send({ connection, prefix, redisUrl, workers });

async function end() {
  // Deleting the folder of the embedded server deletes its databases, too.
  if (release === undefined) await dropDatabases();
  await release?.();
  await rm(folder, { recursive: true, force: true });
  process.exit();
}

async function openEmbedded() {
  const { openEmbeddedPostgres } = await import('formtrail-embedded-postgres');
  const { connection, release } = await openEmbeddedPostgres({ dataDir: path.join(folder, 'data') });
  // The data is deleted after the run, so the server need neither write it to disk safely nor clean it up.
  await onServer(connection, async (client) => {
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes', 'autovacuum'])
      await client.query(`alter system set ${setting} = off`);
    await client.query('select pg_reload_conf()');
  });
  return { connection, release };
}

async function migrateTemplate() {
  const { createDataSource } = await import('../../dist/src/server/data-source.js');
  const { migrate } = await import('../../dist/src/migrations/migrate.js');
  const dataSource = createDataSource(toTemplate(), { size: 2, deadlines: false });
  await dataSource.initialize();
  await migrate(dataSource);
  await dataSource.destroy();
}

function toTemplate() {
  if (!url) return { ...connection, database: template };
  const address = new URL(url);
  address.pathname = `/${template}`;
  return { connectionString: address.href };
}

/** Returns the URLs of the connection's database on each worker, or none if the server is no Citus coordinator. */
function workersOf() {
  return onServer(connection, async (client) => {
    const { rows: found } = await client.query(`select from pg_extension where extname = 'citus'`);
    if (found.length === 0) return [];
    const { rows } = await client.query(
      'select nodename, nodeport from pg_dist_node where shouldhaveshards order by nodeid',
    );
    return rows.map(({ nodename, nodeport }) => {
      const worker = new URL(url);
      worker.hostname = nodename;
      worker.port = String(nodeport);
      return worker.href;
    });
  });
}

async function dropDatabases() {
  for (const server of [connection, ...workers.map((connectionString) => ({ connectionString }))])
    await onServer(server, async (client) => {
      const { rows } = await client.query('select datname from pg_database where datname like $1', [
        `${prefix}%`,
      ]);
      for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
    });
}

async function onServer(connection, work) {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
