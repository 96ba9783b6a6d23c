import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { BenchError } from './bench-error.mjs';
import { createDatabase, openServer, settle } from './database.mjs';
import { FORM } from './form.mjs';
import { CONNECTIONS, loadGenerator } from './load.mjs';
import { headersOf, OPERATIONS } from './operations.mjs';
import { median } from './report.mjs';
import { ROOT } from './root.mjs';
import { startService } from './servers.mjs';
import { surroundings } from './surroundings.mjs';

const LOADED_AT = `'2020-01-01 UTC'::timestamptz`;
const LOAD_RESPONDENTS = `
  with new_users as (
    insert into users (created_at) select ${LOADED_AT} from generate_series(1, $1) returning id
  ), new_respondents as (
    insert into respondents (user_id, form_id, created_at)
    select new_users.id, forms.id, ${LOADED_AT} from new_users, forms
  )
  insert into api_tokens (user_id, token_hash, expires_at, is_renewable)
  select id, sha256(id::text::bytea), 'infinity', true from new_users`;

/**
 * Compares two ways to begin a form on one service, in turns: a user creates a submission, or a visitor becomes a
 * respondent and creates a submission. Both count as one.
 */
export async function bench(options, { say, closing }) {
  const load = await loadGenerator();
  if (!load.name.startsWith('wrk'))
    throw new BenchError('Only wrk can send the token of a response. Install wrk.');
  const server = await openServer();
  closing.push(server.close);
  const submissions = options.short ? 2_000 : 100_000;
  say(`Loading ${submissions} submissions`);
  const database = await createDatabase(server, submissions);
  closing.push(database.drop);
  await database.client.query(`update forms set access = 'public'`);
  // Without other respondents, PostgreSQL would plan the checks of foreign keys for an empty table, and read all of it.
  await database.client.query(LOAD_RESPONDENTS, [submissions]);
  const service = await startService(database, 'formtrail', { RESPONDENT_LIMIT: '0' });
  closing.push(service.stop);

  const ways = {
    'create, by a user': (seconds) =>
      load.run(service.url, headersOf(database, true), OPERATIONS.create.load(), seconds, CONNECTIONS),
    'begin, by a visitor': async (seconds) => {
      const { requests, ...measured } = await beginAll(service.url, seconds);
      return { ...measured, requests: requests / 2 };
    },
  };
  for (const drive of Object.values(ways)) await drive(Math.min(5, options.seconds));
  const runs = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let pair = 0; pair < options.pairs; pair += 1) {
    for (const [name, drive] of Object.entries(ways)) {
      const rate = await turn(database, name, () => drive(options.seconds));
      say(`${name}: ${Math.round(rate)} a second`);
      runs[name].push(rate);
    }
  }
  const [create, begin] = Object.values(runs);
  const ratios = begin.map((rate, index) => rate / create[index]);
  const spread = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(2));
  return {
    surroundings: await surroundings(database.client, load, options),
    results: { runs, ratios },
    tables: [
      [
        ['', 'begun a second', 'begin / create'],
        ...Object.entries(runs).map(([name, rates], index) => [
          name,
          Math.round(median(rates)).toLocaleString('en'),
          index === 0 ? '' : `${spread[0]} (${spread[1]} to ${spread[2]})`,
        ]),
      ],
    ],
  };
}

/** Returns the number of drafts begun a second. Fails unless the table has as many new drafts as were counted. */
async function turn(database, name, drive) {
  const { client } = database;
  await settle(database);
  await client.query(`delete from respondents where created_at > ${LOADED_AT}`);
  for (const table of ['users', 'respondents', 'api_tokens']) await client.query(`vacuum analyze ${table}`);
  const count = async () =>
    (await client.query('select count(*)::integer as found from submissions')).rows[0].found;
  const before = await count();
  const { requests, seconds, non2xx } = await drive();
  if (non2xx > 0) throw new BenchError(`${non2xx} responses to "${name}" were not 2xx.`);
  const written = (await count()) - before;
  if (Math.abs(written - requests) > CONNECTIONS)
    throw new BenchError(`"${name}" has begun ${written} drafts, not ${requests}.`);
  return requests / seconds;
}

async function beginAll(url, seconds) {
  const { stdout } = await promisify(execFile)('wrk', [
    ...['-t', '1', '-c', String(CONNECTIONS), '-d', `${seconds}s`, '--timeout', '10s'],
    ...['-s', path.join(ROOT, 'bench/begin.lua'), url, '--', JSON.stringify({ form_uuid: FORM.uuid })],
  ]);
  const { broken, ...measured } = JSON.parse(stdout.trim().split('\n').at(-1));
  if (broken > 0) throw new BenchError(`${broken} requests were cut off or timed out.`);
  return measured;
}
