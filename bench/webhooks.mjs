import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from './bench-error.mjs';
import { createDatabase, openServer } from './database.mjs';
import { CONNECTIONS, loadGenerator } from './load.mjs';
import { headersOf } from './operations.mjs';
import { median } from './report.mjs';
import { ROOT } from './root.mjs';
import { startService } from './servers.mjs';
import { surroundings } from './surroundings.mjs';

const KEY = randomBytes(32).toString('base64');
const ENDPOINTS = [0, 1, 3];
/** Milliseconds between two commits. */
const PACE = 20;

/** Measures the cost of webhooks for completions, and the latency and throughput of deliveries. */
export async function bench(options, { say, closing }) {
  const { short, seconds, pairs } = options;
  const load = await loadGenerator();
  const server = await openServer();
  closing.push(server.close);
  const submissions = short ? 20_000 : 100_000;
  say(`Loading ${submissions} submissions`);
  const database = await createDatabase(server, submissions);
  closing.push(database.drop);
  const { client } = database;
  const receiver = await startReceiver();
  closing.push(receiver.close);

  const service = await startService(database);
  const rates = await completions({ database, service, receiver, load, seconds, pairs, say });
  await service.stop();
  const deliverer = await startDeliverer(database, closing);
  const count = short ? 50 : 1_000;
  const waiting = short ? 1_000 : 20_000;
  const one = await latencies(database, receiver, 1, count);
  const nine = await latencies(database, receiver, 9, count);
  const hole = await latencies(database, receiver, 9, count, waiting);
  await deliverer.stop();
  const drained = await drain(database, receiver, short ? 2_000 : 100_000, closing);

  const figure = (number) => number.toLocaleString('en', { maximumFractionDigits: 1 });
  return {
    surroundings: await surroundings(client, load, options),
    results: { rates, one, nine, hole, drained },
    tables: [
      [
        ['endpoints', 'completions/s', 'relative to no triggers'],
        ...Object.entries(rates).map(([endpoints, { rate, ratio }]) => [
          endpoints,
          figure(rate),
          ratio.toFixed(2),
        ]),
      ],
      [
        ['from commit to receipt', 'p50, ms', 'p99, ms'],
        ...Object.entries({
          'one endpoint': one,
          'nine endpoints': nine,
          [`nine beside one that never responds to ${figure(waiting)}`]: hole,
        }).map(([what, { p50, p99 }]) => [what, figure(p50), figure(p99)]),
      ],
      [
        ['backlog', 'deliveries/s', 'peak memory, MB'],
        [figure(drained.count), figure(drained.rate), figure(drained.memory / 1e6)],
      ],
    ],
  };
}

/** Measures completions per second for each number of endpoints, in turns, while no process delivers webhooks. */
async function completions({ database, service, receiver, load, seconds, pairs, say }) {
  const { client, drafts } = database;
  const kinds = ['no triggers', ...ENDPOINTS];
  const turns = Object.fromEntries(kinds.map((kind) => [kind, []]));
  for (let pair = -1; pair < pairs; pair += 1) {
    for (const kind of kinds) {
      await empty(client);
      await client.query(`update submissions set status = 'draft' where status <> 'draft'`);
      await client.query('vacuum analyze submissions');
      await client.query(
        `alter table submissions ${kind === 'no triggers' ? 'disable' : 'enable'} trigger webhooks_complete`,
      );
      for (let at = 0; at < (Number(kind) || 0); at += 1) await listen(client, receiver.url);
      const requests = {
        method: 'PATCH',
        body: JSON.stringify({ status: 'completed' }),
        paths: drafts.map((uuid) => `/api/v1/submissions/${uuid}`),
      };
      const measured = await load.run(service.url, headersOf(database, true), requests, seconds, CONNECTIONS);
      if (measured.non2xx > 0 || measured.requests > drafts.length)
        throw new BenchError(
          `${measured.requests} requests on ${drafts.length} drafts, ${measured.non2xx} responses were not 2xx.`,
        );
      // Pair -1 only warms up the service.
      if (pair >= 0) turns[kind].push(measured.requests / measured.seconds);
      say(`${kind} endpoints: ${Math.round(measured.requests / measured.seconds)} completions per second`);
    }
  }
  await client.query('alter table submissions enable trigger webhooks_complete');
  const without = turns['no triggers'];
  return Object.fromEntries(
    kinds.map((kind) => {
      const ratios = turns[kind].map((rate, pair) => rate / without[pair]);
      return [kind, { rate: median(turns[kind]), ratio: median(ratios) }];
    }),
  );
}

/**
 * Measures the milliseconds from a commit to the receipt of its webhook, at a pace that causes no backlog. If
 * `waiting` is set, another endpoint never responds and has a backlog of `waiting` webhooks.
 */
async function latencies({ client, drafts }, receiver, endpoints, count, waiting = 0) {
  await empty(client);
  if (waiting > 0) {
    await listen(client, receiver.url.replace('/hook', '/hole'));
    await complete(client, waiting);
    while ((await client.query('select from webhook_outbox limit 1')).rowCount > 0) await sleep(PACE);
  }
  for (let at = 0; at < endpoints; at += 1) await listen(client, receiver.url);
  await client.query(`update submissions set status = 'draft' where status <> 'draft'`);
  const committed = new Map();
  const times = [];
  receiver.onReceipt = ({ data }) => times.push(performance.now() - committed.get(data.submission.uuid));
  for (const uuid of drafts.slice(0, count)) {
    await client.query(`update submissions set status = 'completed' where uuid = $1`, [uuid]);
    committed.set(uuid, performance.now());
    await sleep(PACE);
  }
  while (times.length < count * endpoints) await sleep(PACE);
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { p50: at(0.5), p99: at(0.99) };
}

/** Measures the deliveries per second of one process that has a backlog, and the peak memory of the process. */
async function drain(database, receiver, count, closing) {
  const { client } = database;
  await empty(client);
  await listen(client, receiver.url);
  await complete(client, count);
  let received = 0;
  let from;
  receiver.onReceipt = () => {
    from ??= performance.now();
    received += 1;
  };
  const { rows } = await client.query('select count(*)::integer as pending from webhook_outbox');
  const deliverer = await startDeliverer(database, closing);
  while (received < rows[0].pending) await sleep(PACE);
  const seconds = (performance.now() - from) / 1000;
  const status = await readFile(`/proc/${deliverer.pid}/status`, 'utf8').catch(() => '');
  await deliverer.stop();
  const memory = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? NaN) * 1024;
  return { count: rows[0].pending, rate: rows[0].pending / seconds, memory };
}

async function complete(client, count) {
  await client.query(`update submissions set status = 'draft' where status <> 'draft'`);
  await client.query(
    `update submissions set status = 'completed' where uuid in (select uuid from submissions limit $1)`,
    [count],
  );
}

async function listen(client, url) {
  const { createWebhookEndpoint } =
    await import('../dist/src/capabilities/webhooks/create-webhook-endpoint.js');
  const manager = { query: async (sql, values) => (await client.query(sql, values)).rows };
  await createWebhookEndpoint(manager, { url, events: ['submission.completed'] }, KEY);
}

const empty = (client) =>
  client.query('delete from webhook_endpoints; truncate webhook_outbox, webhook_deliveries');

/** Receives webhooks at `/hook`. Never responds at `/hole`. */
async function startReceiver() {
  const receiver = { url: '', onReceipt: () => undefined, close: undefined };
  const server = createServer((request, response) => {
    if (request.url === '/hole') return;
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      response.writeHead(204).end();
      receiver.onReceipt(JSON.parse(text));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${server.address().port}/hook`;
  receiver.close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return receiver;
}

/** Starts `formtrail webhooks deliver` and waits until it delivers. */
async function startDeliverer(database, closing) {
  const child = spawn(process.execPath, [path.join(ROOT, 'dist/src/cli.js'), 'webhooks', 'deliver'], {
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      WEBHOOK_KEY: KEY,
      WEBHOOK_ALLOW: '127.0.0.1',
      NODE_ENV: 'production',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  closing.push(stop);
  let text = '';
  const delivers = new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('delivering webhooks')) resolve(true);
      text = text.slice(-200);
    });
  });
  if (!(await Promise.race([delivers, ended.then(() => false)])))
    throw new BenchError('"webhooks deliver" has ended; see above.');
  return { pid: child.pid, stop };
}
