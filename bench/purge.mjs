import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from './bench-error.mjs';
import { createDatabase, openServer } from './database.mjs';
import { CONNECTIONS, loadGenerator } from './load.mjs';
import { headersOf, OPERATIONS } from './operations.mjs';
import { median } from './report.mjs';
import { ROOT } from './root.mjs';
import { startService } from './servers.mjs';
import { surroundings } from './surroundings.mjs';

const CLI = path.join(ROOT, 'dist/src/cli.js');
/** Few connections leave the machine idle time, many leave none. */
const LOADS = [2, CONNECTIONS];
const MEASURED = ['read', 'values'];

/** A copy of the form, whose drafts are due. */
const COPY_FORM = `
  with copied as (
    insert into forms (name, slug, keep_drafts_days) select name, 'due', 30 from forms returning id
  ), step as (
    insert into steps (form_id, step_number, title) select id, 1, 'Due' from copied returning id, form_id
  )
  insert into fields (form_id, step_id, field_type_id, code, label)
  select step.form_id, step.id, field_types.id, 'field_' || n, 'Field'
    from step, generate_series(1, 5) n, field_types where field_types.name = 'text'`;

const COPY_SUBMISSIONS = `
  with added as (
    insert into submissions (uuid, form_id, user_id, value_count, created_at, updated_at)
    select gen_random_uuid(), forms.id, users.id, 5, now() - interval '60 days', now() - interval '60 days'
      from forms, users, generate_series(1, $1::integer) where slug = 'due' returning uuid, form_id
  )
  insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
  select uuid, form_id, fields.id, false, 'A value of twenty chars' from added join fields using (form_id)`;

/** Compares requests while "submissions purge --due" runs with requests while it does not, in turns. */
export async function bench(options, { say, closing }) {
  const { short, seconds, pairs } = options;
  const load = await loadGenerator();
  const server = await openServer();
  closing.push(server.close);
  const submissions = short ? 2_000 : 100_000;
  say(`Loading ${submissions} submissions`);
  const database = await createDatabase(server, submissions);
  closing.push(database.drop);
  const { client } = database;
  await client.query(COPY_FORM);
  const service = await startService(database);
  closing.push(service.stop);

  const results = [];
  for (const operation of MEASURED)
    for (const connections of LOADS) {
      const requests = OPERATIONS[operation].load(database);
      const drive = (headers) => load.run(service.url, headers, requests, seconds, connections);
      const headers = headersOf(database, requests.body !== '');
      await drive(headers);
      const runs = { alone: [], purge: [] };
      for (let turn = 0; turn < pairs; turn += 1) {
        await fill(client, short ? 1_000 : seconds * 6_000);
        runs.alone.push(await drive(headers));
        const purge = await startPurge(database);
        const driven = await drive(headers);
        const deleted = await purge.stop();
        runs.purge.push({ ...driven, deleted: deleted / driven.seconds });
      }
      const ratio = (figure) => runs.purge.map((run, turn) => run[figure] / runs.alone[turn][figure]);
      results.push({ operation, connections, runs, p50: ratio('p50'), p99: ratio('p99') });
      say(`${operation} on ${connections}: p50 × ${shown(ratio('p50'))}, p99 × ${shown(ratio('p99'))}`);
    }
  return {
    surroundings: await surroundings(client, load, options),
    results,
    tables: [
      [
        [
          'requests',
          'connections',
          'p50, with purge / alone',
          'p99, with purge / alone',
          'deleted per second',
        ],
        ...results.map(({ operation, connections, runs, p50, p99 }) => [
          ...[operation, String(connections), shown(p50), shown(p99)],
          String(Math.round(median(runs.purge.map(({ deleted }) => deleted)))),
        ]),
      ],
    ],
  };
}

const shown = (ratios) =>
  `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;

/** Fills the form that is due up to this number of submissions. */
async function fill(client, count) {
  const [{ left }] = (
    await client.query(
      `select count(*)::integer as left from submissions join forms on forms.id = form_id where slug = 'due'`,
    )
  ).rows;
  if (left < count) await client.query(COPY_SUBMISSIONS, [count - left]);
  await client.query('vacuum analyze submissions');
  await client.query('vacuum analyze submission_values');
  await client.query('checkpoint');
}

/** Starts a purge, and resolves when it has deleted something. `stop` returns the number that it deleted since. */
async function startPurge({ url, client }) {
  const env = { ...process.env, DATABASE_URL: url, NODE_ENV: 'production' };
  const child = spawn(process.execPath, [CLI, 'submissions', 'purge', '--due'], { env, stdio: 'ignore' });
  const ended = once(child, 'close');
  const count = async () =>
    Number((await client.query('select count(*) as count from erasures')).rows[0].count);
  const before = await count();
  while ((await count()) === before) {
    if (child.exitCode !== null) throw new BenchError(`The purge ended with status ${child.exitCode}.`);
    await sleep(5);
  }
  const begun = await count();
  return {
    async stop() {
      const deleted = (await count()) - begun;
      child.kill('SIGINT');
      await ended;
      return deleted;
    },
  };
}
