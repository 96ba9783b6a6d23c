import { existsSync } from 'node:fs';
import path from 'node:path';
import { build, killBuilt, preload, runListening, within } from './support/built-service.js';
import { client } from './support/client.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';

jest.setTimeout(120_000);

/** Modules of the service that are loaded only if a variable enables them. */
const OPTIONAL_MODULES = [
  'metrics/metrics-server',
  'metrics/metrics.module',
  'throttling/rate-limit.redis',
  'tracing/open-telemetry',
  'files/files.module',
  'files/storage/s3.storage',
  'webhooks/webhooks.service',
];

let database: TestDatabase;

beforeAll(async () => {
  await build();
  database = await testDatabase();
}, 120_000);

afterAll(() => database.drop());

afterEach(killBuilt);

/** Starts a service in production mode, which runs `code` before its own code. */
function startWith(code: string) {
  return runListening({
    DATABASE_URL: database.url,
    NODE_ENV: 'production',
    NODE_OPTIONS: preload(code),
  });
}

it('a server without optional variables loads no code for Redis, metrics, traces, files, webhooks, OpenAPI or readable logs', async () => {
  const service = await startWith(`
    import { Session } from 'node:inspector';
    const session = new Session();
    const scripts = [];
    session.on('Debugger.scriptParsed', ({ params }) => scripts.push(params.url));
    session.connect();
    session.post('Debugger.enable');
    process.on('exit', () => process.stderr.write(scripts.join('\\n')));
  `);
  expect((await client(service.url).get('/api/v1/forms')).status).toBe(200);
  service.child.kill('SIGINT');
  await within(service.ended, 'the end');
  // The printed list of loaded scripts contains packages and our own modules.
  for (const loaded of [/node_modules\/pg\//, /dist\/src\/server\/serve\.js$/m]) {
    expect(service.stderr).toMatch(loaded);
  }
  for (const file of OPTIONAL_MODULES) {
    expect(existsSync(path.resolve(__dirname, `../dist/src/${file}.js`))).toBe(true);
  }
  const optional = new RegExp(
    `node_modules/(@nestjs/swagger|ioredis|rate-limiter-flexible|prom-client|@opentelemetry|pino-pretty)/|/src/(${OPTIONAL_MODULES.join('|')})\\.js`,
  );
  expect(service.stderr.split('\n').filter((url) => optional.test(url))).toEqual([]);
});
