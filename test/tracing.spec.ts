import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { issueToken, User } from '../src/entities.js';
import {
  build,
  type BuiltService,
  killBuilt,
  preload,
  runBuilt,
  runListening,
  within,
} from './support/built-service.js';
import { client } from './support/client.js';
import { createDraft } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';
const SECRET = 'secret-91c5';

jest.setTimeout(60_000);

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
}

let database: TestDatabase;
let collector: Server;
let plainToken: string;
/** The request bodies that the collector has received. */
const exported: string[] = [];

beforeAll(async () => {
  await build();
  database = await testDatabase();
  const { manager } = database.dataSource;
  const user = await manager.save(manager.create(User, { email: 'ada@example.org' }));
  ({ plainToken } = await issueToken(manager, { userId: user.id }));
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      exported.push(Buffer.concat(chunks).toString());
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
}, 120_000);

afterAll(async () => {
  collector.close();
  await database.drop();
});

afterEach(killBuilt);

const startListening = (variables: Record<string, string>) =>
  runListening({ DATABASE_URL: database.url, LOG_LEVEL: 'info', ...variables });

/** Sends SIGINT, which stops the server without waiting for load balancers. */
async function stop(server: BuiltService) {
  server.child.kill('SIGINT');
  expect(await within(server.ended, 'the end')).toEqual({ code: 0, signal: null });
}

const tracing = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_RESOURCE_ATTRIBUTES: 'service.name=formtrail-of-the-test',
});

interface Export {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
}

const spans = () =>
  exported
    .flatMap((text) => (JSON.parse(text) as Export).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));

const linesOf = ({ stdout }: BuiltService) =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('if OTEL_* variables enable traces', () => {
  it('a request is a span of the trace that its client began, and nothing private is exported', async () => {
    const server = await startListening(tracing());
    const own = client(server.url, {
      Authorization: `Bearer ${plainToken}`,
      'User-Agent': SECRET,
    });
    const { path } = await createDraft(own, await buildForm(database.dataSource));
    await own.post(
      `${path}/values?q=${SECRET}`,
      { values: [{ field_code: 'name', value: SECRET }] },
      { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, 'X-Request-Id': 'traced' },
    );
    await own.get(`/nothing/${SECRET}?q=${SECRET}`);
    await own.get('/health/ready');
    const line = await eventually('the request is logged', () =>
      linesOf(server).find(({ request_id }) => request_id === 'traced'),
    );
    // The server exports the remaining spans when it stops.
    await stop(server);

    const ofTrace = spans().filter(({ traceId }) => traceId === TRACE_ID);
    const request = ofTrace.find(({ parentSpanId }) => parentSpanId === PARENT_ID)!;
    expect(request.name).toBe('POST /api/v1/submissions/:uuid/values');
    expect(request.attributes).toEqual(
      expect.arrayContaining([
        { key: 'http.route', value: { stringValue: '/api/v1/submissions/:uuid/values' } },
        { key: 'http.response.status_code', value: { intValue: 200 } },
      ]),
    );
    expect(line).toMatchObject({ trace_id: TRACE_ID, span_id: request.spanId, status: 200 });
    const statements = ofTrace.filter((span) => span !== request);
    expect(statements.length).toBeGreaterThan(0);
    for (const { name, parentSpanId } of statements) {
      expect({ name, parentSpanId }).toEqual({
        name: expect.stringMatching(/^pg\.query:/),
        parentSpanId: request.spanId,
      });
    }
    expect(spans().map(({ name }) => name)).toContain('GET');

    const text = exported.join('');
    expect(text).toContain('formtrail-of-the-test');
    for (const secret of [SECRET, plainToken, path.split('/').at(-1)!, '/health/']) {
      expect(text).not.toContain(secret);
    }
  });

  it('an unreachable collector logs a warning, and delays neither requests nor the stop', async () => {
    const server = await startListening({
      ...tracing(),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    });
    const { status } = await client(server.url).get('/api/v1/forms');
    expect(status).toBe(200);
    const warning = await eventually('it is logged', () =>
      linesOf(server).find(({ context }) => context === 'Tracing'),
    );
    expect(warning).toMatchObject({ level: 40, reason: expect.stringContaining('ECONNREFUSED') });
    await stop(server);
    expect(server.stderr).toBe('');
  });

  it('the start fails with one sentence without OpenTelemetry installed', async () => {
    const resolve = `export async function resolve(name, context, next) {
      if (!name.startsWith('@opentelemetry/')) return next(name, context);
      throw Object.assign(new Error('Not found'), { code: 'ERR_MODULE_NOT_FOUND' });
    }`;
    const hook = JSON.stringify(`data:text/javascript,${encodeURIComponent(resolve)}`);
    const NODE_OPTIONS = preload(`import { register } from 'node:module'; register(${hook})`);
    const server = runBuilt({ ...tracing(), NODE_OPTIONS });
    expect(await within(server.ended, 'the end')).toEqual({ code: 1, signal: null });
    expect(server.stderr).toMatch(/^formtrail: The OTEL_\* variables enable traces, but [^\n]+\.\n$/);
  });

  it('the start fails with one sentence for an unsupported protocol', async () => {
    const server = runBuilt({ ...tracing(), OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
    expect(await within(server.ended, 'the end')).toEqual({ code: 1, signal: null });
    expect(server.stderr).toMatch(/^formtrail: OTEL_EXPORTER_OTLP_PROTOCOL must be [^\n]+\.\n$/);
  });
});

describe('OpenTelemetry', () => {
  const NODE_OPTIONS = preload(`
    import Module from 'node:module';
    process.on('exit', () => {
      const loaded = Object.keys(Module._cache).filter((name) => name.includes('@opentelemetry'));
      process.stderr.write(String(loaded.length));
    });
  `);

  it.each<[string, () => Record<string, string>, RegExp]>([
    ['not loaded if no variable enables it', () => ({}), /^0$/],
    ['not loaded with OTEL_SDK_DISABLED=true', () => ({ ...tracing(), OTEL_SDK_DISABLED: 'true' }), /^0$/],
    [
      'not loaded with OTEL_TRACES_EXPORTER=none',
      () => ({ ...tracing(), OTEL_TRACES_EXPORTER: 'none' }),
      /^0$/,
    ],
    ['loaded if variables enable it', tracing, /^[1-9]\d+$/],
  ])('is %s', async (_what, variables, loaded) => {
    const server = await startListening({ ...variables(), NODE_OPTIONS });
    expect((await client(server.url).get('/api/v1/forms')).status).toBe(200);
    await eventually('the request is logged', () => linesOf(server).find(({ msg }) => msg === 'request'));
    const { trace_id } = linesOf(server).find(({ msg }) => msg === 'request')!;
    expect(trace_id === undefined).toBe(loaded.test('0'));
    await stop(server);
    expect(server.stderr).toMatch(loaded);
  });
});
