import type { Answer } from '../support/client.js';
import { type BuiltForm, buildForm } from '../support/forms.js';
import { sendHttp } from '../support/raw.js';
import { newUser, type Service, useService, withServiceOn } from '../support/service.js';

const UUID = '01890000-0000-7000-8000-000000000001';
const FORMS = '/api/v1/forms';

const use = useService();
let built: BuiltForm;
let own: Awaited<ReturnType<typeof newUser>>;
let submission: string;
/** A response of each kind with a body, by name. */
let answers: [string, Answer][];
let withoutBody: [string, Answer][];

beforeAll(async () => {
  built = await buildForm(use.database.dataSource, { steps: [{ name: {} }, { note: {} }] });
  own = await newUser(use);
  const { client } = own;
  const { anyone, url } = use.service;
  const created = await client.post('/api/v1/submissions', { form_uuid: built.form.uuid });
  submission = `/api/v1/submissions/${created.body.data.uuid}`;
  const large = {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${own.plainToken}` },
    body: ['x'.repeat(2 ** 20 + 1)],
  };
  answers = [
    ['200 list', await anyone.get(FORMS)],
    ['200 form', await anyone.get(`${FORMS}/${built.form.uuid}`)],
    ['200 form by slug', await anyone.get(`${FORMS}/${built.form.slug}/by-slug`)],
    ['200 schema', await anyone.get(`${FORMS}/${built.form.uuid}/schema`)],
    ['200 conditions of a form', await anyone.get(`${FORMS}/${built.form.uuid}/conditions`)],
    ['200 submission', await client.get(submission)],
    ['200 patched', await client.patch(submission, {})],
    ['200 values', await client.post(`${submission}/values`, { values: [] })],
    ['200 advance', await client.post(`${submission}/advance`)],
    ['200 retreat', await client.post(`${submission}/retreat`)],
    ['200 conditions', await client.get(`${submission}/conditions`)],
    ['200 live', await anyone.get('/health/live')],
    ['200 ready', await anyone.get('/health/ready')],
    ['201', created],
    ['400 body', await client.send('PATCH', submission, '{')],
    ['400 URL', await anyone.get(`${FORMS}/%zz`)],
    ['401', await anyone.get(submission)],
    ['404 form', await anyone.get(`${FORMS}/${UUID}`)],
    ['404 route', await anyone.get('/nothing')],
    ['404 method', await sendHttp(url, FORMS, { method: 'DELETE' })],
    ['412', await client.patch(submission, { meta: {} }, { 'If-Match': '"x"' })],
    ['413', await sendHttp(url, submission, large)],
    ['415', await client.send('PATCH', submission, 'x', { 'Content-Type': 'text/plain' })],
    ['422', await client.post('/api/v1/submissions', {})],
  ];
  const known = { 'If-None-Match': '*' };
  const preflight = { Origin: 'https://app.example.org', 'Access-Control-Request-Method': 'GET' };
  withoutBody = [
    ['204 preflight', await sendHttp(url, FORMS, { method: 'OPTIONS', headers: preflight })],
    ['304', await anyone.get(FORMS, known)],
    ['304 HEAD', await sendHttp(url, FORMS, { method: 'HEAD', headers: known })],
  ];
});

const withService = (variables: Record<string, string>, test: (service: Service) => Promise<void>) =>
  withServiceOn(use.database, variables, test);

it('every response with a body is JSON and declares UTF-8', () => {
  for (const [name, { status, headers, body }] of answers) {
    expect([name, name.startsWith(String(status)), headers.get('content-type'), typeof body]).toEqual([
      ...[name, true, 'application/json; charset=utf-8', 'object'],
    ]);
  }
});

describe('E9: security headers', () => {
  it('are on every response, including errors, 304 and preflights', () => {
    for (const [name, { headers }] of [...answers, ...withoutBody]) {
      const isOfSecurity = /^(?:x-(?!ratelimit-|request-id$).*|.*-policy|strict-transport-security)$/;
      const found = [...headers].filter(([header]) => isOfSecurity.test(header));
      expect({ name, ...Object.fromEntries(found) }).toEqual({
        name,
        'x-content-type-options': 'nosniff',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'cross-origin',
      });
    }
  });

  it('do not reveal the software of the server', () => {
    for (const [name, { headers }] of answers) {
      const revealing = [...headers].filter(
        ([header, value]) =>
          ['x-powered-by', 'server', 'via'].includes(header) || /fastify|nest|node|express/i.test(value),
      );
      expect([name, revealing]).toEqual([name, []]);
    }
  });
});

describe('E12: X-Request-Id', () => {
  const MADE = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

  it('is on every response, with a new value each time', () => {
    const all = [...answers, ...withoutBody];
    const ids = all.map(([, { headers }]) => headers.get('x-request-id'));
    for (const id of ids) expect(id).toMatch(MADE);
    expect(new Set(ids).size).toBe(all.length);
  });

  it('is also on the response to a request over the rate limit', () =>
    withService({ THROTTLE_LIMIT: '1' }, async ({ anyone }) => {
      await anyone.get(FORMS);
      const { status, headers } = await anyone.get(FORMS, { 'X-Request-Id': 'one-too-many' });
      expect([status, headers.get('x-request-id')]).toEqual([429, 'one-too-many']);
    }));

  it('has the value that the client sends, or a new value if it is malformed or repeated', async () => {
    for (const given of [
      'a',
      'x'.repeat(128),
      'd5f2c1f0-6f6b-4e0e-9a53-0a4f7b6f2f11',
      'Root=1-67-a:b/c+d=@e_f.g',
    ])
      for (const path of [FORMS, `${FORMS}/%zz`, '/nothing']) {
        const { headers } = await use.service.anyone.get(path, { 'X-Request-Id': given });
        expect(headers.get('x-request-id')).toBe(given);
      }
    const malformed = ['', 'x'.repeat(129), 'a b', 'a,b', 'a;b', '{"a":1}', 'a%0ab', '\u00e9', 'a\tb'];
    for (const given of [...malformed, ['a', 'b']]) {
      const { headers } = await sendHttp(use.service.url, FORMS, { headers: { 'X-Request-Id': given } });
      expect(headers.get('x-request-id')).toMatch(MADE);
    }
  });
});

describe('E6: CORS', () => {
  const EXPOSED = [
    'etag',
    'location',
    'retry-after',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-request-id',
  ];
  const listed = (header: string | null) => (header ?? '').toLowerCase().split(/\s*,\s*/);
  const preflight = (path: string, method: string, headers: string) =>
    sendHttp(use.service.url, path, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example.org',
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': headers,
      },
    });

  it('lets every origin read every response and the headers that clients need, by default', () => {
    for (const [name, { headers }] of answers.filter(([kind]) => kind !== '400 URL')) {
      expect([name, headers.get('access-control-allow-origin')]).toEqual([name, '*']);
      expect(listed(headers.get('access-control-expose-headers'))).toEqual(expect.arrayContaining(EXPOSED));
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it.each([
    ['GET', FORMS, 'If-None-Match,x-request-id'],
    ['POST', '/api/v1/submissions', 'authorization,content-type,idempotency-key'],
    ['PATCH', `/api/v1/submissions/${UUID}`, 'authorization,content-type,if-match'],
    ['POST', `/api/v1/submissions/${UUID}/advance`, 'authorization,idempotency-key,if-match'],
  ])('allows %s %s with the headers %s in a preflight, without a token', async (method, path, headers) => {
    const answer = await preflight(path, method, headers);
    expect(answer.status).toBe(204);
    expect(answer.body).toBeUndefined();
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(listed(answer.headers.get('access-control-allow-methods'))).toContain(method.toLowerCase());
    const allowed = listed(answer.headers.get('access-control-allow-headers'));
    expect(allowed).toEqual(expect.arrayContaining(listed(headers)));
    expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  // test/security/api.spec.ts tests CORS_ORIGINS.
});

describe('HEAD', () => {
  it('returns on every route what GET returns, without the body', async () => {
    for (const path of [
      FORMS,
      `${FORMS}/${built.form.uuid}`,
      `${FORMS}/${built.form.slug}/by-slug`,
      `${FORMS}/${built.form.uuid}/schema`,
      `${FORMS}/${built.form.uuid}/conditions?steps=true`,
      submission,
      `${submission}/conditions`,
      `${FORMS}/${UUID}`,
      '/api/v1/nothing',
    ]) {
      const headers = { Authorization: `Bearer ${own.plainToken}` };
      const get = await sendHttp(use.service.url, path, { headers });
      const head = await sendHttp(use.service.url, path, { method: 'HEAD', headers });
      expect([path, head.status, head.body]).toEqual([path, get.status, undefined]);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
        expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
    }
  });

  it('returns the length of the body with 304 too, because caches store it (RFC 9110, section 8.6)', async () => {
    for (const coding of ['identity', 'br']) {
      const path = `${FORMS}/${built.form.uuid}/schema`;
      const ask = (headers: Record<string, string>) =>
        sendHttp(use.service.url, path, {
          method: 'HEAD',
          headers: { 'Accept-Encoding': coding, ...headers },
        });
      const whole = await ask({});
      const known = await ask({ 'If-None-Match': whole.headers.get('etag')! });
      expect([whole.status, known.status]).toEqual([200, 304]);
      expect(Number(known.headers.get('content-length'))).toBeGreaterThan(100);
      expect(known.headers.get('content-length')).toBe(whole.headers.get('content-length'));
    }
  });
});
