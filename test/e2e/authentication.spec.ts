import { createHash, randomBytes } from 'node:crypto';
import { issueToken } from '../../src/entities.js';
import type { Answer } from '../support/client.js';
import { client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { sendHttp } from '../support/raw.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, startService, useService } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

const UUID = '01890000-0000-7000-8000-000000000001';

const SUBMISSION_ROUTES = [
  ['POST', '/api/v1/submissions'],
  ['GET', `/api/v1/submissions/${UUID}`],
  ['PATCH', `/api/v1/submissions/${UUID}`],
  ['POST', `/api/v1/submissions/${UUID}/values`],
  ['POST', `/api/v1/submissions/${UUID}/advance`],
  ['POST', `/api/v1/submissions/${UUID}/retreat`],
  ['GET', `/api/v1/submissions/${UUID}/conditions`],
] as const;

function expectUnauthenticated(answer: Answer) {
  expectRefusal(answer, 401, { message: 'Unauthenticated.' });
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
}

describe('authentication of the submission endpoints', () => {
  const use = useService();

  /** Creates a submission. `statusWith` reads it with an Authorization header and returns the response status. */
  async function ownSubmission() {
    const user = await newUser(use);
    const { form } = await buildForm(use.database.dataSource);
    const created = await user.client.post('/api/v1/submissions', { form_uuid: form.uuid });
    const path = `/api/v1/submissions/${created.body.data.uuid}`;
    const statusWith = async (authorization: string) =>
      (await use.service.anyone.get(path, { Authorization: authorization })).status;
    return { ...user, form, path, statusWith };
  }

  describe.each(SUBMISSION_ROUTES)('A5: %s %s', (method, path) => {
    const ask = (headers: Record<string, string> = {}, query = '', body = '{}') =>
      method === 'GET'
        ? use.service.anyone.get(path + query, headers)
        : use.service.anyone.send(method, path + query, body, headers);

    it('returns 401 without a header', async () => {
      expectUnauthenticated(await ask());
    });

    it('returns 401 for any header without a valid token', async () => {
      const { plainToken } = await newUser(use);
      const unknown = `ftk_${randomBytes(32).toString('base64url')}`;
      const basic = Buffer.from(`user:${plainToken}`).toString('base64');
      const swapped = plainToken.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'));
      for (const authorization of [
        plainToken,
        `Basic ${basic}`,
        `Token ${plainToken}`,
        `Digest ${plainToken}`,
        `Bearer`,
        `Bearer `,
        `Bearer${plainToken}`,
        `Bearer=${plainToken}`,
        `Bearer: ${plainToken}`,
        `Bearer  ${plainToken}`,
        `Bearer\t${plainToken}`,
        `Bearer ${plainToken} trailing`,
        `Bearer ${plainToken},`,
        `Bearer "${plainToken}"`,
        `Bearer ${plainToken}, Bearer ${plainToken}`,
        `Basic ${basic}, Bearer ${plainToken}`,
        `Bearer ${plainToken.slice(0, -1)}`,
        `Bearer ${plainToken}A`,
        `Bearer ${plainToken.slice('ftk_'.length)}`,
        `Bearer ${plainToken.toUpperCase()}`,
        `Bearer ${swapped}`,
        `Bearer ${unknown}`,
        `Bearer null`,
        `Bearer undefined`,
        `Bearer ${'a'.repeat(4_000)}`,
        `Bearer ' or true --`,
      ]) {
        const answer = await ask({ Authorization: authorization });
        expect({ authorization, status: answer.status }).toEqual({ authorization, status: 401 });
        expectUnauthenticated(answer);
      }
    });

    it('A1: returns 401 for a valid token anywhere but in the header', async () => {
      const { plainToken } = await newUser(use);
      expectUnauthenticated(await ask({}, `?access_token=${plainToken}`));
      expectUnauthenticated(await ask({}, `?token=${plainToken}&api_token=${plainToken}`));
      expectUnauthenticated(await ask({ Cookie: `access_token=${plainToken}` }));
      expectUnauthenticated(
        await ask({ 'X-Api-Key': plainToken, 'Proxy-Authorization': `Bearer ${plainToken}` }),
      );
      if (method === 'GET') return;
      expectUnauthenticated(await ask({}, '', JSON.stringify({ access_token: plainToken })));
      expectUnauthenticated(
        await ask(
          { 'Content-Type': 'application/x-www-form-urlencoded' },
          '',
          new URLSearchParams({ access_token: plainToken }).toString(),
        ),
      );
    });

    if (method !== 'GET') {
      it('returns 401 before it validates the body (specification, section 5, rule 1)', async () => {
        for (const [body, type] of [
          ['{', 'application/json'],
          ['[]', 'application/json'],
          ['"\\u0000"', 'application/json'],
          ['['.repeat(1_000), 'application/json'],
          ['{}', 'text/plain'],
          ['{}', 'nonsense'],
          [`{"a":"${'a'.repeat(2 ** 20)}"}`, 'application/json'],
        ] as const) {
          const answer = await ask({ 'Content-Type': type }, '', body);
          expect({ body: body.slice(0, 10), type, status: answer.status }).toEqual({
            body: body.slice(0, 10),
            type,
            status: 401,
          });
          expectUnauthenticated(answer);
        }
      });
    } else {
      it('returns 401 to HEAD too', async () => {
        const answer = await sendHttp(use.service.url, path, { method: 'HEAD' });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      });
    }
  });

  it('returns 401 even for a malformed UUID', async () => {
    for (const uuid of ['nonsense', '1', '%00', 'x'.repeat(900)]) {
      expectUnauthenticated(await use.service.anyone.get(`/api/v1/submissions/${uuid}`));
      expectUnauthenticated(await use.service.anyone.get(`/api/v1/submissions/${uuid}/conditions`));
    }
  });

  it('A1: accepts the scheme in any letter case', async () => {
    const { plainToken, statusWith } = await ownSubmission();
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
      expect({ scheme, status: await statusWith(`${scheme} ${plainToken}`) }).toEqual({
        scheme,
        status: 200,
      });
    }
  });

  it('A1: ignores tokens in the query and the body, even invalid ones', async () => {
    const { client: own, path } = await ownSubmission();
    expect((await own.get(`${path}?access_token=nonsense`)).status).toBe(200);
    expect((await own.patch(path, { access_token: 'nonsense' })).status).toBe(200);
  });

  it('A4: accepts any token of the user, not only the one that created the submission', async () => {
    const { id, path, statusWith } = await ownSubmission();
    const another = await issueToken(use.database.dataSource.manager, { userId: id, name: 'another' });
    expect(await statusWith(`Bearer ${another.plainToken}`)).toBe(200);
    const stranger = await newUser(use);
    expect((await stranger.client.get(path)).status).toBe(404);
  });

  describe('A2: a token', () => {
    it('has 256 random bits after its prefix, and is stored as its SHA-256', async () => {
      const { plainToken, token } = await newUser(use);
      expect(plainToken).toMatch(/^ftk_[A-Za-z0-9_-]{43}$/);
      expect(Buffer.from(plainToken.slice(4), 'base64url')).toHaveLength(32);
      const [row] = await use.database.dataSource.query<{ token_hash: Buffer }[]>(
        'select token_hash from api_tokens where id = $1',
        [token.id],
      );
      expect(row?.token_hash.equals(createHash('sha256').update(plainToken).digest())).toBe(true);
    });

    it('appears in plain text in no column of any table', async () => {
      const { plainToken, client: own, path } = await ownSubmission();
      const key = { 'Idempotency-Key': 'once' };
      expect((await own.patch(path, { meta: { a: 1 } })).status).toBe(200);
      expect((await own.post(`${path}/advance`, undefined, key)).status).toBe(422);

      const secret = plainToken.slice(4);
      const forms = [
        secret,
        Buffer.from(plainToken).toString('hex'),
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret, 'base64url').toString('hex'),
        Buffer.from(secret, 'base64url').toString('base64'),
      ];
      const { dataSource } = use.database;
      const tables = await dataSource.query<{ name: string }[]>(
        `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`,
      );
      expect(tables.map(({ name }) => name)).toContain('api_tokens');
      for (const { name } of tables) {
        const rows = await dataSource.query<{ text: string }[]>(`select t::text as text from ${name} t`);
        for (const { text } of rows) for (const form of forms) expect(text).not.toContain(form);
      }
    });
  });

  describe('A3: a token', () => {
    it('is never valid if it has already expired when it is issued', async () => {
      const { id, statusWith } = await ownSubmission();
      const { plainToken } = await issueToken(use.database.dataSource.manager, {
        userId: id,
        expiresAt: new Date(Date.now() - 1_000),
      });
      expect(await statusWith(`Bearer ${plainToken}`)).toBe(401);
    });

    it('is valid until it expires, and then rejected although it is cached', async () => {
      const { id, statusWith } = await ownSubmission();
      const expiresAt = new Date(Date.now() + 1_000);
      const { plainToken } = await issueToken(use.database.dataSource.manager, { userId: id, expiresAt });
      expect(await statusWith(`Bearer ${plainToken}`)).toBe(200);

      await eventually('the token expires', async () => {
        const askedAt = Date.now();
        const status = await statusWith(`Bearer ${plainToken}`);
        // The token expires neither too early nor too late, with a tolerance of 100 ms for the request.
        if (askedAt > expiresAt.getTime() + 100) expect(status).toBe(401);
        else if (Date.now() < expiresAt.getTime() - 100) expect(status).toBe(200);
        return status === 401;
      });
    });

    it('never expires if SQL sets its expiry to infinity', async () => {
      const { id, statusWith } = await ownSubmission();
      const { token, plainToken } = await issueToken(use.database.dataSource.manager, { userId: id });
      const never = `update api_tokens set expires_at = 'infinity' where id = $1`;
      await use.database.dataSource.query(never, [token.id]);
      expect(await statusWith(`Bearer ${plainToken}`)).toBe(200);
    });

    it.each([
      ['revoked', 'update api_tokens set revoked_at = now() where id = $1'],
      ['made to expire', `update api_tokens set expires_at = now() - interval '1 second' where id = $1`],
      ['deleted', 'delete from api_tokens where id = $1'],
      [
        'deleted with its user',
        'delete from users using api_tokens t where t.id = $1 and users.id = t.user_id',
      ],
    ])('is rejected by every instance once it is %s by another program', async (_, sql) => {
      const { client: own, token, plainToken } = await newUser(use);
      const other = await startService(use.database);
      try {
        const elsewhere = client(other.url, { Authorization: `Bearer ${plainToken}` });
        const path = `/api/v1/submissions/${UUID}`;
        // 404, because the submission is unknown. The token is valid, and both instances cache it.
        for (const instance of [own, elsewhere, own, elsewhere]) {
          expect((await instance.get(path)).status).toBe(404);
        }

        await asAnotherProgram(use.database.connection, (program) => program.query(sql, [token.id]));

        // The instances are notified within milliseconds, or later on a busy machine.
        for (const instance of [own, elsewhere]) {
          await eventually('the token ends', async () => (await instance.get(path)).status === 401);
          expectUnauthenticated(await instance.get(path));
        }
      } finally {
        await other.close();
      }
    });

    it('stays valid if the revocation is rolled back', async () => {
      const { token, statusWith, plainToken } = await ownSubmission();
      await asAnotherProgram(use.database.connection, async (program) => {
        await program.query('begin');
        await program.query('update api_tokens set revoked_at = now() where id = $1', [token.id]);
        expect(await statusWith(`Bearer ${plainToken}`)).toBe(200);
        await program.query('rollback');
      });
      expect(await statusWith(`Bearer ${plainToken}`)).toBe(200);
    });

    it('stays valid if another token of the same user is revoked', async () => {
      const { id, token, statusWith, plainToken } = await ownSubmission();
      const { plainToken: another } = await issueToken(use.database.dataSource.manager, { userId: id });
      await asAnotherProgram(use.database.connection, (program) =>
        program.query('update api_tokens set revoked_at = now() where id = $1', [token.id]),
      );
      await eventually('revoked', async () => (await statusWith(`Bearer ${plainToken}`)) === 401);
      expect(await statusWith(`Bearer ${another}`)).toBe(200);
    });
  });

  describe('A1: the form endpoints', () => {
    it('need no token and ignore an invalid one', async () => {
      const { form } = await buildForm(use.database.dataSource);
      const { plainToken, token } = await newUser(use);
      await use.database.dataSource.query('update api_tokens set revoked_at = now() where id = $1', [
        token.id,
      ]);
      const paths = ['', `/${form.uuid}`, `/${form.slug}/by-slug`, `/${form.uuid}/schema`];
      for (const path of paths) {
        const expected = await use.service.anyone.get(`/api/v1/forms${path}`);
        expect(expected.status).toBe(200);
        for (const Authorization of [
          'Bearer nonsense',
          `Bearer ${plainToken}`,
          'Basic YTpi',
          'Bearer',
          ' ',
        ]) {
          const answer = await use.service.anyone.get(`/api/v1/forms${path}`, { Authorization });
          expect({ path, Authorization, status: answer.status, body: answer.body }).toEqual({
            path,
            Authorization,
            status: 200,
            body: expected.body,
          });
          expect(answer.headers.get('www-authenticate')).toBeNull();
        }
      }
    });
  });
});
