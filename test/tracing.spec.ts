import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { issueToken, User } from '../src/entities.js';
import { build, killBuilt, runListening, within } from './support/built-service.js';
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
  await database.close();
});

afterEach(killBuilt);

interface Export {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
}

const spans = () =>
  exported
    .flatMap((text) => (JSON.parse(text) as Export).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));

it('a request is a span of the trace that its client began, and nothing private is exported', async () => {
  const server = await runListening({
    DATABASE_URL: database.url,
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=formtrail-of-the-test',
  });
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
    server.stdout.split('\n').find((text) => text.includes('"traced"')),
  );
  // The server exports the remaining spans when it stops. SIGINT stops it without waiting for load balancers.
  server.child.kill('SIGINT');
  expect(await within(server.ended, 'the end')).toEqual({ code: 0, signal: null });

  const ofTrace = spans().filter(({ traceId }) => traceId === TRACE_ID);
  const request = ofTrace.find(({ parentSpanId }) => parentSpanId === PARENT_ID)!;
  expect(request.name).toBe('POST /api/v1/submissions/:uuid/values');
  expect(request.attributes).toEqual(
    expect.arrayContaining([
      { key: 'http.route', value: { stringValue: '/api/v1/submissions/:uuid/values' } },
      { key: 'http.response.status_code', value: { intValue: 200 } },
    ]),
  );
  expect(JSON.parse(line)).toMatchObject({ trace_id: TRACE_ID, span_id: request.spanId, status: 200 });
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
