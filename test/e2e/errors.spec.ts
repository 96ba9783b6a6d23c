import { eventually } from '../support/eventually.js';
import { type BuiltForm, buildForm } from '../support/forms.js';
import { readRaw, sendHttp, sendRaw } from '../support/raw.js';
import { expectInvalid, expectRefusal, secretsIn } from '../support/refusal.js';
import { newUser, startService, useService } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

const UUID = '01890000-0000-7000-8000-000000000001';
const MIB = 1_048_576;
const JSON_TYPE = { 'Content-Type': 'application/json' };

const use = useService();

// All tests share the user and the form, because each test writes only to its own submission.
let user: Awaited<ReturnType<typeof newUser>>;
let built: BuiltForm;

beforeAll(async () => {
  user = await newUser(use);
  built = await buildForm(use.database.dataSource, {
    steps: [{ name: {}, age: { type: 'number' } }, { note: {} }],
  });
});

async function draft() {
  const { form, fields } = built;
  const created = await user.client.post('/api/v1/submissions', { form_uuid: form.uuid });
  const path = `/api/v1/submissions/${created.body.data.uuid}`;
  const authorization = { Authorization: `Bearer ${user.plainToken}` };
  return { ...user, form, nameId: fields['name']!.id, path, authorization };
}

type Draft = Awaited<ReturnType<typeof draft>>;

/** Routes that read a JSON body: method, path, and the path for a draft. */
const WRITES: [string, string, (to: Draft) => string][] = [
  ['POST', '/submissions', () => '/api/v1/submissions'],
  ['PATCH', '/submissions/{uuid}', ({ path }) => path],
  ['POST', '/submissions/{uuid}/values', ({ path }) => `${path}/values`],
  ['POST', '/submissions/{uuid}/advance', ({ path }) => `${path}/advance`],
  ['POST', '/submissions/{uuid}/retreat', ({ path }) => `${path}/retreat`],
];

/** Expects that the rejected write changed nothing and that the service still works. */
async function expectUntouched({ client, path }: Draft) {
  const { status, body } = await client.get(path);
  expect({ status, ...body.data }).toMatchObject({
    status: 'draft',
    current_step: 1,
    meta: null,
    values: [],
  });
  expect(status).toBe(200);
}

describe('the table of errors (specification, section 7; E2)', () => {
  it('400: a body that is not JSON', async () => {
    const { client } = await draft();
    const answer = await client.send('POST', '/api/v1/submissions', '{"form_uuid":');
    expectRefusal(answer, 400, {
      message: expect.stringMatching(/^The request body is not valid JSON: .+\.$/),
    });
  });

  it('401: a missing or an invalid token', async () => {
    for (const headers of [{ Accept: '*/*' }, { Authorization: 'Bearer nonsense' }] as Record<
      string,
      string
    >[]) {
      const answer = await use.service.anyone.get(`/api/v1/submissions/${UUID}`, headers);
      expectRefusal(answer, 401, { message: 'Unauthenticated.' });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('404: an unknown UUID or slug', async () => {
    const { client } = await newUser(use);
    for (const path of [
      UUID,
      `${UUID}/schema`,
      'no-such-slug/by-slug',
      'nonsense',
      'Not%20A%20Slug/by-slug',
    ]) {
      expectRefusal(await client.get(`/api/v1/forms/${path}`), 404, { message: 'Form not found.' });
    }
    for (const path of ['', '/conditions']) {
      const answer = await client.get(`/api/v1/submissions/${UUID}${path}`);
      expectRefusal(answer, 404, { message: 'Submission not found.' });
    }
    for (const path of ['values', 'advance', 'retreat']) {
      const answer = await client.post(`/api/v1/submissions/${UUID}/${path}`, { values: [] });
      expectRefusal(answer, 404, { message: 'Submission not found.' });
    }
    const answer = await client.patch(`/api/v1/submissions/${UUID}`, {});
    expectRefusal(answer, 404, { message: 'Submission not found.' });
  });

  it('409: a request whose Idempotency-Key is in use', async () => {
    const { client, form } = await draft();
    const create = () =>
      client.post('/api/v1/submissions', { form_uuid: form.uuid }, { 'Idempotency-Key': 'the same' });

    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query('begin');
      await program.query('lock table submissions in exclusive mode');
      const first = create();
      await eventually('the first one waits for the table', async () => {
        const [row] = await use.database.dataSource.query<{ waiting: boolean }[]>(
          `select exists (select from pg_stat_activity where datname = current_database()
             and application_name = 'formtrail' and wait_event_type = 'Lock') as waiting`,
        );
        return row?.waiting;
      });
      const second = await create();
      await program.query('rollback');

      expectRefusal(second, 409);
      expect((await first).status).toBe(201);
    });
  });

  it('412: a submission that has changed since it was read', async () => {
    const to = await draft();
    for (const [method, , pathOf] of WRITES.slice(1)) {
      const body = JSON.stringify({ values: [], meta: { a: 1 } });
      const answer = await to.client.send(method, pathOf(to), body, { 'If-Match': '"an older one"' });
      expectRefusal(answer, 412);
    }
    await expectUntouched(to);
  });

  it('413: a body of more than 1 MiB', async () => {
    const { client } = await draft();
    const answer = await client.send('POST', '/api/v1/submissions', 'x'.repeat(MIB + 1));
    expectRefusal(answer, 413);
  });

  it('415: a body that is not sent as JSON', async () => {
    const { client } = await draft();
    const answer = await client.send('POST', '/api/v1/submissions', '{}', { 'Content-Type': 'text/plain' });
    expectRefusal(answer, 415);
  });

  it('E1: 422: invalid data, with the fixed message and an entry for each field under its dotted path', async () => {
    const to = await draft();
    expectInvalid(await to.client.post('/api/v1/submissions', {}), 'form_uuid');
    const entries = [{ field_id: to.nameId, value: 'good' }, { field_id: 'x', value: 5 }, 'x', {}];
    expectInvalid(
      await to.client.post(`${to.path}/values`, { values: entries }),
      'values.1.field_id',
      'values.1.value',
      'values.2',
      'values.3.field_id',
      'values.3.value',
    );
    expectInvalid(await to.client.patch(to.path, { status: 'open', meta: [] }), 'status', 'meta');
    expectInvalid(await to.client.get(`${to.path}/conditions?shape=tree`), 'shape');
    expectInvalid(await to.client.get('/api/v1/forms?page=0&per_page=101'), 'page', 'per_page');
    await expectUntouched(to);
  });

  it('417: an unknown Expect header', async () => {
    const request = 'GET /api/v1/forms HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\nConnection: close\r\n\r\n';
    const { status, headers, body } = readRaw(await sendRaw(use.service.url, request));
    expect([status, headers.get('content-type')]).toEqual([417, 'application/json; charset=utf-8']);
    expect(JSON.parse(body)).toEqual({ message: expect.stringContaining('Expect') });
  });

  it('422: a move beyond either end, without field errors', async () => {
    const { client, path } = await draft();
    expectRefusal(await client.post(`${path}/retreat`), 422, { message: 'Already on the first step.' });
    await client.post(`${path}/advance`);
    expectRefusal(await client.post(`${path}/advance`), 422, { message: 'Already on the last step.' });
  });

  it('429: more requests than the limit', async () => {
    const limited = await startService(use.database, { THROTTLE_LIMIT: '1' });
    try {
      expect((await limited.anyone.get('/api/v1/forms')).status).toBe(200);
      const answer = await limited.anyone.get('/api/v1/forms');
      expectRefusal(answer, 429);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    } finally {
      await limited.close();
    }
  });

  it('500: an internal error, whose details the body does not show', async () => {
    const { client, path, form } = await draft();
    await use.database.dataSource.query('alter table submissions rename column updated_at to away');
    try {
      for (const answer of [
        await client.get(path),
        await client.patch(path, { meta: {} }),
        await client.post(`${path}/advance`),
        await client.post('/api/v1/submissions', { form_uuid: form.uuid }),
      ]) {
        expectRefusal(answer, 500, { message: 'Server error.' });
      }
    } finally {
      await use.database.dataSource.query('alter table submissions rename column away to updated_at');
    }
    expect((await client.get(path)).status).toBe(200);
  });
  // database-loss.spec.ts tests 503.
});

describe('E3: unknown routes and methods', () => {
  it.each([
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1/nothing',
    '/api/v1/forms/x/y/z',
    '/api/v1/forms/x/by-slug/',
    `/api/v1/submissions/${UUID}/values`,
    `/api/v1/submissions/${UUID}/records/1`,
    `/api/v1/submissions/${UUID}/nothing`,
    '/api/v2/forms',
    '/API/V1/FORMS',
    '//api/v1/forms',
    '/forms',
    '/health',
    '/health/nothing',
    '/favicon.ico',
    '/.env',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/api/v1/forms%3Fpage=1',
  ])('GET %s is 404', async (path) => {
    expectRefusal(await use.service.anyone.get(path), 404);
  });

  it.each([
    ['POST', '/api/v1/forms'],
    ['PUT', '/api/v1/forms'],
    ['PATCH', '/api/v1/forms'],
    ['DELETE', '/api/v1/forms'],
    ['POST', `/api/v1/forms/${UUID}/schema`],
    ['PUT', '/api/v1/submissions'],
    ['PATCH', '/api/v1/submissions'],
    ['DELETE', '/api/v1/submissions'],
    ['DELETE', `/api/v1/submissions/${UUID}/records`],
    ['DELETE', `/api/v1/submissions/${UUID}/values`],
    ['POST', `/api/v1/submissions/${UUID}`],
    ['PUT', `/api/v1/submissions/${UUID}/values`],
    ['PATCH', `/api/v1/submissions/${UUID}/advance`],
    ['POST', `/api/v1/submissions/${UUID}/conditions`],
    ['POST', '/health/live'],
    ['DELETE', '/'],
    ['PROPFIND', '/api/v1/forms'],
    ['TRACE', '/api/v1/forms'],
  ])('%s %s is 404 with any body', async (method, path) => {
    const bodies: [Record<string, string>, string[]][] = [
      [{}, []],
      [JSON_TYPE, []],
      [JSON_TYPE, ['{}']],
      [JSON_TYPE, ['{']],
      [{ 'Content-Type': 'text/plain' }, ['text']],
      [{}, ['{}']],
    ];
    for (const [headers, body] of method === 'TRACE' ? bodies.slice(0, 1) : bodies) {
      expectRefusal(await sendHttp(use.service.url, path, { method, headers, body }), 404);
    }
  });

  it('responds to OPTIONS that is not a preflight, in JSON if it rejects the request', async () => {
    for (const path of ['/api/v1/forms', '/nothing']) {
      const answer = await sendHttp(use.service.url, path, { method: 'OPTIONS' });
      if (answer.status >= 400) expectRefusal(answer, answer.status);
    }
  });
});

describe('bodies that are not JSON are 400', () => {
  const BROKEN = [
    ' ',
    '{',
    '}',
    '[1, 2',
    '"abc',
    'nul',
    'undefined',
    'NaN',
    'Infinity',
    "{'a': 1}",
    '{a: 1}',
    '{"a":}',
    '{"a" 1}',
    '{"a": 1,}',
    '[1,]',
    '{"a": 01}',
    '{"a": +1}',
    '{"a": .5}',
    '{"a": 1e}',
    '{"a": 0x10}',
    '{"a": "\\x41"}',
    '{"a": "\\u12"}',
    '{"a": "\u0001"}',
    '{"a": "line\nbreak"}',
    '{} {}',
    '{}}',
    '/* comment */ {}',
    '\u00a0{}',
    'form_uuid=1',
    '<xml/>',
  ];

  it.each(WRITES)('%s %s', async (method, _, pathOf) => {
    const to = await draft();
    for (const body of BROKEN) {
      const answer = await to.client.send(method, pathOf(to), body);
      expect({ body, status: answer.status }).toEqual({ body, status: 400 });
      expectRefusal(answer, 400, { message: expect.stringMatching(/^The request body is not valid JSON/) });
    }
    await expectUntouched(to);
  });

  it.each([
    ['a byte that UTF-8 never uses', [0xff]],
    ['an overlong zero', [0xc0, 0x80]],
    ['a lone surrogate', [0xed, 0xa0, 0x80]],
    ['a truncated character', [0xc3]],
    ['a code point beyond the last', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0x41, 0xe9, 0x42]],
  ])('invalid UTF-8: %s, in a value and in ignored properties', async (_, bytes) => {
    const to = await draft();
    for (const [before, after] of [
      [`{"values": [{"field_id": ${to.nameId}, "value": "`, '"}]}'],
      ['{"values": [], "unknown": "', '"}'],
      ['{"values": [], "', '": 1}'],
    ] as const) {
      const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
      const answer = await to.client.send('POST', `${to.path}/values`, new Uint8Array(body));
      expectRefusal(answer, 400);
    }
    await expectUntouched(to);
  });

  it('other encodings of Unicode', async () => {
    const to = await draft();
    const utf16 = new Uint8Array(Buffer.from('\ufeff{"values": []}', 'utf16le'));
    expectRefusal(await to.client.send('POST', `${to.path}/values`, utf16), 400);
  });

  it('nesting of 100,000 levels, at any place', async () => {
    const to = await draft();
    const arrays = '['.repeat(100_000) + ']'.repeat(100_000);
    const objects = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000);
    for (const nested of [arrays, objects]) {
      for (const [method, path, body] of [
        ['POST', '/api/v1/submissions', nested],
        ['POST', '/api/v1/submissions', `{"form_uuid": ${nested}}`],
        ['POST', '/api/v1/submissions', `{"form_uuid": "${to.form.uuid}", "unknown": ${nested}}`],
        ['PATCH', to.path, `{"meta": ${nested}}`],
        ['PATCH', to.path, `{"meta": {"a": ${nested}}}`],
        ['PATCH', to.path, `{"status": ${nested}}`],
        ['POST', `${to.path}/values`, `{"values": ${nested}}`],
        ['POST', `${to.path}/values`, `{"values": [{"field_id": ${to.nameId}, "value": ${nested}}]}`],
        ['POST', `${to.path}/values`, `{"values": [], "unknown": ${nested}}`],
        ['POST', `${to.path}/advance`, nested],
      ] as const) {
        expectRefusal(await to.client.send(method, path, body), 400);
      }
    }
    expectRefusal(await to.client.send('PATCH', to.path, '['.repeat(500_000)), 400);
    await expectUntouched(to);
  });

  it('but brackets in text are not nesting, and 30 levels are accepted', async () => {
    const to = await draft();
    const value = '[{'.repeat(30_000);
    const values = [{ field_id: to.nameId, value }];
    expect((await to.client.post(`${to.path}/values`, { values })).status).toBe(200);
    const meta = JSON.parse('{"a":'.repeat(30) + '"\\"[[["' + '}'.repeat(30)) as object;
    expect((await to.client.patch(to.path, { meta })).body.data.meta).toEqual(meta);
  });
});

describe('bodies that are not sent as JSON are 415', () => {
  it.each(WRITES)('%s %s', async (method, _, pathOf) => {
    const to = await draft();
    for (const type of [
      'text/plain',
      'text/plain; charset=utf-8',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'application/xml',
      'application/jsonx',
      'application/json-patch+json',
      'application/vnd.api+json',
      'application/',
      'json',
      'nonsense',
      ';',
    ]) {
      const answer = await to.client.send(method, pathOf(to), '{"meta": {"a": 1}}', { 'Content-Type': type });
      expect({ type, status: answer.status }).toEqual({ type, status: 415 });
      expectRefusal(answer, 415);
    }
    const withoutType = { method, headers: to.authorization, body: ['{"meta":', ' {"a": 1}}'] };
    expectRefusal(await sendHttp(use.service.url, pathOf(to), withoutType), 415);
    const lengthened = { ...withoutType, headers: { ...to.authorization, 'Content-Length': '18' } };
    expectRefusal(await sendHttp(use.service.url, pathOf(to), lengthened), 415);
    await expectUntouched(to);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json;charset=UTF-8',
  ])('but %s is JSON', async (type) => {
    const { client, path } = await draft();
    const answer = await client.send('PATCH', path, '{"meta": {"a": 1}}', { 'Content-Type': type });
    expect(answer.body.data.meta).toEqual({ a: 1 });
  });
});

describe('an empty body', () => {
  it.each<Record<string, string>>([{}, JSON_TYPE, { 'Content-Type': 'text/plain', 'Content-Length': '0' }])(
    'with the headers %j counts as no body',
    async (headers) => {
      const { path, authorization, form, client } = await draft();
      const send = (method: string, to: string) =>
        sendHttp(use.service.url, to, { method, headers: { ...authorization, ...headers } });
      expectInvalid(await send('POST', '/api/v1/submissions'), 'form_uuid');
      expectInvalid(await send('POST', `${path}/values`), 'values');
      expect((await send('PATCH', path)).status).toBe(200);
      expect((await send('POST', `${path}/advance`)).body.data.current_step).toBe(2);
      expect((await send('POST', `${path}/retreat`)).body.data.current_step).toBe(1);
      expect((await client.get(`/api/v1/forms/${form.uuid}`)).status).toBe(200);
    },
  );

  it.each<Record<string, string>>([{}, JSON_TYPE, { 'Content-Type': 'text/plain' }])(
    'of unknown length with the headers %j counts as no body too',
    async (headers) => {
      const { path, authorization } = await draft();
      const request = {
        method: 'POST',
        headers: { ...authorization, ...headers, 'Transfer-Encoding': 'chunked' },
      };
      expect((await sendHttp(use.service.url, `${path}/advance`, request)).status).toBe(200);
      const withBody = { ...request, body: ['{', '}'] };
      const { status } = await sendHttp(use.service.url, `${path}/retreat`, withBody);
      expect(status).toBe(headers['Content-Type'] === 'application/json' ? 200 : 415);
    },
  );

  it('a body of GET is ignored', async () => {
    const { path, authorization } = await draft();
    for (const [headers, body] of [
      [JSON_TYPE, '{"shape": "nonsense"}'],
      [JSON_TYPE, '{'],
      [{ 'Content-Type': 'text/plain' }, 'text'],
      [{}, '\u0000'],
    ] as const) {
      for (const target of ['/api/v1/forms', path, `${path}/conditions`]) {
        const request = { method: 'GET', headers: { ...authorization, ...headers }, body: [body] };
        expect((await sendHttp(use.service.url, target, request)).status).toBe(200);
      }
    }
  });
});

describe('V9: bodies of more than 1 MiB are 413', () => {
  const padded = (bytes: number) => {
    const [before, after] = ['{"form_uuid": "none", "unknown": "', '"}'];
    return before + 'x'.repeat(bytes - before.length - after.length) + after;
  };
  const inChunks = (text: string) => text.match(/[^]{1,65536}/g) ?? [];

  it('but a body of exactly 1 MiB is read, with and without a Content-Length', async () => {
    const { client, authorization } = await draft();
    expectInvalid(await client.send('POST', '/api/v1/submissions', padded(MIB)), 'form_uuid');
    const request = {
      method: 'POST',
      headers: { ...authorization, ...JSON_TYPE },
      body: inChunks(padded(MIB)),
    };
    expectInvalid(await sendHttp(use.service.url, '/api/v1/submissions', request), 'form_uuid');
  });

  it.each(WRITES)('%s %s', async (method, _, pathOf) => {
    const to = await draft();
    const headers = { ...to.authorization, ...JSON_TYPE };
    const lengthened = { ...headers, 'Content-Length': String(MIB + 1) };
    const chunks = inChunks(padded(MIB + 1));
    for (const request of [
      { method, headers: lengthened, body: chunks },
      { method, headers, body: chunks },
      // A body whose Content-Length is too large is rejected before it is read.
      { method, headers: { ...headers, 'Content-Length': String(2 ** 40) }, body: ['{'] },
    ]) {
      expectRefusal(await sendHttp(use.service.url, pathOf(to), request), 413);
    }
    await expectUntouched(to);
  });

  it('counts bytes, not characters', async () => {
    const { client } = await draft();
    const body = `{"form_uuid": "none", "unknown": "${'é'.repeat(MIB / 2)}"}`;
    expect(body.length).toBeLessThan(MIB);
    expectRefusal(await client.send('POST', '/api/v1/submissions', body), 413);
  });
});

describe('bad escapes in a URL', () => {
  const BAD = ['%', '%z', '%zz', '%2', '%u0041', '%ff', '%c3', '%E0%A4%A', '%ed%a0%80', 'a%', '%%32%35'];

  it.each(BAD)('%s in the path is 400', async (escape) => {
    const { client, path } = await draft();
    for (const target of [
      `/api/v1/forms/${escape}`,
      `/api/v1/forms/${escape}/schema`,
      `/api/v1/forms/${escape}/by-slug`,
      `/api/v1/submissions/${escape}`,
      `${path}/${escape}`,
      `/api/v1/${escape}`,
      `/${escape}`,
      `/health/${escape}`,
    ]) {
      const answer = await client.get(target);
      expect({ target, status: answer.status }).toEqual({ target, status: 400 });
      expectRefusal(answer, 400);
    }
  });

  it.each(BAD)('%s in the query is rejected in known parameters and ignored elsewhere', async (escape) => {
    const { client, path } = await draft();
    expectInvalid(await client.get(`/api/v1/forms?page=${escape}`), 'page');
    expectInvalid(await client.get(`/api/v1/forms?per_page=1${escape}`), 'per_page');
    expectInvalid(await client.get(`${path}/conditions?shape=${escape}`), 'shape');
    for (const query of [escape, `${escape}=1`, `unknown=${escape}`, `a[${escape}]=${escape}`]) {
      expect((await client.get(`/api/v1/forms?${query}`)).status).toBe(200);
      expect((await client.get(`${path}?${query}`)).status).toBe(200);
    }
  });

  it.each([
    '?',
    '??',
    '?&&&',
    '?=',
    '?page',
    '?page[]=1',
    '?page[a]=1',
    '?page=1&page=2',
    '?__proto__=1',
    '?constructor=5',
  ])('the query %s never causes a server error', async (query) => {
    const { client, path } = await draft();
    for (const target of ['/api/v1/forms', path, `${path}/conditions`]) {
      const answer = await client.get(target + query);
      expect([200, 422]).toContain(answer.status);
    }
  });

  it('an overlong segment of a path is 404', async () => {
    const { client } = await draft();
    for (const length of [256, 999, 1_001, 8_000, 15_000]) {
      const long = 'a'.repeat(length);
      expectRefusal(await client.get(`/api/v1/forms/${long}`), 404);
      expectRefusal(await client.get(`/api/v1/forms/${long}/by-slug`), 404);
      expectRefusal(await client.get(`/api/v1/forms/${long}/schema`), 404);
      expectRefusal(await client.get(`/api/v1/submissions/${long}`), 404);
      expectRefusal(await client.get(`/${long}`), 404);
    }
  });
});

describe('V10: text that PostgreSQL cannot store is 422 under its name', () => {
  const TEXTS = ['\\u0000', 'a\\u0000b', '\\ud800', '\\udc00', 'x\\ud83d', '\\ude00\\ud83d'];

  it.each(TEXTS)('"%s"', async (text) => {
    const to = await draft();
    const { client, path, nameId } = to;
    const values = (entry: string) => client.send('POST', `${path}/values`, `{"values": [${entry}]}`);
    const patch = (body: string) => client.send('PATCH', path, body);

    expectInvalid(await client.send('POST', '/api/v1/submissions', `{"form_uuid": "${text}"}`), 'form_uuid');
    expectInvalid(
      await client.send('POST', '/api/v1/submissions', `{"form_uuid": "${to.form.uuid}${text}"}`),
      'form_uuid',
    );
    expectInvalid(await values(`{"field_id": ${nameId}, "value": "${text}"}`), 'values.0.value');
    expectInvalid(await values(`{"field_code": "${text}", "value": "x"}`), 'values.0.field_code');
    expectInvalid(await values(`{"field_code": "name${text}", "value": "x"}`), 'values.0.field_code');
    expectInvalid(await values(`{"field_id": "${text}", "value": "x"}`), 'values.0.field_id');
    expectInvalid(
      await values(`{"field_id": ${nameId}, "value": "x", "entity_record_id": "${text}"}`),
      'values.0.entity_record_id',
    );
    expectInvalid(await patch(`{"status": "${text}"}`), 'status');
    expectInvalid(await patch(`{"meta": "${text}"}`), 'meta');
    expectInvalid(await patch(`{"meta": {"a": "${text}"}}`), 'meta');
    expectInvalid(await patch(`{"meta": {"${text}": 1}}`), 'meta');
    expectInvalid(await patch(`{"meta": {"a": [{"b": ["${text}"]}]}}`), 'meta');
    await expectUntouched(to);

    // Ignored properties are not stored, so they may contain text that PostgreSQL cannot store.
    expect((await patch(`{"unknown": "${text}", "${text}": 1}`)).status).toBe(200);
    expect((await values(`{"field_id": ${nameId}, "value": "x", "${text}": "${text}"}`)).status).toBe(200);
  });

  it('U+0000 in a path is 404, and 422 in a query parameter', async () => {
    const { client, path, form } = await draft();
    for (const target of [
      '/api/v1/forms/%00',
      `/api/v1/forms/${form.uuid}%00`,
      `/api/v1/forms/%00${form.slug}/by-slug`,
      `/api/v1/forms/${form.uuid}%00/schema`,
      `${path}%00`,
      `${path}%00/conditions`,
      '/%00',
    ]) {
      expectRefusal(await client.get(target), 404);
    }
    expectInvalid(await client.get('/api/v1/forms?page=1%00'), 'page');
    expectInvalid(await client.get(`${path}/conditions?shape=map%00`), 'shape');
  });

  it('an Idempotency-Key that is not printable ASCII, or too long, is 422 (S10)', async () => {
    const { client, form } = await draft();
    for (const key of ['\u00e9', '\t\u0080', 'x'.repeat(256)]) {
      const headers = { 'Idempotency-Key': key };
      const answer = await client.post('/api/v1/submissions', { form_uuid: form.uuid }, headers);
      expectInvalid(answer, 'Idempotency-Key');
    }
  });
});

describe('values of another type or out of range', () => {
  const NOT_AN_ID = [
    ...['0', '-1', '1.5', '9007199254740992', '9007199254740993', '1e400', '-1e400', '1e-400', '1e21'],
    ...['"1"', '""', 'true', 'false', '[1]', '[]', '{}', '{"constructor": null}', `1${'0'.repeat(5_000)}`],
  ];

  it.each(NOT_AN_ID)('the id %.30s is 422', async (id) => {
    const to = await draft();
    const values = (entry: string) => to.client.send('POST', `${to.path}/values`, `{"values": [${entry}]}`);
    expectInvalid(await values(`{"field_id": ${id}, "value": "x"}`), 'values.0.field_id');
    expectInvalid(
      await values(`{"field_id": ${to.nameId}, "value": "x", "entity_record_id": ${id}}`),
      'values.0.entity_record_id',
    );
    await expectUntouched(to);
  });

  it('the largest possible id is unknown, not out of range', async () => {
    const { client, path, nameId } = await draft();
    const mistakes = async (entry: object) =>
      (await client.post(`${path}/values`, { values: [{ value: 'x', ...entry }] })).body.errors;
    const outOfRange = 'The field_id must be an integer from 1 to 2147483647.';
    expect(await mistakes({ field_id: 2_147_483_648 })).toEqual({ 'values.0.field_id': [outOfRange] });
    expect(await mistakes({ field_id: 2_147_483_647 })).not.toEqual({ 'values.0.field_id': [outOfRange] });
    for (const entity_record_id of [2_147_483_648, Number.MAX_SAFE_INTEGER])
      expect(await mistakes({ field_id: nameId, entity_record_id })).toEqual({
        'values.0.entity_record_id': ['This submission has no entity record with this id.'],
      });
  });

  it.each(['[]', '[{}]', '"text"', '5', 'true', 'false', '1e400', '""'])(
    'a body that is %s is 422',
    async (body) => {
      const to = await draft();
      for (const [method, , pathOf] of WRITES.slice(0, 3)) {
        const answer = await to.client.send(method, pathOf(to), body);
        expectRefusal(answer, 422, { message: 'The given data was invalid.', errors: expect.any(Object) });
      }
      await expectUntouched(to);
    },
  );

  it.each([
    'null',
    '[]',
    '{}',
    '5',
    '1e999',
    'true',
    '["x"]',
    '{"toString": null}',
    '{"length": 1, "0": "x"}',
  ])('%s instead of a string, an array or an object is 422', async (other) => {
    const to = await draft();
    const { client, path, nameId } = to;
    const send = (method: string, target: string, body: string) => client.send(method, target, body);
    expectInvalid(await send('POST', '/api/v1/submissions', `{"form_uuid": ${other}}`), 'form_uuid');
    expectInvalid(await send('PATCH', path, `{"status": ${other}}`), 'status');
    expectInvalid(
      await send('POST', `${path}/values`, `{"values": [{"field_id": ${nameId}, "value": ${other}}]}`),
      'values.0.value',
    );
    expectInvalid(
      await send('POST', `${path}/values`, `{"values": [{"field_code": ${other}, "value": "x"}]}`),
      'values.0.field_code',
    );
    if (!other.startsWith('[')) {
      expectInvalid(await send('POST', `${path}/values`, `{"values": ${other}}`), 'values');
    }
    if (!other.startsWith('{')) {
      expectInvalid(await send('POST', `${path}/values`, `{"values": [${other}]}`), 'values.0');
      if (other !== 'null') expectInvalid(await send('PATCH', path, `{"meta": ${other}}`), 'meta');
    }
    await expectUntouched(to);
  });

  it('far too many entries are rejected with a single message', async () => {
    const { client, path } = await draft();
    for (const entry of ['0', '{}', 'null', '[]']) {
      const entries = Array.from({ length: 9_990 }, () => entry).join(',');
      expectInvalid(await client.send('POST', `${path}/values`, `{"values": [${entries}]}`), 'values');
    }
    expectRefusal(await client.send('POST', `${path}/values`, `{"values": [${'0,'.repeat(20_000)}0]}`), 413);
  });
});

describe('E8: unknown properties', () => {
  const KEYS = [
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'toJSON',
    'then',
    'length',
  ];
  const CONTENTS = [
    ...['5', 'null', '"text"', '[]', '{}', '{"polluted": true}'],
    ...[
      '{"constructor": 5}',
      '{"constructor": null}',
      '{"__proto__": null}',
      '{"toString": "x", "toJSON": 1}',
    ],
  ];
  /** Two cases for each content: `__proto__` alone, and all keys together. */
  const cases = CONTENTS.flatMap((content) => [
    `"__proto__": ${content}`,
    ['__proto__', ...KEYS].map((key) => `"${key}": ${content}`).join(', '),
  ]);

  afterEach(() => {
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('are ignored beside known ones, at every level', async () => {
    const { client, path, nameId, form } = await draft();
    const send = async (method: string, target: string, body: string, status: number) => {
      const answer = await client.send(method, target, body);
      expect({ body, status: answer.status }).toEqual({ body, status });
      return answer;
    };
    for (const member of cases) {
      await send('POST', '/api/v1/submissions', `{"form_uuid": "${form.uuid}", ${member}}`, 201);
      await send(
        'POST',
        '/api/v1/submissions',
        `{"form_uuid": "${form.uuid}", "x": {"y": [{${member}}]}}`,
        201,
      );
      await send('PATCH', path, `{${member}, "unknown": {${member}}}`, 200);
      const entry = `{"field_id": ${nameId}, "value": "x", ${member}}`;
      const { body } = await send(
        'POST',
        `${path}/values`,
        `{${member}, "values": [${entry}], "x": [{${member}}]}`,
        200,
      );
      expect(body.data).toEqual([
        { field_id: nameId, field_code: 'name', value: 'x', entity_record_id: null },
      ]);
      await send('POST', `${path}/advance`, `{${member}}`, 200);
      await send('POST', `${path}/retreat`, `{"x": {${member}}}`, 200);
    }
  });

  it('do not supply known ones through a prototype', async () => {
    const { client, form } = await draft();
    const body = `{"__proto__": {"form_uuid": "${form.uuid}"}, "constructor": {"prototype": {"form_uuid": "${form.uuid}"}}}`;
    expectInvalid(await client.send('POST', '/api/v1/submissions', body), 'form_uuid');
  });

  it('make no valid value: objects with such keys are 422', async () => {
    const { client, path, nameId } = await draft();
    for (const member of cases) {
      const value = `{"values": [{"field_id": ${nameId}, "value": {${member}}}]}`;
      expectInvalid(await client.send('POST', `${path}/values`, value), 'values.0.value');
      expectInvalid(await client.send('POST', `${path}/values`, `{"values": {${member}}}`), 'values');
      expectInvalid(await client.send('PATCH', path, `{"status": {${member}}}`), 'status');
      expectInvalid(
        await client.send('POST', `${path}/values`, `{"values": [{${member}}]}`),
        'values.0.field_id',
        'values.0.value',
      );
    }
  });

  it('are stored in meta unchanged (S5)', async () => {
    const { client, path } = await draft();
    for (const member of cases) {
      const meta = `{${member},"a":{"b":[{${member}}]}}`;
      const patched = await client.send('PATCH', path, `{"meta": ${meta}}`);
      expect({ meta, status: patched.status }).toEqual({ meta, status: 200 });
      for (const { body } of [patched, await client.get(path)]) {
        expect(JSON.stringify(body.data.meta)).toBe(JSON.stringify(JSON.parse(meta)));
      }
    }
  });

  it('a repeated key counts with its last value', async () => {
    const { client, form, path } = await draft();
    const twice = `{"form_uuid": "nonsense", "form_uuid": "${form.uuid}"}`;
    expect((await client.send('POST', '/api/v1/submissions', twice)).status).toBe(201);
    const meta = await client.send('PATCH', path, '{"meta": {"a": 1, "a": 2}, "meta": {"b": 3, "b": 4}}');
    expect(meta.body.data.meta).toEqual({ b: 4 });
  });
});

describe('malformed HTTP requests', () => {
  const HOST = 'Host: forms.example.org\r\nConnection: close\r\n';

  it.each([
    ['a garbage request line', 'garbage\r\n\r\n'],
    ['binary data', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n'],
    ['HTTP/2 without an upgrade', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown version', `GET /api/v1/forms HTTP/9.9\r\n${HOST}\r\n`],
    ['a space in the target', `GET /api/v1/forms x HTTP/1.1\r\n${HOST}\r\n`],
    ['a target without a slash', `GET api/v1/forms HTTP/1.1\r\n${HOST}\r\n`],
    ['bytes beyond ASCII in the target', `GET /api/v1/\u00ff\u00fe HTTP/1.1\r\n${HOST}\r\n`],
    ['no Host', 'GET /api/v1/forms HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a header without a colon', `GET /api/v1/forms HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`],
    ['a space in the name of a header', `GET /api/v1/forms HTTP/1.1\r\n${HOST}Bad Name: x\r\n\r\n`],
    ['U+0000 in a header', `GET /api/v1/forms HTTP/1.1\r\n${HOST}Authorization: Bearer \u0000\r\n\r\n`],
    [
      'a Content-Length that is not a number',
      `POST /api/v1/submissions HTTP/1.1\r\n${HOST}Content-Length: ten\r\n\r\n`,
    ],
    ['a negative Content-Length', `POST /api/v1/submissions HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`],
    [
      'two Content-Lengths',
      `POST /api/v1/submissions HTTP/1.1\r\n${HOST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
    ],
    [
      'a Content-Length beside chunks',
      `POST /api/v1/submissions HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a chunk without a size',
      `POST /api/v1/submissions HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n`,
    ],
    ['a header of 20 kB', `GET /api/v1/forms HTTP/1.1\r\n${HOST}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a target of 20 kB', `GET /api/v1/forms?${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`],
    ['ten thousand headers', `GET /api/v1/forms HTTP/1.1\r\n${HOST}${'a: b\r\n'.repeat(10_000)}\r\n`],
    ['an unknown expectation', `GET /api/v1/forms HTTP/1.1\r\n${HOST}Expect: the-unexpected\r\n\r\n`],
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
    const { connect } = await import('node:net');
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

  it.each(['http://forms.example.org', 'HTTP://forms.example.org:8080', 'https://forms.example.org'])(
    'a target in absolute form, %s/..., leads to the route in it (RFC 9112, section 3.2.2)',
    async (origin) => {
      const ask = async (path: string) => {
        const text = await sendRaw(use.service.url, `GET ${origin}${path} HTTP/1.1\r\n${HOST}\r\n`);
        return readRaw(text);
      };
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
    const { client, authorization, form } = await draft();
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
    const { authorization } = await draft();
    const chunk = `${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`;
    const first =
      `POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization.Authorization}\r\n` +
      `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}${chunk}0\r\n\r\n`;
    const second = `GET /health/live HTTP/1.1\r\n${HOST}\r\n`;
    const statuses = [...(await sendRaw(use.service.url, first + second)).matchAll(/HTTP\/1\.1 (\d+)/g)];
    expect(statuses.map(([, status]) => status)).toEqual(['413', '200']);
  });

  it('an unread body is not executed as the next request', async () => {
    const smuggled = `GET /health/live HTTP/1.1\r\n${HOST}\r\n`;
    const first = `GET /health/ready HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
    const second = `GET /nothing HTTP/1.1\r\n${HOST}\r\n`;
    const statuses = [...(await sendRaw(use.service.url, first + second)).matchAll(/HTTP\/1\.1 (\d+)/g)];
    expect(statuses.map(([, status]) => status)).toEqual(['200', '404']);
  });
});
