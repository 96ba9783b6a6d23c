import { newRespondentToken } from '../../src/auth/issue-token.js';
import type { Answer } from '../support/client.js';
import { bearer, newRespondent, publicForm } from '../support/respondents.js';
import { type Service, startService } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const FORMS = '/api/v1/forms';
const HOUR = 3_600;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** Runs the test with a service that has counted no requests yet. */
async function counting(
  variables: Record<string, string>,
  test: (use: { database: TestDatabase; service: Service }) => Promise<void>,
): Promise<void> {
  const service = await startService(database, { TRUST_PROXY: '127.0.0.1', ...variables });
  try {
    await test({ database, service });
  } finally {
    await service.close();
  }
}

const from = (address: string) => ({ 'X-Forwarded-For': address });
const remaining = ({ headers }: Answer) => headers.get('x-ratelimit-remaining');

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
  ['POST /api/v1/respondents', '/api/v1/respondents', 3, HOUR, { RESPONDENT_LIMIT: '3' }],
  ['POST /api/v1/resume', '/api/v1/resume', 10, 60, {}],
] as const;

describe.each(ROUTES)('%s over its limit (P6)', (_, path, limit, window, variables) => {
  const useUp = async ({ anyone }: Service, headers = {}) => {
    for (let left = limit - 1; left >= 0; left -= 1) {
      const answer = await anyone.post(path, { form_uuid: 'none', code: 'none' }, headers);
      expect(answer.status).toBe(422);
      expect(answer.headers.get('x-ratelimit-limit')).toBe(String(limit));
      expect(remaining(answer)).toBe(String(left));
    }
  };

  it('costs no statement and no parsed body: a request with any other error gets 429', () =>
    counting(variables, async ({ database, service }) => {
      const form = await publicForm({ database });
      await useUp(service);
      const { anyone } = service;
      const big = `{"code": "${'a'.repeat(2 ** 20)}"}`;
      const sent = await service.statementsDuring(async () => {
        for (const answer of [
          await anyone.post(path, { form_uuid: form.form.uuid, code: '0'.repeat(26) }),
          await anyone.post(path, { form_uuid: form.form.uuid }, bearer(newRespondentToken())),
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
    }));

  it('shows the headers of the limit to pages of other origins', () =>
    counting(variables, async ({ service }) => {
      await useUp(service);
      const answer = await service.anyone.post(path, {}, { Origin: 'https://example.org' });
      expectBlocked(answer, limit, window);
      const exposed = (answer.headers.get('access-control-expose-headers') ?? '').toLowerCase();
      for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after'])
        expect(exposed.split(/, ?/)).toContain(name);
      expect(answer.headers.get('access-control-allow-origin')).not.toBeNull();
    }));

  it('counts IPv6 addresses per /64, and other addresses on their own', () =>
    counting(variables, async ({ service }) => {
      await useUp(service, from('2001:db8:0:7::1'));
      const ask = (address: string) => service.anyone.post(path, { code: 'none' }, from(address));
      expectBlocked(await ask('2001:db8:0:7:ffff::9'), limit, window);
      expect((await ask('2001:db8:0:8::1')).status).toBe(422);
      expect((await ask('198.51.100.7')).status).toBe(422);
    }));

  it('counts parallel requests exactly', () =>
    counting(variables, async ({ service }) => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => service.anyone.post(path, { form_uuid: 'none', code: 'none' })),
      );
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(limit);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - limit);
    }));

  it('counts a request for the limit of all routes, too, whose headers a rejected request has', () =>
    counting({ ...variables, THROTTLE_LIMIT: '2' }, async ({ service }) => {
      const ask = () => service.anyone.post(path, { code: 'none' });
      expect([(await ask()).status, (await ask()).status]).toEqual([422, 422]);
      expectBlocked(await ask(), 2, 60);
      // The limit of the route has not counted the rejected request.
      expectBlocked(await service.anyone.get(FORMS), 2, 60);
    }));

  it('ignores a token, so that a user cannot avoid the limit', () =>
    counting({ ...variables, THROTTLE_LIMIT: '1000' }, async ({ database, service }) => {
      const form = await publicForm({ database });
      const { plainToken } = await newRespondent({ database, service }, form);
      for (let sent = 0; sent < limit; sent += 1) await service.anyone.post(path, {}, bearer(plainToken));
      expectBlocked(await service.anyone.post(path, {}, bearer(plainToken)), limit, window);
    }));
});

it('RESPONDENT_LIMIT is 60 unless configured, and 0 means that there is no limit', async () => {
  await counting({ RESPONDENT_LIMIT: '' }, async ({ service }) => {
    const answer = await service.anyone.post('/api/v1/respondents', {});
    expect([answer.headers.get('x-ratelimit-limit'), remaining(answer)]).toEqual(['60', '59']);
  });
  await counting({ RESPONDENT_LIMIT: '0', THROTTLE_LIMIT: '0' }, async ({ service }) => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => service.anyone.post('/api/v1/respondents', {})),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(422);
      expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
    }
  });
});

describe('the requests of respondents (P6)', () => {
  it('count for the respondent, and for ten times the limit of the address, apart from requests without a token', () =>
    counting(
      { THROTTLE_LIMIT: '2', THROTTLE_USER_LIMIT: '15', RESPONDENT_LIMIT: '0' },
      async ({ database, service }) => {
        const form = await publicForm({ database });
        const use = { database, service };
        const [ada, grace] = [await newRespondent(use, form), await newRespondent(use, form)];
        // The two requests above have used up the address's limit for requests without a token.
        expectBlocked(await service.anyone.get(FORMS), 2, 60);
        for (let left = 14; left >= 0; left -= 1) {
          const answer = await ada.client.get(FORMS);
          expect([answer.status, answer.headers.get('x-ratelimit-limit'), remaining(answer)]).toEqual([
            200,
            '15',
            String(left),
          ]);
        }
        expectBlocked(await ada.client.get(FORMS), 15, 60);
        // 16 of the 20 requests of this address are used up.
        for (let left = 14; left >= 11; left -= 1) {
          const answer = await grace.client.get(FORMS);
          expect([answer.status, remaining(answer)]).toEqual([200, String(left)]);
        }
        expectBlocked(await grace.client.get(FORMS), 20, 60);
        const elsewhere = await grace.client.get(FORMS, from('198.51.100.9'));
        expect([elsewhere.status, remaining(elsewhere)]).toEqual([200, '10']);
      },
    ));

  it('are not counted for the address without THROTTLE_LIMIT, and not for the respondent without THROTTLE_USER_LIMIT', async () => {
    await counting({ THROTTLE_LIMIT: '0', THROTTLE_USER_LIMIT: '1' }, async (use) => {
      const { client } = await newRespondent(use, await publicForm(use));
      expect((await client.get(FORMS)).status).toBe(200);
      expectBlocked(await client.get(FORMS), 1, 60);
    });
    await counting({ THROTTLE_LIMIT: '1', THROTTLE_USER_LIMIT: '0' }, async (use) => {
      const { client } = await newRespondent(use, await publicForm(use));
      for (let left = 9; left >= 0; left -= 1) expect(remaining(await client.get(FORMS))).toBe(String(left));
      expectBlocked(await client.get(FORMS), 10, 60);
    });
  });
});
