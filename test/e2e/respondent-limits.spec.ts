import { newRespondentToken } from '../../src/capabilities/respondents/respondent-token.js';
import { type Answer, client } from '../support/client.js';
import { itOnOneServer, onOneServer } from '../support/it-on-one-server.js';
import { from, limitOf, newAddress, remaining } from '../support/rate-limits.js';
import { bearer, newRespondent, publicForm } from '../support/respondents.js';
import { useServiceOn, withServiceOn } from '../support/service.js';
import { useDatabase } from '../support/test-database.js';

const FORMS = '/api/v1/forms';
const HOUR = 3_600;

const database = useDatabase();
const proxied = (variables: Record<string, string>) =>
  useServiceOn({ database }, { TRUST_PROXY: '127.0.0.1', ...variables });
/** Counts requests for the routes of respondents only. Each test has an address of its own. */
const usual = proxied({ THROTTLE_LIMIT: '1000', RESPONDENT_LIMIT: '3' });
/** Allows an address 2 requests, and a respondent 15. */
const strict = proxied({ THROTTLE_LIMIT: '2', THROTTLE_USER_LIMIT: '15', RESPONDENT_LIMIT: '0' });

function expectBlocked(answer: Answer, limit: number, longest: number) {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 429,
    body: { message: expect.any(String) },
  });
  expect(answer.headers.get('x-ratelimit-limit')).toBe(String(limit));
  expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
  const wait = answer.headers.get('retry-after') ?? '';
  expect(wait).toMatch(/^\d+$/);
  // The window has just begun.
  expect(Number(wait)).toBeGreaterThan(longest * 0.9);
  expect(Number(wait)).toBeLessThanOrEqual(longest);
}

const ROUTES = [
  ['POST /api/v1/respondents', '/api/v1/respondents', 3, HOUR],
  ['POST /api/v1/resume', '/api/v1/resume', 10, 60],
] as const;

onOneServer.each(ROUTES)('the route %s over its limit (P6)', (_, path, limit, window) => {
  const INVALID = { form_uuid: 'none', code: 'none' };
  const at = (address: string) => client(usual.url, from(address));
  const useUp = async (address: string) => {
    for (let left = limit - 1; left >= 0; left -= 1) {
      const answer = await at(address).post(path, INVALID);
      expect([answer.status, limitOf(answer), remaining(answer)]).toEqual([422, String(limit), String(left)]);
    }
  };

  it('costs no statement and no parsed body: a request with any other error gets 429', async () => {
    const { form } = await publicForm({ database });
    const address = newAddress();
    await useUp(address);
    const anyone = at(address);
    const big = `{"code": "${'a'.repeat(2 ** 20)}"}`;
    const sent = await usual.statementsDuring(async () => {
      for (const answer of [
        await anyone.post(path, { form_uuid: form.uuid, code: '0'.repeat(26) }),
        await anyone.post(path, { form_uuid: form.uuid }, bearer(newRespondentToken())),
        await anyone.post(path, { form_uuid: 1, code: 1 }),
        await anyone.post(path),
        await anyone.send('POST', path, '{'),
        await anyone.send('POST', path, big),
        await anyone.send('POST', path, 'x', { 'Content-Type': 'text/plain' }),
        await anyone.send('POST', path, 'x', { 'Content-Encoding': 'gzip' }),
      ])
        expectBlocked(answer, limit, window);
    });
    expect(sent).toEqual([]);
    // Pages of other origins can read the headers.
    const answer = await anyone.post(path, {}, { Origin: 'https://example.org' });
    expectBlocked(answer, limit, window);
    const exposed = (answer.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(/, ?/);
    expect(exposed).toEqual(
      expect.arrayContaining(['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after']),
    );
    expect(answer.headers.get('access-control-allow-origin')).not.toBeNull();
  });

  it('counts IPv6 addresses per /64, and other addresses on their own', async () => {
    await useUp('2001:db8:0:7::1');
    const ask = (address: string) => at(address).post(path, INVALID);
    expectBlocked(await ask('2001:db8:0:7:ffff::9'), limit, window);
    expect((await ask('2001:db8:0:8::1')).status).toBe(422);
  });

  it('counts parallel requests exactly', async () => {
    const anyone = at(newAddress());
    const answers = await Promise.all(Array.from({ length: 40 }, () => anyone.post(path, INVALID)));
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(limit);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - limit);
  });

  it('counts a request for the limit of all routes, too, whose headers a rejected request has', async () => {
    const anyone = client(strict.url, from(newAddress()));
    const ask = () => anyone.post(path, INVALID);
    expect([(await ask()).status, (await ask()).status]).toEqual([422, 422]);
    expectBlocked(await ask(), 2, 60);
    expectBlocked(await anyone.get(FORMS), 2, 60);
  });

  it('ignores a token, so that a user cannot avoid the limit', async () => {
    const form = await publicForm({ database });
    const { plainToken } = await newRespondent({ database, service: usual }, form);
    const anyone = at(newAddress());
    for (let sent = 0; sent < limit; sent += 1) await anyone.post(path, INVALID, bearer(plainToken));
    expectBlocked(await anyone.post(path, INVALID, bearer(plainToken)), limit, window);
  });
});

itOnOneServer('RESPONDENT_LIMIT is 60 unless configured, and 0 means that there is no limit', async () => {
  await withServiceOn(database, { RESPONDENT_LIMIT: '' }, async ({ anyone }) => {
    const answer = await anyone.post('/api/v1/respondents', {});
    expect([limitOf(answer), remaining(answer)]).toEqual(['60', '59']);
  });
  await withServiceOn(database, { RESPONDENT_LIMIT: '0', THROTTLE_LIMIT: '0' }, async ({ anyone }) => {
    const create = () => anyone.post('/api/v1/respondents', {});
    for (const answer of await Promise.all(Array.from({ length: 70 }, create)))
      expect([answer.status, limitOf(answer)]).toEqual([422, null]);
  });
});

onOneServer('the requests of respondents (P6)', () => {
  it('count for the respondent, and for ten times the limit of the address, apart from requests without a token', async () => {
    const form = await publicForm({ database });
    const use = { database, service: strict };
    const address = from(newAddress());
    const [ada, grace] = [await newRespondent(use, form), await newRespondent(use, form)];
    const anyone = client(strict.url, address);
    for (const status of [200, 200, 429]) expect((await anyone.get(FORMS)).status).toBe(status);
    for (let left = 14; left >= 0; left -= 1) {
      const answer = await ada.client.get(FORMS, address);
      expect([answer.status, limitOf(answer), remaining(answer)]).toEqual([200, '15', String(left)]);
    }
    expectBlocked(await ada.client.get(FORMS, address), 15, 60);
    // 16 of the 20 requests of this address are used up.
    for (let left = 14; left >= 11; left -= 1)
      expect(remaining(await grace.client.get(FORMS, address))).toBe(String(left));
    expectBlocked(await grace.client.get(FORMS, address), 20, 60);
    const elsewhere = await grace.client.get(FORMS, from(newAddress()));
    expect([elsewhere.status, remaining(elsewhere)]).toEqual([200, '10']);
  });

  it.each([
    ['not counted for the address without THROTTLE_LIMIT', ['0', '1'], 1],
    ['not counted for the respondent without THROTTLE_USER_LIMIT', ['1', '0'], 10],
  ] as const)('are %s', (_, [THROTTLE_LIMIT, THROTTLE_USER_LIMIT], limit) =>
    withServiceOn(database, { THROTTLE_LIMIT, THROTTLE_USER_LIMIT }, async (service) => {
      const { client: own } = await newRespondent({ database, service }, await publicForm({ database }));
      for (let left = limit - 1; left >= 0; left -= 1)
        expect(remaining(await own.get(FORMS))).toBe(String(left));
      expectBlocked(await own.get(FORMS), limit, 60);
    }),
  );
});
