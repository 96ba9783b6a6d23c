import { Redis } from 'ioredis';
import { checkChanges, checkLimit, LIMIT } from './agreement.mjs';
import { BenchError } from './bench-error.mjs';
import { probe, requireSame } from './checks.mjs';
import { postgresCpu, processTimes } from './cpu.mjs';
import { createDatabase, openServer } from './database.mjs';
import { measure, warmUp } from './drive.mjs';
import { loadGenerator } from './load.mjs';
import { median, sum } from './report.mjs';
import { startService } from './servers.mjs';
import { surroundings } from './surroundings.mjs';

const PARTS = ['service', 'PostgreSQL', 'Redis', 'load'];

/**
 * Measures one, two and four processes of the built service on one database and one Redis,
 * and the CPU time of each part.
 */
export async function bench(options, { say, closing }) {
  const redis = await openRedis();
  closing.push(() => redis.quit());
  const load = await loadGenerator();
  const server = await openServer();
  closing.push(server.close);
  const submissions = options.short ? 2_000 : 100_000;
  say(`Loading ${submissions} submissions`);
  const database = await createDatabase(server, submissions);
  closing.push(database.drop);

  const counts = options.short ? [1, 2] : [1, 2, 4];
  const start = async (variables) => {
    const names = Array.from({ length: counts.at(-1) }, (_, index) => `process ${index + 1}`);
    const all = { ...variables, REDIS_URL: process.env.BENCH_REDIS_URL };
    const started = await Promise.allSettled(names.map((name) => startService(database, name, all)));
    const services = started.flatMap(({ value }) => value ?? []);
    const stop = () => Promise.all(services.map((service) => service.stop()));
    closing.push(stop);
    const failed = started.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return { services, stop };
  };
  const limited = await start({ THROTTLE_USER_LIMIT: String(LIMIT) });
  const limit = await checkLimit(limited.services, load);
  say(`limit of ${LIMIT}: accepted ${limit.byProcess.join(' + ')} of ${limit.sent} requests`);
  await limited.stop();

  const { services } = await start({});
  const changes = await checkChanges(services, load, options.seconds);
  const seen = changes.map(
    ({ what, changes, median, most }) =>
      `${changes} changes of ${what}: a process shows it after ${median.toFixed(1)} ms (median), ${most.toFixed(1)} ms (maximum)`,
  );
  seen.forEach(say);

  const turns = await takeTurns(services, counts, { ...options, load, redis, say });
  return {
    surroundings: [
      ...(await surroundings(database.client, load, options)),
      `Redis ${/redis_version:(\S+)/.exec(await redis.info('server'))[1]}`,
      `limit of ${LIMIT} requests a minute: ${sum(limit.byProcess)} of ${limit.sent} accepted by ${services.length} processes`,
      ...seen,
    ],
    results: { limit, changes, turns },
    tables: [table(turns, counts)],
  };
}

async function openRedis() {
  const url = process.env.BENCH_REDIS_URL;
  if (!url) {
    throw new BenchError(
      'This benchmark needs a Redis: set BENCH_REDIS_URL, for example to redis://127.0.0.1:6379/9.',
    );
  }
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  let failure;
  redis.on('error', (error) => (failure ??= error));
  await redis.connect().catch((error) => {
    throw new BenchError(`The Redis of BENCH_REDIS_URL cannot be used: ${(failure ?? error).message}`);
  });
  return redis;
}

/** Drives one process, then two, then four, and repeats. The total of connections and drafts is always the same. */
async function takeTurns(services, counts, { operations, pairs, seconds, load, redis, say }) {
  const turns = [];
  for (const operation of operations) {
    const expected = await probe(services[0], operation);
    // Warm up each process alone, so that all processes have served the same number of requests.
    for (const service of services) await warmUp(service, operation, load, seconds);
    for (let turn = 0; turn < pairs; turn += 1) {
      for (const count of counts) {
        const used = services.slice(0, count);
        const costs = () => costsOf(used, redis);
        const { driven, before, after } = await measure(used, operation, load, seconds, costs);
        for (const service of used) {
          const what = `"${service.name}" responds differently to ${operation}`;
          requireSame(expected, await probe(service, operation), what);
        }
        const requests = sum(driven.map((one) => one.requests));
        const each = Object.keys(after).map((part) => [part, (after[part] - before[part]) / requests]);
        const rate = sum(driven.map((one) => one.requests / one.seconds));
        turns.push({ operation, count, requests, rate, ...Object.fromEntries(each) });
        say(
          `${operation}, ${count} of ${services.length} processes: ${Math.round(rate)} requests per second`,
        );
      }
    }
  }
  return turns;
}

/** Returns the CPU microseconds of each part so far, and the bytes of WAL. A number that cannot be measured is NaN. */
async function costsOf(services, redis) {
  const { client } = services[0].database;
  const [{ wal }] = (await client.query(`select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal`)).rows;
  const isLinux = process.platform === 'linux';
  const own = isLinux ? await Promise.all(services.map(({ pid }) => processTimes(pid))) : [{ own: NaN }];
  // wrk is a child of this process, and autocannon runs in it.
  const here = isLinux ? await processTimes(process.pid) : { own: NaN, ended: NaN };
  const redisSeconds = (await redis.info('cpu')).matchAll(/^used_cpu_(?:sys|user):(\S+)/gm);
  return {
    service: sum(own.map((times) => times.own)),
    PostgreSQL: (isLinux && (await postgresCpu(client))) || NaN,
    Redis: sum([...redisSeconds].map(([, seconds]) => seconds * 1e6)),
    load: here.own + here.ended,
    wal,
  };
}

function table(turns, counts) {
  const rows = [];
  for (const operation of new Set(turns.map((turn) => turn.operation))) {
    const middle = (count, what) =>
      median(
        turns
          .filter((turn) => turn.operation === operation && turn.count === count)
          .map((turn) => turn[what]),
      );
    const figure = (number) => (Number.isNaN(number) ? '-' : Math.round(number).toLocaleString('en'));
    for (const count of counts) {
      const rate = middle(count, 'rate');
      const costs = PARTS.map((part) => middle(count, part));
      rows.push([
        ...[count === counts[0] ? operation : '', String(count), figure(rate)],
        (rate / middle(counts[0], 'rate')).toFixed(2),
        ...costs.map((cost) => figure(cost)),
        Number.isNaN(sum(costs)) ? '-' : ((sum(costs) * rate) / 1e6).toFixed(2),
        figure(middle(count, 'wal')),
      ]);
    }
  }
  const head = PARTS.map((part) => `${part}, CPU µs/request`);
  return [
    ['', 'processes', 'requests/s', 'relative to one', ...head, 'cores used', 'WAL bytes/request'],
    ...rows,
  ];
}
