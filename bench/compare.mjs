import { probe, requireSame } from './checks.mjs';
import { measure, warmUp } from './drive.mjs';
import { median } from './report.mjs';
import { usage } from './servers.mjs';

/**
 * Drives two servers by turns: the first, the second, the first, the second. Fails where an answer is wrong.
 *
 * @param {'rate' | 'cost'} ratio whether a pair's ratio is how many times faster the second is, or slower
 */
export async function compare([first, second], { load, operations, pairs, seconds, ratio, say }) {
  const results = [];
  for (const operation of operations) {
    const expected = new Map();
    for (const server of [first, second]) {
      expected.set(server, await probe(server, operation));
      await warmUp(server, operation, load, seconds);
    }
    if (first.database === second.database) {
      const what = `"${first.name}" and "${second.name}" answer ${operation} differently`;
      requireSame(expected.get(first), expected.get(second), what);
    }
    const turn = async (server) => {
      const measured = await measureOne(server, operation, load, seconds);
      const what = `"${server.name}" answers ${operation} differently after a turn`;
      requireSame(expected.get(server), await probe(server, operation), what);
      say(`${operation}, ${server.name}: ${Math.round(measured.rate)} requests a second`);
      return measured;
    };
    const turns = [];
    while (turns.length < pairs) turns.push([await turn(first), await turn(second)]);
    results.push({
      operation,
      runs: { [first.name]: turns.map(([one]) => one), [second.name]: turns.map(([, other]) => other) },
      ratios: turns.map(([one, other]) => (ratio === 'rate' ? other.rate / one.rate : one.rate / other.rate)),
    });
  }
  return results;
}

async function measureOne(server, operation, load, seconds) {
  const { driven, before, after } = await measure([server], operation, load, seconds, () => usage(server));
  const [{ requests, seconds: taken, p50, p99 }] = driven;
  return {
    ...{ requests, rate: requests / taken, p50, p99 },
    ...(before.cpu !== undefined && { cpu: (after.cpu - before.cpu) / requests, memory: after.memory }),
  };
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
