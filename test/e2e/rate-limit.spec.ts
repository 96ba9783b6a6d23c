import { randomBytes } from 'node:crypto';
import { issueToken } from '../../src/entities.js';
import { type Answer, client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { from, limitOf, newAddress, remaining } from '../support/rate-limits.js';
import { readRaw, sendHttp, sendRaw } from '../support/raw.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, type Service, useServiceOn, withServiceOn } from '../support/service.js';
import { useDatabase } from '../support/test-database.js';

const UUID = '01890000-0000-7000-8000-000000000001';
const FORMS = '/api/v1/forms';
const SUBMISSION = `/api/v1/submissions/${UUID}`;
/** The services trust the test as a proxy, so each test has client addresses of its own. */
const PROXIED = { TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' };

const database = useDatabase();
const allowing = (address: string, user: string) =>
  useServiceOn({ database }, { ...PROXIED, THROTTLE_LIMIT: address, THROTTLE_USER_LIMIT: user });
/** A service with the limits that apply unless configured. */
const usual = allowing('', '');
/** Allows an address 3 requests, and a user 9. */
const strict = allowing('3', '9');
/** Allows an address 2 requests, and a user any number. */
const unlimited = allowing('2', '0');

const userOf = (service: Service) => newUser({ database, service });
/** Returns the headers of an address that no request has come from, and a client that sends them. */
function atNewAddress({ url }: Service) {
  const headers = from(newAddress());
  return { url, headers, anyone: client(url, headers) };
}

function expectBlocked(answer: Answer, limit: number) {
  expectRefusal(answer, 429, { message: expect.any(String) });
  expect([limitOf(answer), remaining(answer)]).toEqual([String(limit), '0']);
  const wait = answer.headers.get('retry-after') ?? '';
  expect(wait).toMatch(/^\d+$/);
  expect(Number(wait)).toBeGreaterThan(0);
  expect(Number(wait)).toBeLessThanOrEqual(60);
}

describe('E4: the limit for one IP address', () => {
  it('is 60 requests a minute unless configured, counts down and then rejects', async () => {
    const { anyone } = atNewAddress(usual);
    for (let left = 59; left >= 0; left -= 1) {
      const answer = await anyone.get(FORMS);
      expect([answer.status, limitOf(answer), remaining(answer)]).toEqual([200, '60', String(left)]);
      expect(answer.headers.get('retry-after')).toBeNull();
    }
    expectBlocked(await anyone.get(FORMS), 60);
    expectBlocked(await anyone.get(FORMS), 60);
  });

  it('neither counts nor rejects the preflights of browsers', async () => {
    const { anyone, headers, url } = atNewAddress(strict);
    const cors = { Origin: 'https://forms.example.org', 'Access-Control-Request-Method': 'POST' };
    const preflight = () =>
      sendHttp(url, '/api/v1/submissions', { method: 'OPTIONS', headers: { ...headers, ...cors } });
    for (let sent = 0; sent < 5; sent += 1) expect((await preflight()).status).toBe(204);
    for (const left of ['2', '1', '0']) expect(remaining(await anyone.get(FORMS))).toBe(left);
    expectBlocked(await anyone.get(FORMS), 3);
    expect((await preflight()).status).toBe(204);
  });

  it('applies to all routes together, including unknown routes and malformed requests (E6)', async () => {
    const { anyone, headers, url } = atNewAddress(usual);
    const { form } = await buildForm(database.dataSource);
    const send = (path: string, text: string, type = 'application/json') =>
      anyone.send('POST', path, text, { 'Content-Type': type });
    const http = (path: string, method: string) => sendHttp(url, path, { method, headers });
    const raw = async (target: string, method = 'GET', more = '') => {
      const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${headers['X-Forwarded-For']}`;
      return readRaw(await sendRaw(url, `${head}\r\n${more}Connection: close\r\n\r\n`));
    };
    // The response comes before the body, so no body is sent.
    const tooLarge = `Content-Type: application/json\r\nContent-Length: ${2 ** 20 + 1}\r\n`;
    const requests: [string, () => Promise<Answer>][] = [
      ['list', () => anyone.get(FORMS)],
      ['form', () => anyone.get(`${FORMS}/${form.uuid}`)],
      ['slug', () => anyone.get(`${FORMS}/${form.slug}/by-slug`)],
      ['schema', () => anyone.get(`${FORMS}/${form.uuid}/schema`)],
      ['HEAD', () => http(FORMS, 'HEAD')],
      ['unknown form', () => anyone.get(`${FORMS}/${UUID}`)],
      ['422', () => anyone.get(`${FORMS}?page=0`)],
      ['no token', () => anyone.get(SUBMISSION)],
      ['unknown route', () => anyone.get('/api/v1/nothing')],
      ['the prefix alone', () => anyone.get('/api/v1')],
      ['the prefix with a query', () => anyone.get('/api/v1?a=b')],
      ['no UUID', () => anyone.get(`${FORMS}/`)],
      ['no UUID in the middle', () => anyone.get(`${FORMS}//schema`)],
      ['no UUID, and a method with a body', () => anyone.post('/api/v1/submissions//values', {})],
      ['unknown method', () => http(FORMS, 'DELETE')],
      ['malformed JSON', () => send('/api/v1/submissions', '{')],
      ['wrong type', () => send('/api/v1/submissions', 'x', 'text/plain')],
      ['no media type', () => send('/api/v1/submissions', 'x', 'nonsense')],
      ['wrong type of an unknown route', () => send(FORMS, 'x', 'text/plain')],
      ['too large', () => raw('/api/v1/submissions', 'POST', tooLarge)],
      ['bad escape', () => anyone.get(`${FORMS}/%zz`)],
      ['bad escape of an unknown route', () => anyone.get('/api/v1/%')],
      ['long', () => anyone.get(`${FORMS}/${'a'.repeat(5_000)}`)],
      ['escaped prefix', () => anyone.get('/%61pi/v1/forms')],
      ['escaped prefix of an unknown route', () => anyone.get('/%61%70%69/%76%31/nothing')],
      ['not modified', () => anyone.get(FORMS, { 'If-None-Match': '*' })],
      ['absolute target', () => raw(`http://forms.example.org${FORMS}`)],
      ['absolute target of an unknown route', () => raw('HTTPS://forms.example.org:8443/api/v1/nothing')],
    ];
    let left = 60;
    for (const [name, ask] of requests) {
      left -= 1;
      const answer = await ask();
      const seen = { name, limit: limitOf(answer), left: remaining(answer) };
      expect(seen).toEqual({ name, limit: '60', left: String(left) });
      expect(answer.headers.get('retry-after')).toBeNull();
    }
  });

  it('rejects every request over the limit with 429, even if it has other errors', async () => {
    const { anyone, headers, url } = atNewAddress(strict);
    for (let sent = 0; sent < 3; sent += 1) expect((await anyone.get(FORMS)).status).toBe(200);
    for (const path of [`${FORMS}?page=0`, '/api/v1/nothing', `${FORMS}/%zz`, SUBMISSION])
      expectBlocked(await anyone.get(path), 3);
    expectBlocked(await anyone.send('POST', '/api/v1/submissions', '{'), 3);
    expectBlocked(await anyone.send('POST', FORMS, 'x', { 'Content-Type': 'text/plain' }), 3);
    expectBlocked(await sendHttp(url, FORMS, { method: 'PUT', headers }), 3);
  });

  it('counts parallel requests exactly', async () => {
    const { anyone } = atNewAddress(strict);
    const answers = await Promise.all(Array.from({ length: 30 }, () => anyone.get(FORMS)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(27);
  });

  it('does not apply to health checks, documentation and paths outside the prefix', async () => {
    const { anyone } = atNewAddress(strict);
    const elsewhere = [
      '/health/live',
      '/health/ready',
      '/docs',
      '/docs-json',
      '/',
      '/api',
      '/api/v1x',
      '/no',
    ];
    const expectUncounted = async () => {
      for (const path of elsewhere) {
        const { status, headers } = await anyone.get(path);
        const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after'];
        const seen = [path, status === 429, ...names.map((name) => headers.get(name))];
        expect(seen).toEqual([path, false, null, null, null]);
      }
    };
    await expectUncounted();
    for (const left of ['2', '1', '0']) expect(remaining(await anyone.get(FORMS))).toBe(left);
    await expectUncounted();
  });

  it('is off if it is 0, independently of the limit for users', () =>
    withServiceOn(database, { THROTTLE_LIMIT: '0', THROTTLE_USER_LIMIT: '1' }, async (service) => {
      const { client: own } = await userOf(service);
      await own.get(FORMS);
      expectBlocked(await own.get(FORMS), 1);
      const answers = await Promise.all(Array.from({ length: 70 }, () => service.anyone.get(FORMS)));
      for (const answer of [...answers, await service.anyone.get('/api/v1/nothing')]) {
        expect([200, 404]).toContain(answer.status);
        expect([limitOf(answer), remaining(answer)]).toEqual([null, null]);
      }
    }));
});

describe('E5: the limit for one user', () => {
  it('is separate, and is 60 unless configured', async () => {
    const { headers, anyone } = atNewAddress(usual);
    const { client: own } = await userOf(usual);
    for (let left = 59; left >= 0; left -= 1) {
      const answer = await own.get(SUBMISSION, headers);
      expect([answer.status, limitOf(answer), remaining(answer)]).toEqual([404, '60', String(left)]);
    }
    expectBlocked(await own.get(SUBMISSION, headers), 60);
    // None of these requests counted against the limit of the address.
    expect(remaining(await anyone.get(FORMS))).toBe('59');
  });

  it('still allows requests if the limit of the address is used up, also on public routes', async () => {
    const { anyone, headers } = atNewAddress(strict);
    const { client: own } = await userOf(strict);
    expect(remaining(await own.get(FORMS, headers))).toBe('8');
    for (let sent = 0; sent < 3; sent += 1) await anyone.get(FORMS);
    expectBlocked(await anyone.get(FORMS), 3);
    for (let left = 7; left >= 1; left -= 1)
      expect(remaining(await own.get(FORMS, headers))).toBe(String(left));
    expect(remaining(await own.get('/api/v1/nothing', headers))).toBe('0');
    expectBlocked(await own.get(FORMS, headers), 9);
    expectBlocked(await own.send('POST', '/api/v1/submissions', '{', headers), 9);
    expectBlocked(await own.get(SUBMISSION, headers), 9);
  });

  it('is shared by all tokens of the user from any address, and by no other user', async () => {
    const one = await userOf(strict);
    const other = await userOf(strict);
    const { plainToken } = await issueToken(database.dataSource.manager, { userId: one.id });
    const second = client(strict.url, { Authorization: `Bearer ${plainToken}` });
    expect(remaining(await one.client.get(FORMS, from(newAddress())))).toBe('8');
    expect(remaining(await second.get(FORMS, from(newAddress())))).toBe('7');
    expect(remaining(await one.client.get(SUBMISSION))).toBe('6');
    expect(remaining(await other.client.get(FORMS))).toBe('8');
  });

  it('is off if it is 0, independently of the limit for addresses', async () => {
    const { anyone, headers } = atNewAddress(unlimited);
    const { client: own } = await userOf(unlimited);
    const answers = await Promise.all(Array.from({ length: 70 }, () => own.get(FORMS, headers)));
    for (const answer of answers) expect([answer.status, limitOf(answer)]).toEqual([200, null]);
    for (let sent = 0; sent < 2; sent += 1) expect((await anyone.get(FORMS)).status).toBe(200);
    expectBlocked(await anyone.get(FORMS), 2);
  });

  it('does not apply to an invalid token, which counts against the address', async () => {
    const { anyone } = atNewAddress(usual);
    const { plainToken, token } = await userOf(usual);
    await database.dataSource.query('update api_tokens set revoked_at = now() where id = $1', [token.id]);
    const unknown = `Bearer ${plainToken.slice(0, -4)}AAAA`;
    let left = 60;
    for (const Authorization of [`Bearer ${plainToken}`, unknown, 'Bearer nonsense', 'Basic YTpi'])
      for (const path of [FORMS, SUBMISSION]) {
        left -= 1;
        const answer = await anyone.get(path, { Authorization });
        expect([limitOf(answer), remaining(answer)]).toEqual(['60', String(left)]);
      }
  });
});

describe('E5: a token that is not cached', () => {
  /** The look-ups of invalid tokens in a minute for an address that is over its limit. */
  const OVER_LIMIT = 60;
  type Client = ReturnType<typeof atNewAddress>;
  const ask = ({ anyone }: Client, plainToken: string) =>
    anyone.get(SUBMISSION, { Authorization: `Bearer ${plainToken}` });
  /** Sends one request after the other. */
  async function askAll(at: Client, tokens: readonly string[]): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (const token of tokens) answers.push(await ask(at, token));
    return answers;
  }
  const randomTokens = (count: number) =>
    Array.from({ length: count }, () => `ftk_${randomBytes(32).toString('base64url')}`);
  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

  /** Returns the result of `work`, and the number of token lookups in the database during `work`. */
  async function lookUpsDuring<T>(work: () => Promise<T>): Promise<[T, lookUps: number]> {
    let result: T | undefined;
    const sent = await strict.statementsDuring(async () => {
      result = await work();
    });
    return [result as T, sent.filter(({ name }) => name === 'tokens.find').length];
  }

  it('is looked up a fixed number of times if its address is over its limit', async () => {
    const attacker = atNewAddress(strict);
    const [answers, lookUps] = await lookUpsDuring(() => askAll(attacker, randomTokens(80)));
    expect(lookUps).toBe(3 + OVER_LIMIT);
    expect(statuses(answers)).toEqual([...Array(3).fill(401), ...Array(77).fill(429)]);
    for (const answer of answers.slice(3)) expectBlocked(answer, 3);

    // It is looked up if it comes from another address. From then on, it is cached.
    const { plainToken } = await userOf(strict);
    expectBlocked(await ask(attacker, plainToken), 3);
    expect((await ask(atNewAddress(strict), plainToken)).status).toBe(404);
    expect((await ask(attacker, plainToken)).status).toBe(404);
  });

  it('is looked up no more often if all tokens come at once', async () => {
    const attacker = atNewAddress(strict);
    const burst = () => Promise.all(randomTokens(20).map((token) => ask(attacker, token)));
    const [answers, first] = await lookUpsDuring(burst);
    expect(first).toBeLessThanOrEqual(20);
    expect(statuses(answers).toSorted()).toEqual([...Array(3).fill(401), ...Array(17).fill(429)]);
    await askAll(attacker, randomTokens(OVER_LIMIT - 17 - 5));
    expect((await lookUpsDuring(burst))[1]).toBeLessThanOrEqual(5 + 1);
    expect((await lookUpsDuring(burst))[1]).toBe(0);
  });

  it('is looked up once in a window if it is invalid and its address is over its limit', async () => {
    const at = atNewAddress(strict);
    const [invalid] = randomTokens(1) as [string];
    const [answers, lookUps] = await lookUpsDuring(() => askAll(at, Array<string>(70).fill(invalid)));
    expect(statuses(answers)).toEqual([...Array(3).fill(401), ...Array(67).fill(429)]);
    expect(lookUps).toBe(3);
    // A client that repeats an old token locks nobody out.
    expect((await ask(at, (await userOf(strict)).plainToken)).status).toBe(404);
  });

  it('uses nothing of the allowance of its address if it is valid, even if the limit is used up', async () => {
    const at = atNewAddress(strict);
    for (let sent = 0; sent < 70; sent += 1) await at.anyone.get(FORMS);
    expectBlocked(await at.anyone.get(FORMS), 3);
    const users = await Promise.all(Array.from({ length: 12 }, () => userOf(strict)));
    const answers = await Promise.all(users.map(({ plainToken }) => ask(at, plainToken)));
    expect(answers.map((answer) => [answer.status, remaining(answer)])).toEqual(Array(12).fill([404, '8']));
    expectBlocked((await askAll(at, randomTokens(1)))[0]!, 3);
  });

  it('is always looked up if the instance has accepted it before, despite other tokens of its address', async () => {
    const at = atNewAddress(unlimited);
    const [early, late] = [await userOf(unlimited), await userOf(unlimited)];
    expect((await ask(at, early.plainToken)).status).toBe(404);
    await askAll(at, randomTokens(2 + OVER_LIMIT + 10));
    // The instance has not seen this token, and the look-ups of the window are used up.
    expectBlocked(await ask(at, late.plainToken), 2);

    await database.dataSource.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'formtrail-listener' and datname = current_database()`,
    );
    await eventually('the caches are empty, and the token is looked up again', async () => {
      const [answer, lookUps] = await lookUpsDuring(() => ask(at, early.plainToken));
      expect(answer.status).toBe(404);
      return lookUps > 0;
    });
    await eventually('the token is cached again', async () => {
      await askAll(at, randomTokens(2));
      const [answer, lookUps] = await lookUpsDuring(() => ask(at, early.plainToken));
      expect(answer.status).toBe(404);
      return lookUps === 0;
    });
  });

  it('is looked up once more after it was revoked', async () => {
    const at = atNewAddress(strict);
    const { plainToken, token } = await userOf(strict);
    expect((await ask(at, plainToken)).status).toBe(404);
    for (let sent = 0; sent < 3; sent += 1) await at.anyone.get(FORMS);
    await strict.hearing(() =>
      database.dataSource.query('update api_tokens set revoked_at = now() where id = $1', [token.id]),
    );
    const [answers, lookUps] = await lookUpsDuring(() => askAll(at, Array<string>(5).fill(plainToken)));
    expect(lookUps).toBe(1);
    for (const answer of answers) expectBlocked(answer, 3);
  });
});

describe('E7: addresses behind proxies', () => {
  const left = async (forwarded?: string, { anyone } = usual) =>
    remaining(await anyone.get(FORMS, forwarded === undefined ? {} : from(forwarded)));

  it.each<Record<string, string>>([{}, { TRUST_PROXY: '192.168.0.0/16, ::1' }])(
    'are not those of a forged X-Forwarded-For with %j',
    (variables) =>
      withServiceOn(database, { ...variables, THROTTLE_LIMIT: '3' }, async ({ anyone }) => {
        const forged: Record<string, string>[] = [
          from(newAddress()),
          from(`${newAddress()}, 192.168.0.1`),
          { Forwarded: `for=${newAddress()}`, 'X-Real-IP': newAddress(), 'X-Client-IP': newAddress() },
        ];
        for (const headers of forged) await anyone.get(FORMS, headers);
        expectBlocked(await anyone.get(FORMS, from(newAddress())), 3);
      }),
  );

  it('are the right-most ones that are not a trusted proxy, regardless of the text before them', async () => {
    const real = newAddress();
    for (const [at, forwarded] of [
      real,
      `${newAddress()}, ${real}`,
      `127.0.0.1, 10.1.1.1, ${newAddress()}, ${real}`,
      `${real}, 10.200.0.1`,
      `${newAddress()}, ${real}, 10.0.0.1:80, 10.0.0.2, 127.0.0.1`,
      `garbage, ${real}`,
      `,,${real}`,
      `${real}:4711`,
      `::ffff:${real}`,
    ].entries())
      expect([forwarded, await left(forwarded)]).toEqual([forwarded, String(59 - at)]);
    expect(await left(newAddress())).toBe('59');
  });

  it('are not missing from an X-Forwarded-For without a client, which does not bypass the limit', async () => {
    for (const nobody of ['', ',', ' , ', '10.0.0.1', '10.0.0.1, 10.0.0.2'])
      expect(Number(await left(nobody, strict))).toBeLessThan(3);
  });

  it('can be those of trusted proxies that are given as IPv4-mapped IPv6 addresses', () =>
    withServiceOn(
      database,
      { THROTTLE_LIMIT: '60', TRUST_PROXY: '::ffff:127.0.0.1, ::ffff:10.0.0.0/104' },
      async (service) => {
        const address = newAddress();
        expect(await left(address, service)).toBe('59');
        expect(await left(`${address}, 10.0.0.1`, service)).toBe('58');
        expect(await left(newAddress(), service)).toBe('59');
      },
    ));
});
