import { expectUnauthenticated } from '../support/answers.js';
import { type Draft, newDraft } from '../support/drafts.js';
import { GUARDED, OPERATIONS } from '../support/operations.js';
import { sendHttp } from '../support/raw.js';
import { secretsIn } from '../support/refusal.js';
import { newUser, startService, useOwnService } from '../support/service.js';
import { wholeDatabase } from '../support/whole-database.js';

const use = useOwnService();
let draft: Draft;
beforeAll(async () => {
  draft = await newDraft(use, [{ name: {} }, {}]);
});

const UUID = '01890000-0000-7000-8000-000000000001';

const targetOf = (path: string) =>
  path
    .replace('{uuid}', path.includes('forms') ? draft.form.uuid : draft.uuid)
    .replace('{slug}', draft.form.slug);

const ask = (method: string, target: string, body: object = {}) =>
  method === 'GET' ? draft.client.get(target) : draft.client.send(method, target, JSON.stringify(body));

describe('properties that clients must not set', () => {
  const TIME = '2000-01-01T00:00:00.000000Z';
  const OTHERS = {
    ...{ id: 1, uuid: UUID, user_id: 1, form_id: 1, current_step: 2, created_at: TIME, updated_at: TIME },
    ...{ submission_uuid: UUID, is_repeatable: true, record_key: 5, begun_version: 7, completed_version: 7 },
    values: [],
  };

  it('are ignored, both when a submission is created and when it is written', async () => {
    const { client, form, userId } = draft;
    const body = { ...OTHERS, status: 'completed', meta: { a: 1 }, form_uuid: form.uuid };
    const created = await client.post('/api/v1/submissions', body);
    const expected = { form_id: form.id, status: 'draft', current_step: 1, meta: null };
    expect(created.body.data).toMatchObject(expected);
    expect(created.body.data.uuid).not.toBe(OTHERS.uuid);
    const path = `/api/v1/submissions/${created.body.data.uuid}`;
    const { is_test, begun_version, completed_version, locale, anonymized_at, ...others } = created.body.data;
    expect(anonymized_at).toBeNull();
    expect([is_test, begun_version, completed_version, locale]).toEqual([false, form.version, null, null]);
    expect((await client.patch(path, OTHERS)).body.data).toEqual(others);
    const values = [{ ...OTHERS, field_code: 'name', value: 'x' }];
    await client.post(`${path}/values`, { ...OTHERS, status: 'completed', values });
    await client.post(`${path}/advance`, OTHERS);
    await client.post(`${path}/retreat`, { ...OTHERS, current_step: 2 });
    const { body: read } = await client.get(path);
    expect(read.data).toMatchObject({ ...expected, uuid: created.body.data.uuid });
    const rows = await use.database.dataSource.query(
      'select user_id, form_id from submissions where uuid = $1',
      [created.body.data.uuid],
    );
    expect(rows).toEqual([{ user_id: userId, form_id: form.id }]);
  });
});

describe('methods', () => {
  it('that a route does not have return 404, and no header or query overrides the method', async () => {
    const { plainToken } = await newUser(use);
    const authorization = { Authorization: `Bearer ${plainToken}` };
    const before = await wholeDatabase(use.database.dataSource);
    for (const method of ['PUT', 'DELETE', 'TRACE', 'PROPFIND', 'LOCK', 'SEARCH']) {
      for (const { path: route } of OPERATIONS) {
        // The other paths contain unknown ids, so they get 404. `DELETE /respondents/me` has no id. It gets 422, because the token
        // is not a respondent's.
        if (method === 'DELETE' && route.endsWith('/me')) continue;
        const { status } = await sendHttp(use.service.url, targetOf(route), {
          method,
          headers: authorization,
        });
        expect({ method, route, status }).toEqual({ method, route, status: 404 });
      }
    }
    for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
      for (const method of ['PATCH', 'POST', 'DELETE']) {
        const answer = await draft.client.get(`${draft.path}?_method=${method}`, { [name]: method });
        expect(answer.status).toBe(200);
        expect(answer.body.data).toHaveProperty('values');
      }
    }
    expect(await wholeDatabase(use.database.dataSource)).toEqual(before);
  });
});

describe('responses', () => {
  const SNIFFABLE = {
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json; charset=utf-8',
  };

  it('to a user forbid caching, even if they are errors', async () => {
    for (const { path, method, body } of GUARDED) {
      for (const target of [targetOf(path), path.replace('{uuid}', UUID)]) {
        const answer = await ask(method, target, body);
        expect({ target, cache: answer.headers.get('cache-control') }).toEqual({ target, cache: 'no-store' });
        if (answer.status !== 204) expect(Object.fromEntries(answer.headers)).toMatchObject(SNIFFABLE);
      }
    }
  });

  it('of public routes must be revalidated by caches, and do not depend on headers of the request', async () => {
    const plain = await use.service.anyone.get('/api/v1/forms');
    const { plainToken } = await newUser(use);
    const personal = await use.service.anyone.get('/api/v1/forms', {
      Authorization: `Bearer ${plainToken}`,
      Cookie: 'a=b',
      'X-Forwarded-Host': 'evil.example',
      'X-Original-URL': '/health/live',
      'X-Rewrite-URL': '/health/live',
      'Accept-Language': 'fr',
    });
    expect(personal.body).toEqual(plain.body);
    expect(personal.headers.get('etag')).toBe(plain.headers.get('etag'));
    expect(personal.headers.get('cache-control')).toBe('no-cache');
    expect(personal.headers.get('set-cookie')).toBeNull();
  });

  it('allow other origins by CORS, never with credentials, and vary by the origin if only some are allowed', async () => {
    const some = await startService(use.database, { CORS_ORIGINS: 'https://app.example.org' });
    try {
      const origin = 'https://app.example.org';
      for (const Origin of [origin, `${origin}.evil.example`, 'null', 'https://APP.example.org']) {
        const allowed = Origin === origin ? Origin : null;
        for (const path of ['/api/v1/forms', draft.path, '/api/v1/nothing']) {
          for (const method of ['GET', 'OPTIONS']) {
            const headers = { Origin, 'Access-Control-Request-Method': 'PATCH' };
            const answer = await sendHttp(some.url, path, { method, headers });
            expect(answer.headers.get('access-control-allow-origin')).toBe(allowed);
            expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
            expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/);
            const anywhere = await sendHttp(use.service.url, path, { method, headers });
            expect(anywhere.headers.get('access-control-allow-origin')).toBe('*');
            expect(anywhere.headers.get('access-control-allow-credentials')).toBeNull();
          }
        }
      }
    } finally {
      await some.close();
    }
  });

  it('to an internal error reveal no detail of the server', async () => {
    const { dataSource } = use.database;
    await dataSource.query('alter table submissions rename column meta to beta');
    try {
      for (const { path, method, body } of GUARDED) {
        const example = path === '/api/v1/submissions' ? { form_uuid: draft.form.uuid } : (body ?? {});
        const answer = await ask(method, targetOf(path), example);
        if (answer.status < 500) continue;
        expect({ status: answer.status, body: answer.body }).toEqual({
          status: 500,
          body: { message: 'Server error.' },
        });
        expect(secretsIn(JSON.stringify([...answer.headers]))).toEqual([]);
        expect(Object.fromEntries(answer.headers)).toMatchObject(SNIFFABLE);
      }
      expect((await draft.client.get(draft.path)).status).toBe(500);
    } finally {
      await dataSource.query('alter table submissions rename column beta to meta');
    }
  });
});

it('a token is accepted in the Authorization header only', async () => {
  const { plainToken } = await newUser(use);
  for (const { path, method } of GUARDED) {
    const places: [string, Record<string, string>][] = [
      [`?access_token=${plainToken}&token=${plainToken}&api_key=${plainToken}`, {}],
      ['', { Cookie: `access_token=${plainToken}; token=${plainToken}` }],
      ['', { 'X-Api-Key': plainToken, 'X-Authorization': `Bearer ${plainToken}` }],
      ['', { 'Proxy-Authorization': `Bearer ${plainToken}` }],
      ['', { Authorization: `Basic ${Buffer.from(`a:${plainToken}`).toString('base64')}` }],
    ];
    for (const [query, headers] of places) {
      const body = method === 'GET' ? [] : [JSON.stringify({ access_token: plainToken })];
      const request = { method, headers: { ...headers, 'Content-Type': 'application/json' }, body };
      expectUnauthenticated(await sendHttp(use.service.url, targetOf(path) + query, request));
    }
  }
});

it('headers of a client do not raise the rate limit of its address', async () => {
  const limited = await startService(use.database, { THROTTLE_LIMIT: '5' });
  try {
    const statuses: number[] = [];
    for (let asked = 0; asked < 10; asked += 1) {
      const address = `198.51.100.${asked}`;
      const names = ['X-Forwarded-For', 'X-Real-IP', 'X-Client-IP', 'CF-Connecting-IP', 'True-Client-IP'];
      const { status } = await limited.anyone.get('/api/v1/forms', {
        ...Object.fromEntries(names.map((name) => [name, address])),
        Forwarded: `for=${address}`,
        Authorization: `Bearer ftk_${String(asked).repeat(43)}`,
        'User-Agent': address,
      });
      statuses.push(status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429]);
  } finally {
    await limited.close();
  }
});
