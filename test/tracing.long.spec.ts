import { build, killBuilt, preload, runBuilt, runListening, within } from './support/built-service.js';
import { client } from './support/client.js';
import { eventually } from './support/eventually.js';
import { useDatabase } from './support/test-database.js';

const database = useDatabase();
beforeAll(build, 120_000);
afterEach(killBuilt);

it('an unreachable collector logs a warning, and delays neither requests nor the stop', async () => {
  const server = await runListening({
    DATABASE_URL: database.url,
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  });
  const { status } = await client(server.url).get('/api/v1/forms');
  expect(status).toBe(200);
  const warning = await eventually('it is logged', () =>
    server.stdout.split('\n').find((line) => line.includes('"context":"Tracing"')),
  );
  expect(JSON.parse(warning)).toMatchObject({ level: 40, reason: expect.stringContaining('ECONNREFUSED') });
  server.child.kill('SIGINT');
  expect(await within(server.ended, 'the end')).toEqual({ code: 0, signal: null });
  expect(server.stderr).toBe('');
});

it('the start fails with one sentence without OpenTelemetry installed', async () => {
  const resolve = `export async function resolve(name, context, next) {
    if (!name.startsWith('@opentelemetry/')) return next(name, context);
    throw Object.assign(new Error('Not found'), { code: 'ERR_MODULE_NOT_FOUND' });
  }`;
  const hook = JSON.stringify(`data:text/javascript,${encodeURIComponent(resolve)}`);
  const NODE_OPTIONS = preload(`import { register } from 'node:module'; register(${hook})`);
  const server = runBuilt({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', NODE_OPTIONS });
  expect(await within(server.ended, 'the end')).toEqual({ code: 1, signal: null });
  expect(server.stderr).toMatch(/^formtrail: The OTEL_\* variables enable traces, but [^\n]+\.\n$/);
});
