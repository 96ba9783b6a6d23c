import { randomBytes } from 'node:crypto';
import { issueToken } from '../../src/entities.js';
import type { Answer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { client } from '../support/client.js';
import { buildForm } from '../support/forms.js';
import { readRaw, sendHttp, sendRaw } from '../support/raw.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, type Service, startService } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const UUID = '01890000-0000-7000-8000-000000000001';
const FORMS = '/api/v1/forms';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** Runs the test with a service that has counted no requests yet. */
async function counting(
  variables: Record<string, string>,
  test: (service: Service, use: { database: TestDatabase; service: Service }) => Promise<void>,
): Promise<void> {
  const service = await startService(database, { THROTTLE_LIMIT: '60', ...variables });
  try {
    await test(service, { database, service });
  } finally {
    await service.close();
  }
}

/** The service trusts the test as a proxy, so the test can send any client address. */
const PROXIED = { TRUST_PROXY: '127.0.0.1' };
let clients = 0;
function newAddress(): string {
  clients += 1;
  return `203.0.113.${clients}`;
}

const remaining = ({ headers }: Answer) => headers.get('x-ratelimit-remaining');

function expectBlocked(answer: Answer, limit: number) {
  expectRefusal(answer, 429, { message: expect.any(String) });
  expect(answer.headers.get('x-ratelimit-limit')).toBe(String(limit));
  expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
  const wait = answer.headers.get('retry-after') ?? '';
  expect(wait).toMatch(/^\d+$/);
  expect(Number(wait)).toBeGreaterThan(0);
  expect(Number(wait)).toBeLessThanOrEqual(60);
}

describe('E4: the limit for one IP address', () => {
  it('is 60 requests a minute unless configured, counts down and then rejects (specification, section 8)', () =>
    counting({}, async ({ anyone }) => {
      for (let left = 59; left >= 0; left -= 1) {
        const answer = await anyone.get(FORMS);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('x-ratelimit-limit')).toBe('60');
        expect(remaining(answer)).toBe(String(left));
        expect(answer.headers.get('retry-after')).toBeNull();
      }
      expectBlocked(await anyone.get(FORMS), 60);
      expectBlocked(await anyone.get(FORMS), 60);
    }));

  it('neither counts nor rejects the preflights of browsers', () =>
    counting({ THROTTLE_LIMIT: '2' }, async ({ anyone, url }) => {
      const headers = { Origin: 'https://forms.example.org', 'Access-Control-Request-Method': 'POST' };
      const preflight = () => sendHttp(url, '/api/v1/submissions', { method: 'OPTIONS', headers });
      for (let sent = 0; sent < 5; sent += 1) expect((await preflight()).status).toBe(204);
      expect(remaining(await anyone.get(FORMS))).toBe('1');
      expect(remaining(await anyone.get(FORMS))).toBe('0');
      expectBlocked(await anyone.get(FORMS), 2);
      expect((await preflight()).status).toBe(204);
    }));

  it('applies to all routes together, including unknown routes and malformed requests', () =>
    counting({ THROTTLE_LIMIT: '100' }, async ({ anyone, url }) => {
      const { form } = await buildForm(database.dataSource);
      const json = { 'Content-Type': 'application/json' };
      const big = `{"a": "${'a'.repeat(2 ** 20)}"}`;
      const requests: [string, () => Promise<Answer>][] = [
        ['list', () => anyone.get(FORMS)],
        ['form', () => anyone.get(`${FORMS}/${form.uuid}`)],
        ['slug', () => anyone.get(`${FORMS}/${form.slug}/by-slug`)],
        ['schema', () => anyone.get(`${FORMS}/${form.uuid}/schema`)],
        ['HEAD', () => sendHttp(url, FORMS, { method: 'HEAD' })],
        ['unknown form', () => anyone.get(`${FORMS}/${UUID}`)],
        ['422', () => anyone.get(`${FORMS}?page=0`)],
        ['no token', () => anyone.get(`/api/v1/submissions/${UUID}`)],
        ['no token either', () => anyone.post(`/api/v1/submissions/${UUID}/values`, {})],
        ['unknown route', () => anyone.get('/api/v1/nothing')],
        ['the prefix alone', () => anyone.get('/api/v1')],
        ['the prefix with a query', () => anyone.get('/api/v1?a=b')],
        ['no UUID', () => anyone.get(`${FORMS}/`)],
        ['no UUID, with a query', () => anyone.get(`${FORMS}/?page=1`)],
        ['no UUID in the middle', () => anyone.get(`${FORMS}//schema`)],
        ['no UUID, and a method with a body', () => anyone.post('/api/v1/submissions//values', {})],
        ['unknown method', () => sendHttp(url, FORMS, { method: 'DELETE' })],
        ['malformed JSON', () => anyone.send('POST', '/api/v1/submissions', '{')],
        [
          'wrong type',
          () => anyone.send('POST', '/api/v1/submissions', 'x', { 'Content-Type': 'text/plain' }),
        ],
        [
          'no media type',
          () => anyone.send('POST', '/api/v1/submissions', 'x', { 'Content-Type': 'nonsense' }),
        ],
        [
          'wrong type of an unknown route',
          () => anyone.send('POST', FORMS, 'x', { 'Content-Type': 'text/plain' }),
        ],
        [
          'too large',
          () => sendHttp(url, '/api/v1/submissions', { method: 'POST', headers: json, body: [big] }),
        ],
        ['bad escape', () => anyone.get(`${FORMS}/%zz`)],
        ['bad escape of an unknown route', () => anyone.get('/api/v1/%')],
        ['long', () => anyone.get(`${FORMS}/${'a'.repeat(5_000)}`)],
        ['escaped prefix', () => anyone.get('/%61pi/v1/forms')],
        ['more of it escaped', () => anyone.get('/%61%70%69/%76%31/%66orms')],
        ['escaped prefix of an unknown route', () => anyone.get('/%61pi/v1/nothing')],
        ['not modified', () => anyone.get(FORMS, { 'If-None-Match': '*' })],
      ];
      let left = 100;
      for (const [name, ask] of requests) {
        left -= 1;
        expect({ name, left: remaining(await ask()) }).toEqual({ name, left: String(left) });
      }
    }));

  it.each(['http://forms.example.org', 'HTTPS://forms.example.org:8443'])(
    'counts targets in absolute form too: %s/api/v1/...',
    (origin) =>
      counting({}, async ({ url, anyone }) => {
        let left = 60;
        for (const path of [FORMS, '/api/v1/nothing', `/api/v1/submissions/${UUID}`]) {
          left -= 1;
          const request = `GET ${origin}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
          const { headers } = readRaw(await sendRaw(url, request));
          expect({ path, left: headers.get('x-ratelimit-remaining') }).toEqual({ path, left: String(left) });
        }
        expect(remaining(await anyone.get(FORMS))).toBe('56');
      }),
  );

  it('rejects every request over the limit with 429, even if it has other errors', () =>
    counting({ THROTTLE_LIMIT: '1' }, async ({ anyone, url }) => {
      expect((await anyone.get(FORMS)).status).toBe(200);
      expectBlocked(await anyone.get(`${FORMS}?page=0`), 1);
      expectBlocked(await anyone.get('/api/v1/nothing'), 1);
      expectBlocked(await anyone.get(`${FORMS}/%zz`), 1);
      expectBlocked(await anyone.get(`/api/v1/submissions/${UUID}`), 1);
      expectBlocked(await anyone.send('POST', '/api/v1/submissions', '{'), 1);
      expectBlocked(await anyone.send('POST', FORMS, 'x', { 'Content-Type': 'text/plain' }), 1);
      expectBlocked(await sendHttp(url, FORMS, { method: 'PUT' }), 1);
    }));

  it('counts parallel requests exactly', () =>
    counting({ THROTTLE_LIMIT: '20' }, async ({ anyone }) => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => anyone.get(FORMS)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
    }));

  it('does not apply to health checks, documentation and paths outside the prefix', () =>
    counting({ THROTTLE_LIMIT: '1' }, async ({ anyone }) => {
      const elsewhere = [
        '/health/live',
        '/health/ready',
        '/docs',
        '/docs-json',
        '/',
        '/api',
        '/api/v1x',
        '/nothing',
      ];
      for (const path of [...elsewhere, ...elsewhere]) {
        const answer = await anyone.get(path);
        expect({ path, limited: answer.status === 429 }).toEqual({ path, limited: false });
        for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after']) {
          expect({ path, [name]: answer.headers.get(name) }).toEqual({ path, [name]: null });
        }
      }
      expect(remaining(await anyone.get(FORMS))).toBe('0');
      expect((await anyone.get('/health/live')).status).toBe(200);
    }));

  it('is off if it is 0, and then responses have no headers of the limit', () =>
    counting({ THROTTLE_LIMIT: '0', THROTTLE_USER_LIMIT: '0' }, async ({ anyone }, use) => {
      const { client: own } = await newUser(use);
      for (const answer of [
        ...(await Promise.all(Array.from({ length: 70 }, () => anyone.get(FORMS)))),
        ...(await Promise.all(Array.from({ length: 70 }, () => own.get(FORMS)))),
        await anyone.get('/api/v1/nothing'),
      ]) {
        expect([200, 404]).toContain(answer.status);
        expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
        expect(answer.headers.get('x-ratelimit-remaining')).toBeNull();
      }
    }));
});

describe('E5: the limit for one user', () => {
  it('is separate, and is 60 unless configured', () =>
    counting({ THROTTLE_LIMIT: '5', THROTTLE_USER_LIMIT: '' }, async ({ anyone }, use) => {
      const { client: own } = await newUser(use);
      for (let left = 59; left >= 0; left -= 1) {
        const answer = await own.get(`/api/v1/submissions/${UUID}`);
        expect(answer.status).toBe(404);
        expect(answer.headers.get('x-ratelimit-limit')).toBe('60');
        expect(remaining(answer)).toBe(String(left));
      }
      expectBlocked(await own.get(`/api/v1/submissions/${UUID}`), 60);
      // None of these requests counted against the limit of the address.
      const answer = await anyone.get(FORMS);
      expect([answer.headers.get('x-ratelimit-limit'), remaining(answer)]).toEqual(['5', '4']);
    }));

  it('still allows requests if the limit of the address is used up, also on public routes', () =>
    counting({ THROTTLE_LIMIT: '1', THROTTLE_USER_LIMIT: '3' }, async ({ anyone }, use) => {
      const { client: own } = await newUser(use);
      expect(remaining(await own.get(FORMS))).toBe('2');
      await anyone.get(FORMS);
      expectBlocked(await anyone.get(FORMS), 1);
      expect(remaining(await own.get(FORMS))).toBe('1');
      expect(remaining(await own.get('/api/v1/nothing'))).toBe('0');
      expectBlocked(await own.get(FORMS), 3);
      expectBlocked(await own.send('POST', '/api/v1/submissions', '{'), 3);
      expectBlocked(await own.get(`/api/v1/submissions/${UUID}`), 3);
    }));

  it('is shared by all tokens of the user from any address, and by no other user', () =>
    counting({ ...PROXIED, THROTTLE_USER_LIMIT: '10' }, async ({ url }, use) => {
      const one = await newUser(use);
      const other = await newUser(use);
      const { plainToken } = await issueToken(database.dataSource.manager, { userId: one.id });
      const second = client(url, { Authorization: `Bearer ${plainToken}` });
      expect(remaining(await one.client.get(FORMS, { 'X-Forwarded-For': newAddress() }))).toBe('9');
      expect(remaining(await second.get(FORMS, { 'X-Forwarded-For': newAddress() }))).toBe('8');
      expect(remaining(await one.client.get(`/api/v1/submissions/${UUID}`))).toBe('7');
      expect(remaining(await other.client.get(FORMS))).toBe('9');
      expect(remaining(await second.get(FORMS))).toBe('6');
    }));

  it('is off if it is 0, independently of the limit for addresses', async () => {
    await counting({ THROTTLE_LIMIT: '1', THROTTLE_USER_LIMIT: '0' }, async ({ anyone }, use) => {
      const { client: own } = await newUser(use);
      for (let request = 0; request < 3; request += 1) {
        const answer = await own.get(FORMS);
        expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, null]);
      }
      await anyone.get(FORMS);
      expectBlocked(await anyone.get(FORMS), 1);
    });
    await counting({ THROTTLE_LIMIT: '0', THROTTLE_USER_LIMIT: '1' }, async ({ anyone }, use) => {
      const { client: own } = await newUser(use);
      await own.get(FORMS);
      expectBlocked(await own.get(FORMS), 1);
      const answer = await anyone.get(FORMS);
      expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, null]);
    });
  });

  it('does not apply to an invalid token, which counts against the address', () =>
    counting({ THROTTLE_LIMIT: '10', THROTTLE_USER_LIMIT: '50' }, async ({ anyone, url }, use) => {
      const { plainToken, token } = await newUser(use);
      await database.dataSource.query('update api_tokens set revoked_at = now() where id = $1', [token.id]);
      const unknown = `${plainToken.slice(0, -4)}AAAA`;
      let left = 10;
      for (const authorization of [
        `Bearer ${plainToken}`,
        `Bearer ${unknown}`,
        'Bearer nonsense',
        'Basic YTpi',
      ]) {
        for (const path of [FORMS, `/api/v1/submissions/${UUID}`]) {
          left -= 1;
          const answer = await anyone.get(path, { Authorization: authorization });
          expect([answer.headers.get('x-ratelimit-limit'), remaining(answer)]).toEqual(['10', String(left)]);
        }
      }
      await anyone.get(FORMS);
      await anyone.get(FORMS);
      const trying = client(url, { Authorization: `Bearer ${unknown}` });
      expectBlocked(await trying.get(`/api/v1/submissions/${UUID}`), 10);
    }));
});

describe('E5: a token that is not cached', () => {
  const ask = (url: string, plainToken: string, headers: Record<string, string> = {}) =>
    client(url, { Authorization: `Bearer ${plainToken}` }).get(`/api/v1/submissions/${UUID}`, headers);
  const randomTokens = (count: number) =>
    Array.from({ length: count }, () => `ftk_${randomBytes(32).toString('base64url')}`);
  const withStatus = (answers: readonly Answer[], status: number) =>
    answers.filter((answer) => answer.status === status);

  /** Returns the result of `work`, and the number of token lookups in the database during `work`. */
  async function lookUpsDuring<T>(service: Service, work: () => Promise<T>): Promise<[T, lookUps: number]> {
    let result: T | undefined;
    const sent = await service.statementsDuring(async () => {
      result = await work();
    });
    return [result as T, sent.filter(({ name }) => name === 'tokens.find').length];
  }

  /** The look-ups of invalid tokens in a minute for an address that is over its limit. */
  const OVER_LIMIT = 60;
  /** Sends one request after the other. */
  async function askAll({ url }: Service, tokens: readonly string[], headers?: Record<string, string>) {
    const answers: Answer[] = [];
    for (const token of tokens) answers.push(await ask(url, token, headers));
    return answers;
  }

  it('is looked up a fixed number of times if its address is over its limit', () =>
    counting({ THROTTLE_LIMIT: '3' }, async (service) => {
      const [answers, lookUps] = await lookUpsDuring(service, () => askAll(service, randomTokens(80)));
      expect(lookUps).toBe(3 + OVER_LIMIT);
      expect(answers.map(({ status }) => status)).toEqual([...Array(3).fill(401), ...Array(77).fill(429)]);
      for (const answer of answers.slice(3)) expectBlocked(answer, 3);
    }));

  it('is looked up no more often if all tokens come at once', () =>
    counting({ THROTTLE_LIMIT: '3' }, async (service) => {
      const burst = () => Promise.all(randomTokens(20).map((token) => ask(service.url, token)));
      const [answers, first] = await lookUpsDuring(service, burst);
      expect(first).toBeLessThanOrEqual(20);
      expect(withStatus(answers, 401)).toHaveLength(3);
      expect(withStatus(answers, 429)).toHaveLength(17);
      await askAll(service, randomTokens(OVER_LIMIT - 17 - 5));
      expect((await lookUpsDuring(service, burst))[1]).toBeLessThanOrEqual(5 + 1);
      expect((await lookUpsDuring(service, burst))[1]).toBe(0);
    }));

  it('is looked up once in a window if it is invalid and its address is over its limit', () =>
    counting({ THROTTLE_LIMIT: '2' }, async (service, use) => {
      const [invalid] = randomTokens(1) as [string];
      const [answers, lookUps] = await lookUpsDuring(service, () =>
        askAll(service, Array<string>(100).fill(invalid)),
      );
      expect(answers.map(({ status }) => status)).toEqual([401, 401, ...Array(98).fill(429)]);
      expect(lookUps).toBe(2);
      // A client that repeats an old token locks nobody out.
      expect((await ask(service.url, (await newUser(use)).plainToken)).status).toBe(404);
    }));

  it('is looked up even if requests without a token have used up the limit of its address', () =>
    counting({ THROTTLE_LIMIT: '2', THROTTLE_USER_LIMIT: '9' }, async (service, use) => {
      for (let sent = 0; sent < 100; sent += 1) await service.anyone.get(FORMS);
      expectBlocked(await service.anyone.get(FORMS), 2);
      const users = await Promise.all(Array.from({ length: 12 }, () => newUser(use)));
      for (const { plainToken } of users) expect(remaining(await ask(service.url, plainToken))).toBe('8');
      expect((await askAll(service, randomTokens(1)))[0]?.status).toBe(429);
    }));

  it('is always looked up if the instance has accepted it before, despite other tokens of its address', () =>
    counting({ THROTTLE_LIMIT: '60', THROTTLE_USER_LIMIT: '0' }, async (service, use) => {
      const [early, late] = [await newUser(use), await newUser(use)];
      expect((await ask(service.url, early.plainToken)).status).toBe(404);
      await askAll(service, randomTokens(60 + OVER_LIMIT + 10));
      // The instance has not seen this token, and the look-ups of the window are used up.
      expectBlocked(await ask(service.url, late.plainToken), 60);

      await database.dataSource.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'formtrail-listener' and datname = current_database()`,
      );
      await eventually('the caches are empty, and the token is looked up again', async () => {
        const [answer, lookUps] = await lookUpsDuring(service, () => ask(service.url, early.plainToken));
        expect(answer.status).toBe(404);
        return lookUps > 0;
      });
      await eventually('the token is cached again', async () => {
        await askAll(service, randomTokens(2));
        const [answer, lookUps] = await lookUpsDuring(service, () => ask(service.url, early.plainToken));
        expect(answer.status).toBe(404);
        return lookUps === 0;
      });
    }));

  it('is looked up once more after it was revoked', () =>
    counting({ THROTTLE_LIMIT: '2' }, async (service, use) => {
      const { plainToken, token } = await newUser(use);
      expect((await ask(service.url, plainToken)).status).toBe(404);
      for (let sent = 0; sent < 2; sent += 1) await service.anyone.get(FORMS);
      await service.hearing(() =>
        database.dataSource.query('update api_tokens set revoked_at = now() where id = $1', [token.id]),
      );
      const [answers, lookUps] = await lookUpsDuring(service, () =>
        askAll(service, Array<string>(10).fill(plainToken)),
      );
      expect(lookUps).toBe(1);
      for (const answer of answers) expectBlocked(answer, 2);
    }));

  it('is not looked up for health checks and documentation, which need no database', () =>
    counting({ THROTTLE_LIMIT: '2' }, async (service) => {
      const [statuses, lookUps] = await lookUpsDuring(service, async () => {
        const statuses: number[] = [];
        for (const [index, token] of randomTokens(4).entries()) {
          const path = index % 2 === 0 ? '/health/live' : '/docs-json';
          statuses.push((await service.anyone.get(path, { Authorization: `Bearer ${token}` })).status);
        }
        return statuses;
      });
      expect([statuses, lookUps]).toEqual([Array(4).fill(200), 0]);
      expect(remaining(await service.anyone.get(FORMS))).toBe('1');
    }));

  it('is looked up if it comes from another address', () =>
    counting({ ...PROXIED, THROTTLE_LIMIT: '2' }, async (service, use) => {
      const { plainToken } = await newUser(use);
      const attacker = { 'X-Forwarded-For': newAddress() };
      await askAll(service, randomTokens(2 + OVER_LIMIT), attacker);
      expect((await ask(service.url, plainToken, attacker)).status).toBe(429);
      expect((await ask(service.url, plainToken, { 'X-Forwarded-For': newAddress() })).status).toBe(404);
      // From now on, the token is cached.
      expect((await ask(service.url, plainToken, attacker)).status).toBe(404);
    }));

  it('uses nothing of the allowance of its address if it is valid, even if many come at once', () =>
    counting({ THROTTLE_LIMIT: '2', THROTTLE_USER_LIMIT: '9' }, async (service, use) => {
      const users = await Promise.all(Array.from({ length: 12 }, () => newUser(use)));
      const answers = await Promise.all(users.map(({ plainToken }) => ask(service.url, plainToken)));
      expect(answers.map((answer) => [answer.status, remaining(answer)])).toEqual(Array(12).fill([404, '8']));
      expect(remaining(await service.anyone.get(FORMS))).toBe('1');
    }));
});

describe('E7: addresses behind proxies', () => {
  it('a forged X-Forwarded-For is ignored if no proxy is trusted', () =>
    counting({ THROTTLE_LIMIT: '3' }, async ({ anyone }) => {
      const forged: Record<string, string>[] = [
        { 'X-Forwarded-For': newAddress() },
        { 'X-Forwarded-For': `${newAddress()}, ${newAddress()}` },
        { Forwarded: `for=${newAddress()}`, 'X-Real-IP': newAddress(), 'X-Client-IP': newAddress() },
      ];
      for (const headers of forged) await anyone.get(FORMS, headers);
      expectBlocked(await anyone.get(FORMS, { 'X-Forwarded-For': newAddress() }), 3);
    }));

  it('a forged X-Forwarded-For is ignored if another proxy is trusted', () =>
    counting({ THROTTLE_LIMIT: '2', TRUST_PROXY: '10.0.0.0/8, ::1' }, async ({ anyone }) => {
      await anyone.get(FORMS, { 'X-Forwarded-For': newAddress() });
      await anyone.get(FORMS, { 'X-Forwarded-For': `${newAddress()}, 10.0.0.1` });
      expectBlocked(await anyone.get(FORMS, { 'X-Forwarded-For': newAddress() }), 2);
    }));

  describe('with TRUST_PROXY=127.0.0.1, 10.0.0.0/8', () => {
    const through = (forwarded: string) => ({ 'X-Forwarded-For': forwarded });
    const trusting = (test: (left: (forwarded?: string) => Promise<string | null>) => Promise<void>) =>
      counting({ THROTTLE_LIMIT: '9', TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' }, ({ anyone }) =>
        test(async (forwarded) =>
          remaining(await anyone.get(FORMS, forwarded === undefined ? {} : through(forwarded))),
        ),
      );

    it('each address that the proxy forwards has its own limit', () =>
      trusting(async (left) => {
        const [one, other] = [newAddress(), newAddress()];
        expect([await left(one), await left(other), await left(one), await left()]).toEqual([
          '8',
          '8',
          '7',
          '8',
        ]);
      }));

    it('the right-most address that is not a trusted proxy counts, regardless of the text before it', () =>
      trusting(async (left) => {
        const real = newAddress();
        expect(await left(real)).toBe('8');
        expect(await left(`${newAddress()}, ${real}`)).toBe('7');
        expect(await left(`127.0.0.1, 10.1.1.1, ${newAddress()}, ${real}`)).toBe('6');
        expect(await left(`${real}, 10.200.0.1`)).toBe('5');
        expect(await left(`${newAddress()}, ${real}, 10.0.0.1, 10.0.0.2, 127.0.0.1`)).toBe('4');
        expect(await left(`garbage, ${real}`)).toBe('3');
        expect(await left(`,,${real}`)).toBe('2');
      }));

    it('a port after the address of a client or a trusted proxy is ignored', () =>
      trusting(async (left) => {
        expect(await left('9.1.1.2')).toBe('8');
        expect(await left('9.1.1.2:4711')).toBe('7');
        expect(await left('9.1.1.2:4712, 10.0.0.1:80')).toBe('6');
        expect(await left('[2001:db8::1]:4711')).toBe('8');
        expect(await left('[2001:db8::2]:4712')).toBe('7');
      }));

    it('IPv6 addresses count per /64', () =>
      trusting(async (left) => {
        expect(await left('2001:db8:0:1::1')).toBe('8');
        expect(await left('2001:db8:0:1:ffff:ffff:ffff:ffff')).toBe('7');
        expect(await left('2001:0DB8:0000:0001:0:0:0:2')).toBe('6');
        expect(await left('2001:db8:0:2::1')).toBe('8');
      }));

    it('an IPv4-mapped IPv6 address counts as the IPv4 address', () =>
      trusting(async (left) => {
        expect(await left('198.51.100.7')).toBe('8');
        expect(await left('::ffff:198.51.100.7')).toBe('7');
        expect(await left('::ffff:c633:6407')).toBe('6');
        expect(await left('::ffff:198.51.100.8')).toBe('8');
      }));

    it.each(['::ffff:127.0.0.1', '::ffff:127.0.0.0/104'])(
      'a trusted proxy can be given as an IPv4-mapped IPv6 address, %s',
      (proxy) =>
        counting({ THROTTLE_LIMIT: '9', TRUST_PROXY: proxy }, async ({ anyone }) => {
          const address = newAddress();
          expect(remaining(await anyone.get(FORMS, through(address)))).toBe('8');
          expect(remaining(await anyone.get(FORMS, through(address)))).toBe('7');
          expect(remaining(await anyone.get(FORMS, through(newAddress())))).toBe('8');
        }),
    );

    it('an X-Forwarded-For without a client address does not bypass the limit', () =>
      trusting(async (left) => {
        const lefts = [];
        for (const nobody of ['', ',', ' , ', '10.0.0.1', '10.0.0.1, 10.0.0.2'])
          lefts.push(Number(await left(nobody)));
        for (const one of lefts) expect(one).toBeLessThan(9);
      }));
  });
});

describe('E6: headers of the limit', () => {
  it('are on every counted response, including errors', () =>
    counting({ THROTTLE_USER_LIMIT: '60' }, async ({ anyone }, use) => {
      const { client: own } = await newUser(use);
      const { form } = await buildForm(database.dataSource);
      const answers = [
        await anyone.get(FORMS),
        await anyone.get(FORMS, { 'If-None-Match': '*' }),
        await anyone.get(`${FORMS}?page=0`),
        await anyone.get(`/api/v1/submissions/${UUID}`),
        await anyone.get('/api/v1/nothing'),
        await anyone.send('POST', '/api/v1/submissions', '{'),
        await own.send('POST', '/api/v1/submissions', '{', { 'Content-Type': 'text/plain' }),
        await own.post('/api/v1/submissions', { form_uuid: form.uuid }),
        await own.post('/api/v1/submissions', {}),
      ];
      for (const { status, headers } of answers) {
        expect({ status, limit: headers.get('x-ratelimit-limit') !== null }).toEqual({ status, limit: true });
        expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
        expect(headers.get('retry-after')).toBeNull();
      }
    }));
});
