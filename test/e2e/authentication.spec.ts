import { issueToken } from '../../src/entities.js';
import { expectUnauthenticated } from '../support/answers.js';
import { type Draft, newDraft } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { GUARDED } from '../support/operations.js';
import { sendHttp } from '../support/raw.js';
import { newUser, useService } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

const use = useService();
const query = <Row>(sql: string, parameters: unknown[]) =>
  use.database.dataSource.query<Row[]>(sql, parameters);
const issue = (userId: number, expiresAt?: Date) =>
  issueToken(use.database.dataSource.manager, { userId, ...(expiresAt && { expiresAt }) });

let draft: Draft;
let valid: string;
beforeAll(async () => {
  draft = await newDraft(use);
  valid = (await issue(draft.userId)).plainToken;
});

const statusWith = async (authorization: string) =>
  (await use.service.anyone.get(draft.path, { Authorization: authorization })).status;

// test/security proves that a token counts in this header only, and that it ends on all instances at once.
describe('a request without a valid token (A5)', () => {
  const unknown = { Authorization: `Bearer ftk_${'x'.repeat(43)}` };

  it.each(GUARDED)('is 401 on $route, even if its body is invalid', async ({ method, path, body = {} }) => {
    const { anyone } = use.service;
    const target = path.replace('{uuid}', draft.uuid).replace('{id}', '1').replace('{file}', draft.uuid);
    if (method === 'GET') {
      for (const headers of [{}, unknown]) expectUnauthenticated(await anyone.get(target, headers));
      const { status, headers } = await sendHttp(use.service.url, target, { method: 'HEAD' });
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      return;
    }
    expectUnauthenticated(await anyone.send(method, target, JSON.stringify(body), unknown));
    for (const [text, type] of [
      ['{', 'application/json'],
      ['"\\u0000"', 'application/json'],
      ['{}', 'text/plain'],
      [`{"a":"${'a'.repeat(2 ** 20)}"}`, 'application/json'],
    ] as const)
      expectUnauthenticated(await anyone.send(method, target, text, { 'Content-Type': type }));
  });

  it('is 401 for any header but Bearer and the token (A1)', async () => {
    const basic = Buffer.from(`user:${valid}`).toString('base64');
    for (const authorization of [
      ...[
        valid,
        `Basic ${basic}`,
        `Token ${valid}`,
        'Bearer',
        'Bearer ',
        `Bearer${valid}`,
        `Bearer=${valid}`,
      ],
      ...[
        `Bearer: ${valid}`,
        `Bearer  ${valid}`,
        `Bearer\t${valid}`,
        `Bearer ${valid} x`,
        `Bearer ${valid},`,
      ],
      ...[`Bearer "${valid}"`, `Bearer ${valid}, Bearer ${valid}`, `Basic ${basic}, Bearer ${valid}`],
      ...[`Bearer ${valid.slice(0, -1)}`, `Bearer ${valid}A`, `Bearer ${valid.slice('ftk_'.length)}`],
      ...[`Bearer ${valid.toUpperCase()}`, `Bearer ${'a'.repeat(4_000)}`, `Bearer ' or true --`],
    ])
      expect([authorization, await statusWith(authorization)]).toEqual([authorization, 401]);
  });

  it('is 401 even for a malformed UUID', async () => {
    for (const uuid of ['nonsense', '%00', 'x'.repeat(900)])
      expectUnauthenticated(await use.service.anyone.get(`/api/v1/submissions/${uuid}/conditions`));
  });
});

describe('a token', () => {
  it('is accepted with the scheme in any letter case, and others beside it are ignored (A1)', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
      expect(await statusWith(`${scheme} ${valid}`)).toBe(200);
    expect((await draft.client.get(`${draft.path}?access_token=nonsense`)).status).toBe(200);
    expect((await draft.client.patch(draft.path, { access_token: 'nonsense' })).status).toBe(200);
  });

  it('acts for its user, also on submissions that another token has created (A4)', async () => {
    expect(await statusWith(`Bearer ${(await issue(draft.userId)).plainToken}`)).toBe(200);
    expect(await statusWith(`Bearer ${(await newUser(use)).plainToken}`)).toBe(404);
  });

  it('is never valid if it has already expired when it is issued, and always if SQL sets infinity (A3)', async () => {
    const past = await issue(draft.userId, new Date(Date.now() - 1_000));
    expect(await statusWith(`Bearer ${past.plainToken}`)).toBe(401);
    const { token, plainToken } = await issue(draft.userId);
    await query(`update api_tokens set expires_at = 'infinity' where id = $1`, [token.id]);
    expect(await statusWith(`Bearer ${plainToken}`)).toBe(200);
  });

  it('is valid until it expires, and then rejected although it is cached (A3)', async () => {
    const expiresAt = new Date(Date.now() + 500);
    const { plainToken } = await issue(draft.userId, expiresAt);
    await eventually('the token expires', async () => {
      const askedAt = Date.now();
      const status = await statusWith(`Bearer ${plainToken}`);
      // The token expires neither too early nor too late, with a tolerance of 100 ms for the request.
      if (askedAt > expiresAt.getTime() + 100) expect(status).toBe(401);
      else if (Date.now() < expiresAt.getTime() - 100) expect(status).toBe(200);
      return status === 401;
    });
  });

  it('ends alone: other tokens of its user stay valid (A3)', async () => {
    const [first, second] = [await issue(draft.userId), await issue(draft.userId)];
    for (const { plainToken } of [first, second]) expect(await statusWith(`Bearer ${plainToken}`)).toBe(200);
    await use.service.hearing(() =>
      query('update api_tokens set revoked_at = now() where id = $1', [first.token.id]),
    );
    expect(await statusWith(`Bearer ${first.plainToken}`)).toBe(401);
    expect(await statusWith(`Bearer ${second.plainToken}`)).toBe(200);
  });

  it('stays valid if its revocation is rolled back (A3)', async () => {
    const { token, plainToken } = await issue(draft.userId);
    await asAnotherProgram(use.database.connection, async (panel) => {
      await panel.query('begin');
      await panel.query('update api_tokens set revoked_at = now() where id = $1', [token.id]);
      expect(await statusWith(`Bearer ${plainToken}`)).toBe(200);
      await panel.query('rollback');
    });
    expect(await statusWith(`Bearer ${plainToken}`)).toBe(200);
  });

  it('is not needed for forms, where an invalid one is ignored (A1)', async () => {
    const { form } = draft;
    const { plainToken, token } = await newUser(use);
    await query('update api_tokens set revoked_at = now() where id = $1', [token.id]);
    for (const path of ['?per_page=1', `/${form.uuid}`, `/${form.slug}/by-slug`, `/${form.uuid}/schema`]) {
      const { status, body } = await use.service.anyone.get(`/api/v1/forms${path}`);
      expect(status).toBe(200);
      for (const Authorization of ['Bearer nonsense', `Bearer ${plainToken}`, 'Basic YTpi', 'Bearer', ' ']) {
        const answer = await use.service.anyone.get(`/api/v1/forms${path}`, { Authorization });
        expect([Authorization, answer.status, answer.body]).toEqual([Authorization, 200, body]);
        expect(answer.headers.get('www-authenticate')).toBeNull();
      }
    }
  });
});
