import { connect } from 'node:net';
import { type BuiltForm, buildForm } from '../support/forms.js';
import { readRaw, sendHttp, sendRaw } from '../support/raw.js';
import { expectInvalid, expectRefusal, secretsIn } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';

const UUID = '01890000-0000-7000-8000-000000000001';
const SUBMISSIONS = '/api/v1/submissions';
const MIB = 1_048_576;
const JSON_TYPE = { 'Content-Type': 'application/json' };

const use = useService();

// All tests share the user and the form, because each test writes only to its own submission.
let user: Awaited<ReturnType<typeof newUser>>;
let built: BuiltForm;
let authorization: { Authorization: string };

beforeAll(async () => {
  user = await newUser(use);
  authorization = { Authorization: `Bearer ${user.plainToken}` };
  built = await buildForm(use.database.dataSource, {
    steps: [{ name: {}, age: { type: 'number' } }, { note: {} }],
  });
});

/** Creates a submission. `values` and `patch` send JSON text to it. */
async function draft() {
  const { form, fields } = built;
  const { client } = user;
  const created = await client.post(SUBMISSIONS, { form_uuid: form.uuid });
  const path = `${SUBMISSIONS}/${created.body.data.uuid}`;
  const values = (entry: string) => client.send('POST', `${path}/values`, `{"values": [${entry}]}`);
  const patch = (body: string) => client.send('PATCH', path, body);
  return { client, form, nameId: fields['name']!.id, path, values, patch };
}

type Draft = Awaited<ReturnType<typeof draft>>;

/** Routes that read a JSON body: method, path, and the path for a draft. */
const WRITES: [string, string, (to: Draft) => string][] = [
  ['POST', '/submissions', () => SUBMISSIONS],
  ['PATCH', '/submissions/{uuid}', ({ path }) => path],
  ['POST', '/submissions/{uuid}/values', ({ path }) => `${path}/values`],
  ['POST', '/submissions/{uuid}/advance', ({ path }) => `${path}/advance`],
  ['POST', '/submissions/{uuid}/retreat', ({ path }) => `${path}/retreat`],
];

/** Expects that the rejected write changed nothing and that the service still works. */
async function expectUntouched({ client, path }: Draft) {
  const { status, body } = await client.get(path);
  const untouched = { status: 'draft', current_step: 1, meta: null, values: [] };
  expect([status, body.data]).toEqual([200, expect.objectContaining(untouched)]);
}

describe('unknown routes and methods (E3)', () => {
  it('are 404', async () => {
    for (const path of [
      ...[
        '/api',
        '/api/v1',
        '/api/v1/',
        '/api/v1/nothing',
        '/api/v1/forms/x/y/z',
        '/api/v1/forms/x/by-slug/',
      ],
      ...[
        `${SUBMISSIONS}/${UUID}/values`,
        `${SUBMISSIONS}/${UUID}/nothing`,
        '/api/v2/forms',
        '/API/V1/FORMS',
      ],
      ...['//api/v1/forms', '/forms', '/health', '/health/nothing', '/favicon.ico', '/.env'],
      ...['/%2e%2e/%2e%2e/etc/passwd', '/api/v1/forms%3Fpage=1'],
    ])
      expectRefusal(await use.service.anyone.get(path), 404);
  });

  it.each([
    ['POST', '/api/v1/forms'],
    ['POST', `/api/v1/forms/${UUID}/schema`],
    ['PUT', SUBMISSIONS],
    ['DELETE', `${SUBMISSIONS}/${UUID}/values`],
    ['POST', `${SUBMISSIONS}/${UUID}`],
    ['PATCH', `${SUBMISSIONS}/${UUID}/advance`],
    ['POST', '/health/live'],
    ['PROPFIND', '/api/v1/forms'],
    ['TRACE', '/api/v1/forms'],
  ])('%s %s is 404 with any body', async (method, path) => {
    const bodies: [Record<string, string>, string[]][] = [
      [{}, []],
      [JSON_TYPE, []],
      [JSON_TYPE, ['{']],
      [{ 'Content-Type': 'text/plain' }, ['text']],
    ];
    for (const [headers, body] of method === 'TRACE' ? bodies.slice(0, 1) : bodies)
      expectRefusal(await sendHttp(use.service.url, path, { method, headers, body }), 404);
  });
});

const padded = (bytes: number) => {
  const [before, after] = ['{"form_uuid": "none", "unknown": "', '"}'];
  return before + 'x'.repeat(bytes - before.length - after.length) + after;
};
const inChunks = (text: string) => text.match(/[^]{1,65536}/g) ?? [];

// test/security/bodies.spec.ts has bodies that are too large, for each route.
describe.each(WRITES)('the body of %s %s', (method, _, pathOf) => {
  it('is rejected if it is not JSON, or is not sent as JSON (E2)', async () => {
    const to = await draft();
    for (const body of [' ', '{"form_uuid":', '{} {}']) {
      const message = expect.stringMatching(/^The request body is not valid JSON: .+\.$/);
      expectRefusal(await to.client.send(method, pathOf(to), body), 400, { message });
    }
    const meta = ['{"meta":', ' {"a": 1}}'];
    for (const headers of [{}, { 'Content-Length': '18' }, { 'Content-Type': 'text/plain' }]) {
      const request = { method, headers: { ...authorization, ...headers }, body: meta };
      expectRefusal(await sendHttp(use.service.url, pathOf(to), request), 415);
    }
    await expectUntouched(to);
  });
});

describe('a body', () => {
  it('that is not JSON is 400', async () => {
    const { patch } = await draft();
    for (const body of [
      ...[
        '}',
        '[1, 2',
        '"abc',
        'nul',
        'NaN',
        "{'a': 1}",
        '{a: 1}',
        '{"a": 1,}',
        '{"a": 01}',
        '{"a": "\\x41"}',
      ],
      ...['{"a": "\u0001"}', '/* comment */ {}', '\u00a0{}', '\ufeff{}', 'form_uuid=1', '['.repeat(500_000)],
    ])
      expect([body.slice(0, 20), (await patch(body)).status]).toEqual([body.slice(0, 20), 400]);
  });

  it('in invalid UTF-8 or another encoding is 400, also in ignored properties', async () => {
    const to = await draft();
    const send = (body: Buffer) => to.client.send('POST', `${to.path}/values`, new Uint8Array(body));
    for (const bytes of [
      [0xff],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xc3],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe9, 0x42],
    ])
      for (const [before, after] of [
        [`{"values": [{"field_id": ${to.nameId}, "value": "`, '"}]}'],
        ['{"values": [], "unknown": "', '"}'],
        ['{"values": [], "', '": 1}'],
      ] as const)
        expectRefusal(
          await send(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])),
          400,
        );
    expectRefusal(await send(Buffer.from('\ufeff{"values": []}', 'utf16le')), 400);
    await expectUntouched(to);
  });

  it('is 400 if it is nested too deeply at any place, but brackets in text are not nesting', async () => {
    const to = await draft();
    for (const nested of [
      '['.repeat(1_000) + ']'.repeat(1_000),
      '{"a":'.repeat(1_000) + '1' + '}'.repeat(1_000),
    ]) {
      expectRefusal(await to.client.send('POST', SUBMISSIONS, nested), 400);
      expectRefusal(await to.client.send('POST', `${to.path}/advance`, nested), 400);
      expectRefusal(await to.patch(`{"meta": {"a": ${nested}}}`), 400);
      expectRefusal(await to.values(`{"field_id": ${to.nameId}, "value": "x", "unknown": ${nested}}`), 400);
    }
    await expectUntouched(to);
    const value = '[{'.repeat(30_000);
    expect((await to.values(JSON.stringify({ field_id: to.nameId, value }))).status).toBe(200);
    const meta = `${'{"a":'.repeat(30)}"\\"[[["${'}'.repeat(30)}`;
    expect((await to.patch(`{"meta": ${meta}}`)).body.data.meta).toEqual(JSON.parse(meta));
  });

  it('of another type than JSON is 415', async () => {
    const to = await draft();
    const send = (type: string) =>
      to.client.send('PATCH', to.path, '{"meta": {"a": 1}}', { 'Content-Type': type });
    for (const type of [
      ...['text/plain; charset=utf-8', 'text/json', 'application/x-www-form-urlencoded', 'application/jsonx'],
      ...['multipart/form-data; boundary=x', 'application/json-patch+json', 'application/vnd.api+json'],
      ...['application/', 'json', 'nonsense', ';'],
    ])
      expect([type, (await send(type)).status]).toEqual([type, 415]);
    await expectUntouched(to);
    for (const type of [
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/json;charset=UTF-8',
    ])
      expect((await send(type)).body.data.meta).toEqual({ a: 1 });
  });

  it.each<Record<string, string>>([{}, JSON_TYPE, { 'Content-Type': 'text/plain', 'Content-Length': '0' }])(
    'that is empty, with the headers %j, counts as no body',
    async (headers) => {
      const { path } = await draft();
      const send = (method: string, to: string, more: object = {}) =>
        sendHttp(use.service.url, to, { method, headers: { ...authorization, ...headers, ...more } });
      expectInvalid(await send('POST', SUBMISSIONS), 'form_uuid');
      expectInvalid(await send('POST', `${path}/values`), 'values');
      expect((await send('PATCH', path)).status).toBe(200);
      expect((await send('POST', `${path}/advance`)).body.data.current_step).toBe(2);
      if ('Content-Length' in headers) return;
      const ofUnknownLength = { 'Transfer-Encoding': 'chunked' };
      expect((await send('POST', `${path}/retreat`, ofUnknownLength)).body.data.current_step).toBe(1);
    },
  );

  it('of GET is ignored', async () => {
    const { path } = await draft();
    for (const [headers, text] of [
      [JSON_TYPE, '{"shape": "nonsense"}'],
      [JSON_TYPE, '{'],
      [{ 'Content-Type': 'text/plain' }, 'text'],
      [{}, '\u0000'],
    ] as const)
      for (const target of ['/api/v1/forms?per_page=1', path, `${path}/conditions`]) {
        const request = { method: 'GET', headers: { ...authorization, ...headers }, body: [text] };
        expect((await sendHttp(use.service.url, target, request)).status).toBe(200);
      }
  });

  it('has at most 1 MiB, with and without a Content-Length, in bytes and not in characters (V9)', async () => {
    const { client } = await draft();
    expectInvalid(await client.send('POST', SUBMISSIONS, padded(MIB)), 'form_uuid');
    const headers = { ...authorization, ...JSON_TYPE };
    const request = { method: 'POST', headers, body: inChunks(padded(MIB)) };
    expectInvalid(await sendHttp(use.service.url, SUBMISSIONS, request), 'form_uuid');
    const body = `{"form_uuid": "none", "unknown": "${'é'.repeat(MIB / 2)}"}`;
    expectRefusal(await client.send('POST', SUBMISSIONS, body), 413);
  });
});

describe('a URL', () => {
  const BAD = ['%', '%zz', '%2', '%u0041', '%ff', '%E0%A4%A', '%ed%a0%80', 'a%', '%%32%35'];

  it('with a bad escape is 400 in the path, rejected in known parameters, and ignored elsewhere', async () => {
    const { client, path } = await draft();
    for (const escape of BAD) {
      for (const target of [
        ...[`/api/v1/forms/${escape}`, `/api/v1/forms/${escape}/by-slug`, `${SUBMISSIONS}/${escape}`],
        ...[`${path}/${escape}`, `/api/v1/${escape}`, `/${escape}`, `/health/${escape}`],
      ])
        expectRefusal(await client.get(target), 400);
      expectInvalid(await client.get(`/api/v1/forms?page=${escape}`), 'page');
      expectInvalid(await client.get(`${path}/conditions?shape=${escape}`), 'shape');
      for (const search of [escape, `${escape}=1`, `a[${escape}]=${escape}`])
        expect((await client.get(`${path}?${search}`)).status).toBe(200);
    }
  });

  it('with an unusual query never causes a server error', async () => {
    const { client, path } = await draft();
    for (const search of ['?', '??', '?&&&', '?=', '?page', '?page[]=1', '?page=1&page=2', '?__proto__=1'])
      for (const target of ['/api/v1/forms', path, `${path}/conditions`])
        expect([200, 422]).toContain((await client.get(target + search)).status);
  });

  it('with an overlong segment, or U+0000 in its path, is 404', async () => {
    const { client, form, path } = await draft();
    for (const text of ['a'.repeat(256), 'a'.repeat(1_001), 'a'.repeat(15_000), `${form.uuid}%00`, '%00'])
      for (const target of [
        ...[`/api/v1/forms/${text}`, `/api/v1/forms/${text}/by-slug`, `/api/v1/forms/${text}/schema`],
        ...[`${SUBMISSIONS}/${text}`, `${path}${text}/conditions`, `/${text}`],
      ])
        expectRefusal(await client.get(target), 404);
    expectInvalid(await client.get('/api/v1/forms?page=1%00'), 'page');
  });
});

describe('a value', () => {
  it('is 422 with a single message for far too many entries, and 413 for too many values (V9)', async () => {
    const { values } = await draft();
    for (const entry of ['0', '{}', 'null', '[]'])
      expectInvalid(await values(Array.from({ length: 9_990 }, () => entry).join(',')), 'values');
    expectRefusal(await values(`${'0,'.repeat(20_000)}0`), 413);
  });
});

it('a repeated key counts with its last value', async () => {
  const { client, form, patch } = await draft();
  const twice = `{"form_uuid": "nonsense", "form_uuid": "${form.uuid}"}`;
  expect((await client.send('POST', SUBMISSIONS, twice)).status).toBe(201);
  const { body } = await patch('{"meta": {"a": 1, "a": 2}, "meta": {"b": 3, "b": 4}}');
  expect(body.data.meta).toEqual({ b: 4 });
});

describe('malformed HTTP requests', () => {
  const HOST = 'Host: forms.example.org\r\nConnection: close\r\n';
  const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\n${HOST}${headers}\r\n`;
  const FORMS = '/api/v1/forms';
  const post = (headers: string, body = '') =>
    `POST ${SUBMISSIONS} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}\r\n\r\n${body}`;

  it.each([
    ['a garbage request line', 'garbage\r\n\r\n'],
    ['binary data', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n'],
    ['HTTP/2 without an upgrade', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown version', get(FORMS).replace('HTTP/1.1', 'HTTP/9.9')],
    ['a space in the target', get(`${FORMS} x`)],
    ['a target without a slash', get('api/v1/forms')],
    ['bytes beyond ASCII in the target', get('/api/v1/\u00ff\u00fe')],
    ['no Host', `GET ${FORMS} HTTP/1.1\r\nConnection: close\r\n\r\n`],
    ['a header without a colon', get(FORMS, 'nonsense\r\n')],
    ['a space in the name of a header', get(FORMS, 'Bad Name: x\r\n')],
    ['U+0000 in a header', get(FORMS, 'Authorization: Bearer \u0000\r\n')],
    ['a Content-Length that is not a number', post('Content-Length: ten')],
    ['a negative Content-Length', post('Content-Length: -1')],
    ['two Content-Lengths', post('Content-Length: 2\r\nContent-Length: 3', '{} ')],
    ['a length beside chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\n')],
    ['a chunk without a size', post('Transfer-Encoding: chunked', 'ZZ\r\n')],
    ['a header of 20 kB', get(FORMS, `X-Long: ${'x'.repeat(20_000)}\r\n`)],
    ['a target of 20 kB', get(`${FORMS}?${'x'.repeat(20_000)}`)],
    ['ten thousand headers', get(FORMS, 'a: b\r\n'.repeat(10_000))],
  ])('%s is 4xx, and the server keeps running', async (_, request) => {
    const { status, body } = readRaw(await sendRaw(use.service.url, Buffer.from(request, 'latin1')));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(secretsIn(body)).toEqual([]);
    expect(JSON.parse(body)).toMatchObject({ message: expect.any(String) });
    expect((await use.service.anyone.get('/health/live')).status).toBe(200);
  });

  it('a connection that breaks within a body does not affect others', async () => {
    const { hostname, port } = new URL(use.service.url);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`POST /api/v1/submissions HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`);
        socket.write('Content-Length: 100\r\n\r\n{"form_uuid":', () => socket.resetAndDestroy());
      });
      socket.once('close', () => {
        resolve();
      });
    });
    expect((await use.service.anyone.get('/api/v1/forms')).status).toBe(200);
  });

  it.each(['http://forms.example.org', 'HTTPS://forms.example.org:8080'])(
    'a target in absolute form, %s/..., leads to the route in it (RFC 9112, section 3.2.2)',
    async (origin) => {
      const ask = async (path: string) => readRaw(await sendRaw(use.service.url, get(origin + path)));
      expect((await ask('/api/v1/forms')).status).toBe(200);
      expect((await ask(`/api/v1/submissions/${UUID}`)).status).toBe(401);
      for (const path of ['', '/']) expect((await ask(path)).status).toBe(200);
      for (const path of ['/nothing', '/api/v1/nothing']) {
        const { status, body } = await ask(path);
        expect(status).toBe(404);
        expect(JSON.parse(body)).toEqual({ message: expect.any(String) });
      }
    },
  );

  it('garbage after a complete request is rejected after the response to that request', async () => {
    const { client, form } = await draft();
    const body = JSON.stringify({ form_uuid: form.uuid });
    const request =
      `POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization.Authorization}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}}`;
    const [first = '', second = '', ...more] = (await sendRaw(use.service.url, request)).split(
      /(?=HTTP\/1\.1 )/,
    );
    const { status, body: received } = readRaw(first);
    expect([status, readRaw(second).status, more]).toEqual([201, 400, []]);
    const { data } = JSON.parse(received) as { data: { uuid: string } };
    expect((await client.get(`/api/v1/submissions/${data.uuid}`)).status).toBe(200);
  });

  it('a chunked body over the limit leaves the connection usable for the next request', async () => {
    const chunk = `${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`;
    const first =
      `POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization.Authorization}\r\n` +
      `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}${chunk}0\r\n\r\n`;
    const second = get('/health/live');
    const statuses = [...(await sendRaw(use.service.url, first + second)).matchAll(/HTTP\/1\.1 (\d+)/g)];
    expect(statuses.map(([, status]) => status)).toEqual(['413', '200']);
  });

  it('an unread body is not executed as the next request', async () => {
    const smuggled = get('/health/live');
    const first = `GET /health/ready HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
    const second = get('/nothing');
    const statuses = [...(await sendRaw(use.service.url, first + second)).matchAll(/HTTP\/1\.1 (\d+)/g)];
    expect(statuses.map(([, status]) => status)).toEqual(['200', '404']);
  });
});
