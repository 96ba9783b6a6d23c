import { parseArgs } from 'node:util';
import { BenchError } from './bench-error.mjs';
import { CONNECTIONS } from './load.mjs';
import { OPERATIONS } from './operations.mjs';

export const HELP = `npm run bench -- [what] [options]

What:
  (nothing)     the service against a server that is written by hand, on 100,000 submissions
  conditions    the rule engine against four libraries; needs "npm ci --prefix bench" once
  files         what a file costs the service, kept in a folder and in S3, and the memory of 200 uploads at once
  growth        the service on 10,000 submissions against itself on 1,000,000
  processes     one, two and four processes of the service, and what they, PostgreSQL and Redis cost; needs a Redis
  webhooks      what webhooks cost who completes submissions, and how soon and how fast they are delivered
  worst         the worst legal request of each route: how long it stops the process, and what it takes of memory

Options:
  --seconds N   how long each server is driven at a time (5)
  --pairs N     how often by turns (5)
  --connections N,M
                how many connections the load has (32); the service against the floor, and growth
  --only A,B    of ${Object.keys(OPERATIONS).join(', ')}
  --short       2,000 submissions, 1 second, 1 pair: whether all can still be compared, not how fast anything is
  --json FILE   every single result, with the machine and the versions
  --help

BENCH_DATABASE_URL names a PostgreSQL to use, with a superuser, in databases of its own that are dropped. Without it
an embedded one is started. BENCH_REDIS_URL names the Redis of "processes": a database number that nothing else uses,
as in redis://127.0.0.1:6379/9.
`;

export function readOptions(args) {
  const { values, positionals } = parse(args);
  const [what = 'service', ...rest] = positionals;
  if (
    !['service', 'conditions', 'files', 'growth', 'processes', 'webhooks', 'worst'].includes(what) ||
    rest.length > 0
  ) {
    throw misused(`There is no benchmark "${positionals.join(' ')}".`);
  }
  const whole = (name, text) => {
    if (!/^[1-9]\d{0,3}$/.test(text)) throw misused(`--${name} must be a whole number from 1 to 9999.`);
    return Number(text);
  };
  const count = (name, fallback) => whole(name, values[name] ?? String(values.short ? 1 : fallback));
  if (values.connections !== undefined && !['service', 'growth'].includes(what))
    throw misused(`"${what}" takes no --connections.`);
  const connections = (values.connections ?? String(CONNECTIONS))
    .split(',')
    .map((text) => whole('connections', text));
  const operations = values.only?.split(',') ?? Object.keys(OPERATIONS);
  const unknown = operations.find((name) => !Object.hasOwn(OPERATIONS, name));
  if (unknown !== undefined) throw misused(`There is no operation "${unknown}".`);
  const { short = false, help = false, json } = values;
  const [seconds, pairs] = [count('seconds', 5), count('pairs', 5)];
  return { what, help, short, json, operations, connections, seconds, pairs };
}

function misused(sentence) {
  return new BenchError(`${sentence} See "npm run bench -- --help".`);
}

function parse(args) {
  const text = { type: 'string' };
  const flag = { type: 'boolean' };
  const texts = { seconds: text, pairs: text, connections: text, only: text, json: text };
  const options = { ...texts, short: flag, help: flag };
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw misused(`${error.message}.`);
  }
}
