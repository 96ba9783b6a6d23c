import { parseArgs } from 'node:util';
import { BenchError } from './bench-error.mjs';
import { CONNECTIONS } from './load.mjs';
import { OPERATIONS } from './operations.mjs';

export const HELP = `npm run bench -- [what] [options]

What:
  (nothing)     the service against a server written by hand, on 100,000 submissions
  begin         a visitor's respondent and draft against a user's draft; needs wrk
  conditions    the rule engine against four libraries; needs "npm ci --prefix bench" once
  files         the CPU time of files in a folder and in S3, and the memory of 200 parallel uploads
  growth        the service on 10,000 submissions against the service on 1,000,000
  processes     one, two and four processes, and their CPU time and that of PostgreSQL and Redis; needs a Redis
  purge         requests while a purge deletes what is due, against requests without it
  webhooks      the cost of webhooks for completions, and the latency and throughput of deliveries
  worst         the worst legal request of each route: how long it blocks the process, and its memory

Options:
  --seconds N   seconds of a turn (5)
  --pairs N     number of turns of each server (5)
  --connections N,M
                numbers of connections (32); only for (nothing) and growth
  --only A,B    only these operations: any of ${Object.keys(OPERATIONS).join(', ')}
  --short       2,000 submissions, 1 second, 1 pair: checks that the comparison works; the figures mean nothing
  --json FILE   write every single result to FILE, with the machine and the versions
  --help

BENCH_DATABASE_URL is a PostgreSQL server with a superuser. The benchmark creates databases there, and drops them. Without
this variable, it starts an embedded server. BENCH_REDIS_URL is the Redis of "processes": use a database number that
nothing else uses, such as redis://127.0.0.1:6379/9.
`;

export function readOptions(args) {
  const { values, positionals } = parse(args);
  const [what = 'service', ...rest] = positionals;
  if (
    ![
      'service',
      'begin',
      'conditions',
      'files',
      'growth',
      'processes',
      'purge',
      'webhooks',
      'worst',
    ].includes(what) ||
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
    throw misused(`"${what}" has no option --connections.`);
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
