import { headersOf, OPERATIONS, probe, requireSame, requireTouched } from './operations.mjs';
import { settle } from './database.mjs';
import { usage } from './servers.mjs';
import { median } from './report.mjs';

const WARM_UP = 2;

/**
 * Drives two servers by turns: the first, the second, the first, the second. Fails on an answer that is wrong, which
 * of two servers on one database is one that the other would not give.
 *
 * @param {'rate' | 'cost'} ratio whether a pair's ratio is by how much the second is faster, or slower
 */
export async function compare([first, second], { load, operations, pairs, seconds, ratio, say }) {
  const results = [];
  for (const operation of operations) {
    const expected = await probe(first, operation);
    const other = await probe(second, operation);
    if (first.database === second.database) {
      requireSame(
        expected,
        other,
        `"${first.name}" and "${second.name}" differ in what they answer to ${operation}`,
      );
    }
    const measure = async (server, answers) => {
      const measured = await run(server, operation, load, seconds);
      requireSame(
        answers,
        await probe(server, operation),
        `"${server.name}" answers ${operation} differently after it`,
      );
      say(`${operation}, ${server.name}: ${Math.round(measured.rate)} requests a second`);
      return measured;
    };
    for (const server of [first, second]) await send(server, operation, load, Math.min(WARM_UP, seconds));
    const runs = { [first.name]: [], [second.name]: [] };
    const ratios = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      const a = await measure(first, expected);
      const b = await measure(second, other);
      runs[first.name].push(a);
      runs[second.name].push(b);
      ratios.push(ratio === 'rate' ? b.rate / a.rate : a.rate / b.rate);
    }
    results.push({ operation, runs, ratios });
  }
  return results;
}

async function run(server, operation, load, seconds) {
  const { client, drafts } = server.database;
  const [{ now }] = (await client.query('select clock_timestamp()::text as now')).rows;
  const before = await usage(server);
  const { requests, seconds: taken, p50, p99 } = await send(server, operation, load, seconds);
  const after = await usage(server);
  const [{ written }] = (
    await client.query('select count(*)::integer as written from submissions where updated_at >= $1', [now])
  ).rows;
  requireTouched(operation, { requests }, drafts.length, written);
  return {
    ...{ requests, rate: requests / taken, p50, p99 },
    ...(before.cpu !== undefined && { cpu: (after.cpu - before.cpu) / requests, memory: after.memory }),
  };
}

async function send(server, operation, load, seconds) {
  await settle(server.database);
  const requests = OPERATIONS[operation].load(server.database);
  return load.run(server.url, headersOf(server.database, requests.body !== ''), requests, seconds);
}

/** A table in Markdown: the medians of all runs, and the median of the pairs' ratios with the least and the greatest. */
export function comparisonTable(results, title) {
  const rows = results.flatMap(({ operation, runs, ratios }) =>
    Object.entries(runs).map(([name, measured], index) => {
      const middle = (what, digits = 0, unit = 1) =>
        measured[0][what] === undefined
          ? '-'
          : (median(measured.map((one) => one[what])) / unit).toLocaleString('en', {
              minimumFractionDigits: digits,
              maximumFractionDigits: digits,
            });
      const spread = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(2));
      return [
        ...[index === 0 ? operation : '', name, middle('rate'), middle('p50', 2), middle('p99', 2)],
        ...[middle('cpu'), middle('memory', 0, 2 ** 20)],
        index === 0 ? '' : `${spread[0]} (${spread[1]} to ${spread[2]})`,
      ];
    }),
  );
  return [['', '', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs/request', 'memory MiB', title], ...rows];
}
