import { build, killBuilt, preload, runListening, within } from './support/built-service.js';
import { client } from './support/client.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';

jest.setTimeout(40_000);

let database: TestDatabase;

beforeAll(async () => {
  await build();
  database = await testDatabase();
}, 120_000);

afterAll(() => database.drop());

afterEach(killBuilt);

/** A service in production that runs `code` before its own. */
function startWith(code: string) {
  return runListening({
    DATABASE_URL: database.url,
    NODE_ENV: 'production',
    NODE_OPTIONS: preload(code),
  });
}

it('a server that is asked for nothing of it loads no Redis, metrics, traces, document or readable log', async () => {
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
  // So that it would be seen: packages of both kinds, and our own modules.
  for (const loaded of [/node_modules\/pg\//, /node_modules\/@nestjs\/core\//, /dist\/src\/app\.js$/m]) {
    expect(service.stderr).toMatch(loaded);
  }
  const optional =
    /node_modules\/(@nestjs\/swagger|ioredis|rate-limiter-flexible|prom-client|@opentelemetry|pino-pretty)\/|dist\/src\/(metrics\/|docs\/(write-openapi|openapi-document)|http\/rate-limit\.redis)/;
  expect(service.stderr.split('\n').filter((url) => optional.test(url))).toEqual([]);
});
