import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { FORM, STORED_FIELDS, STORED_VALUE } from './form.mjs';
import { ROOT } from './root.mjs';

const CLI = path.join(ROOT, 'dist/src/cli.js');
/** Creation time of loaded submissions. Submissions that requests create have later times. */
const LOADED_AT = `'2020-01-01 UTC'::timestamptz`;
/** Loaded drafts are on the second of three steps, with its id, like drafts that the service has moved there. */
const SECOND_STEP = '(select id from steps where step_number = 2)';

/**
 * Returns the PostgreSQL server in BENCH_DATABASE_URL, or an embedded server, which is deleted after the run. The
 * embedded server has the small shared buffers of development unless `sharedBuffers` is set.
 */
export async function openServer(sharedBuffers) {
  const given = process.env.BENCH_DATABASE_URL;
  if (given) return { url: given, close: async () => undefined };
  const { openEmbeddedPostgres } = await import('formtrail-embedded-postgres');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'formtrail-bench-'));
  let embedded = await openEmbeddedPostgres({ dataDir });
  if (sharedBuffers !== undefined) {
    await once(urlOf(embedded), (client) =>
      client.query(`alter system set shared_buffers = '${sharedBuffers}'`),
    );
    await embedded.release();
    embedded = await openEmbeddedPostgres({ dataDir });
  }
  return {
    url: urlOf(embedded),
    close: async () => {
      await embedded.release();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function urlOf({ connection: { host, port, user, password, database } }) {
  const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`;
  return `postgres://${user}${secret}@${encodeURIComponent(host)}:${port}/${database}`;
}

/**
 * Creates a database with the form, a token, and submissions with five values each. Load uses the `drafts`, which are
 * shuffled. Only probes use the five `probes`.
 */
export async function createDatabase(server, submissions) {
  const name = `formtrail_bench_${process.pid}_${submissions}`;
  const url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  await once(server.url, (client) => client.query(`create database ${name}`));
  const drop = () =>
    once(server.url, (client) => client.query(`drop database if exists ${name} with (force)`));
  try {
    const token = await prepare(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return await load(client, submissions).then(
      (loaded) => ({ url, client, token, ...loaded, drop: () => client.end().then(drop) }),
      (error) => client.end().then(() => Promise.reject(error)),
    );
  } catch (error) {
    await drop();
    throw error;
  }
}

async function prepare(url) {
  const directory = await mkdtemp(path.join(tmpdir(), 'formtrail-bench-form-'));
  const file = path.join(directory, 'form.json');
  const cli = async (...args) => {
    const env = { ...process.env, DATABASE_URL: url, NODE_ENV: 'production' };
    return (await promisify(execFile)(process.execPath, [CLI, ...args], { env })).stdout.trim();
  };
  try {
    await writeFile(file, JSON.stringify(FORM));
    await cli('db', 'migrate');
    await cli('forms', 'import', file);
    return await cli('tokens', 'create', '--email', 'bench@example.org');
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function load(client, submissions) {
  // Disable the checks of foreign keys, because they would take most of the time. The generated rows satisfy the keys.
  await client.query(`select set_config('session_replication_role', 'replica', false)
    from pg_roles where rolname = current_user and rolsuper`);
  // Autovacuum must not clean up after an earlier run during a later run. Instead, settle() vacuums between runs.
  await client.query(`alter table submissions set (autovacuum_enabled = false);
    alter table submission_values set (autovacuum_enabled = false)`);
  // Version 7 UUIDs in the order of their time, like the UUIDs that the servers create.
  await client.query(
    `insert into submissions (uuid, form_id, user_id, current_step, step_position, step_id, created_at, updated_at)
     select (lpad(to_hex(1700000000000 + n), 12, '0') || '7' || substr(md5(n::text), 1, 3)
             || '8' || substr(md5(n::text), 4, 15))::uuid, forms.id, users.id, 2, 2, ${SECOND_STEP}, ${LOADED_AT}, ${LOADED_AT}
       from forms, users, generate_series(1, $1::integer) n`,
    [submissions],
  );
  await client.query(
    `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
     select uuid, form_id, fields.id, false, ${STORED_VALUE}
       from (select uuid, form_id, row_number() over (order by uuid) as n from submissions) numbered
       join (select id, row_number() over (order by id) as field from fields) fields on field <= $1`,
    [STORED_FIELDS],
  );
  await client.query('reset session_replication_role');
  // The triggers have not counted the loaded rows.
  await client.query('select formtrail_recount_storage()');
  await client.query('vacuum analyze');
  const uuids = (await client.query('select uuid from submissions order by md5(uuid::text)')).rows.map(
    ({ uuid }) => uuid,
  );
  const fields = (await client.query('select id from fields order by id limit $1', [STORED_FIELDS])).rows;
  return { fieldIds: fields.map(({ id }) => id), probes: uuids.slice(0, 5), drafts: uuids.slice(5) };
}

/**
 * Resets submissions to their loaded state, and flushes pending writes. Texts of values may
 * differ, but not their number.
 */
export async function settle({ client }) {
  await becomeQuiet(client);
  await client.query(`delete from submissions where created_at <> ${LOADED_AT}`);
  await client.query(
    `update submissions set current_step = 2, step_position = 2, step_id = ${SECOND_STEP}
      where (current_step, step_position) is distinct from (2, 2)`,
  );
  await client.query('vacuum analyze submissions');
  await client.query('vacuum analyze submission_values');
  const { rows } = await client.query(
    `select from pg_roles where rolname = current_user and (rolsuper or pg_has_role('pg_checkpoint', 'member'))`,
  );
  if (rows.length > 0) await client.query('checkpoint');
}

/** Waits for the statements of clients that have disconnected, because the servers still execute them. */
async function becomeQuiet(client) {
  for (let quiet = 0; quiet < 5; await sleep(20)) {
    const { rows } = await client.query(`select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`);
    quiet = rows.length === 0 ? quiet + 1 : 0;
  }
}

async function once(connectionString, work) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
