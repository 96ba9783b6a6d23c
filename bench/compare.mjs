import { probe, requireSame } from './checks.mjs';
import { measure, warmUp } from './drive.mjs';
import { median } from './report.mjs';
import { usage } from './servers.mjs';

/**
 * Drives two servers in turns: the first, the second, the first, the second. Fails if a server
 * responds differently than before.
 *
 * @param {'rate' | 'cost'} ratio how many times faster ('rate') or slower ('cost') the second server is
 */
export async function compare([first, second], options) {
  const { load, pairs, seconds, ratio, say } = options;
  const results = [];
  const cases = options.operations.flatMap((one) => options.connections.map((count) => [one, count]));
  for (const [operation, connections] of cases) {
    const expected = new Map();
    for (const server of [first, second]) {
      expected.set(server, await probe(server, operation));
      await warmUp(server, operation, load, seconds, connections);
    }
    if (first.database === second.database) {
      const what = `"${first.name}" and "${second.name}" respond differently to ${operation}`;
      requireSame(expected.get(first), expected.get(second), what);
    }
    const turn = async (server) => {
      const measured = await measureOne(server, operation, load, seconds, connections);
      const what = `"${server.name}" responds differently to ${operation} after a turn`;
      requireSame(expected.get(server), await probe(server, operation), what);
      const rate = `${Math.round(measured.rate)} requests per second`;
      say(`${operation} on ${connections}, ${server.name}: ${rate}`);
      return measured;
    };
    const turns = [];
    while (turns.length < pairs) turns.push([await turn(first), await turn(second)]);
    results.push({
      operation,
      connections,
      runs: { [first.name]: turns.map(([one]) => one), [second.name]: turns.map(([, other]) => other) },
      ratios: turns.map(([one, other]) => (ratio === 'rate' ? other.rate / one.rate : one.rate / other.rate)),
    });
  }
  return results;
}

async function measureOne(server, operation, load, seconds, connections) {
  const costs = () => usage(server);
  const { driven, before, after } = await measure([server], operation, load, seconds, costs, connections);
  const [{ requests, seconds: taken, p50, p99 }] = driven;
  return {
    ...{ requests, rate: requests / taken, p50, p99 },
    ...(before.cpu !== undefined && { cpu: (after.cpu - before.cpu) / requests, memory: after.memory }),
    ...(before.postgres !== undefined && { postgres: (after.postgres - before.postgres) / requests }),
  };
}

/**
 * Returns a table with the medians of all runs, and the median, minimum and maximum of the ratios. If there are
 * several numbers of connections, a table of only the ratios comes first.
 */
export function comparisonTables(results, title) {
  const counts = [...new Set(results.map(({ connections }) => connections))];
  const details = detailsTable(results, title);
  return counts.length === 1 ? [details] : [ratioTable(results, counts, title), details];
}

function ratioTable(results, counts, title) {
  const ratio = (operation, count) =>
    median(results.find((one) => one.operation === operation && one.connections === count).ratios).toFixed(2);
  const operations = [...new Set(results.map(({ operation }) => operation))];
  return [
    [`${title}, by connections`, ...counts.map(String)],
    ...operations.map((operation) => [operation, ...counts.map((count) => ratio(operation, count))]),
  ];
}

function detailsTable(results, title) {
  const rows = results.flatMap(({ operation, connections, runs, ratios }) =>
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
        ...(index === 0 ? [operation, String(connections)] : ['', '']),
        ...[name, middle('rate'), middle('p50', 2), middle('p99', 2)],
        ...[middle('cpu'), middle('postgres'), middle('memory', 0, 2 ** 20)],
        index === 0 ? '' : `${spread[0]} (${spread[1]} to ${spread[2]})`,
      ];
    }),
  );
  const costs = ['CPU µs/request', 'PostgreSQL µs/request', 'memory MiB'];
  return [['', 'connections', '', 'requests/s', 'p50 ms', 'p99 ms', ...costs, title], ...rows];
}
