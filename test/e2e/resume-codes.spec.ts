import { deleteForm, eraseUsers } from '../../src/cli/deletions.js';
import { type Form, revokeToken } from '../../src/entities.js';
import { purgeRespondents } from '../../src/capabilities/respondents/purge-respondents.js';
import { revokeRespondents } from '../../src/capabilities/respondents/revoke-respondents.js';
import { type Answer, client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { onOneServer } from '../support/it-on-one-server.js';
import { from, newAddress } from '../support/rate-limits.js';
import {
  bearer,
  hashOf,
  letTokensExpire,
  newRespondent,
  type NewRespondent,
  publicForm,
} from '../support/respondents.js';
import { type Service, useOwnService, useServiceOn } from '../support/service.js';
import { asAnotherProgram } from '../support/test-server.js';

const use = useOwnService({ TRUST_PROXY: '127.0.0.1' });
const other = useServiceOn(use, { TRUST_PROXY: '127.0.0.1' });

/** Sends a code from a new address, because an address may try ten codes a minute. */
const resume = (code: unknown, { anyone }: Pick<Service, 'anyone'> = use.service) =>
  anyone.post('/api/v1/resume', { code }, from(newAddress()));

async function newCode({ client }: NewRespondent): Promise<string> {
  const { status, body } = await client.post('/api/v1/resume-codes');
  expect(status).toBe(201);
  return body.data.code;
}

const sql = (text: string, values: unknown[]) => use.database.dataSource.query(text, values);
const expireCodes = ({ id }: NewRespondent) =>
  sql(`update resume_codes set expires_at = now() - interval '1 second' where user_id = $1`, [id]);

/** Everything that a client sees of a response, except headers that differ between any two requests. */
function seen({ status, headers, body }: Answer) {
  return {
    status,
    body,
    headers: [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
  };
}

const newOne = async () => newRespondent(use, await publicForm(use));

/** Ways in which a code becomes invalid. */
const REFUSED: Readonly<Record<string, (respondent: NewRespondent, code: string) => Promise<unknown>>> = {
  used: (_, code) => resume(code),
  expired: expireCodes,
  'of a respondent who was created more than 180 days ago': ({ id }) =>
    sql(`update respondents set created_at = now() - interval '181 days' where user_id = $1`, [id]),
  'of a deleted respondent': ({ id }) => sql('delete from users where id = $1', [id]),
};

onOneServer('POST /api/v1/resume', () => {
  it.each(Object.keys(REFUSED))(
    'responds to a code that is %s as to an unknown one: the same bytes after the same statement',
    async (kind) => {
      const respondent = await newOne();
      const code = await newCode(respondent);
      await REFUSED[kind]!(respondent, code);
      const answers: Answer[] = [];
      for (const tried of [code, '0'.repeat(26)]) {
        const sent = await use.service.statementsDuring(async () => answers.push(await resume(tried)));
        expect(sent.map(({ name }) => name)).toEqual(['respondents.resume']);
      }
      expect(seen(answers[0]!)).toEqual(seen(answers[1]!));
      expect({ status: answers[0]!.status, body: answers[0]!.body }).toEqual({
        status: 422,
        body: {
          message: 'The given data was invalid.',
          errors: {
            code: ['The code is wrong, expired or already used. Ask for a new code on the first device.'],
          },
        },
      });
    },
  );

  it('responds to text that is no code with the same bytes, without a statement', async () => {
    const unknown = seen(await resume('0'.repeat(26)));
    const sent = await use.service.statementsDuring(async () => {
      for (const code of ['', '0'.repeat(25), '0'.repeat(27), 'U'.repeat(26), '-'.repeat(100_000)])
        expect(seen(await resume(code))).toEqual(unknown);
      for (const code of [undefined, null, 1, ['0'.repeat(26)]])
        expect((await resume(code)).status).toBe(422);
    });
    expect(sent).toEqual([]);
  });

  it('gives one token to fifty parallel calls on two instances, and one and the same 422 to the others', async () => {
    const respondent = await newOne();
    const code = await newCode(respondent);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => resume(code, at % 2 === 0 ? use.service : other)),
    );
    const given = answers.filter(({ status }) => status === 201);
    expect(given).toHaveLength(1);
    const unknown = seen(await resume('0'.repeat(26)));
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(seen(answer)).toEqual(unknown);
    expect(await sql('select from api_tokens where user_id = $1', [respondent.id])).toHaveLength(2);
    for (const { anyone } of [use.service, other])
      expect((await anyone.get('/api/v1/submissions', bearer(given[0]!.body.data.token))).status).toBe(200);
  });

  it('gives a token of the same respondent, valid for at most 180 days after its creation, and leaves older tokens valid', async () => {
    const respondent = await newOne();
    const { form } = await publicForm(use);
    const code = await newCode(respondent);
    await sql(`update respondents set created_at = now() - interval '179 days' where user_id = $1`, [
      respondent.id,
    ]);
    const { status, headers, body } = await resume(code);
    expect({ status, cache: headers.get('cache-control') }).toEqual({ status: 201, cache: 'no-store' });
    const days = (Date.parse(body.data.expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(0.9);
    expect(days).toBeLessThanOrEqual(1);
    // The second token is bound to the form of the respondent, too.
    const second = bearer(body.data.token);
    const begun = await use.service.anyone.post('/api/v1/submissions', { form_uuid: form.uuid }, second);
    expect(begun.body.errors).toEqual({
      form_uuid: ['The token is for another form, and can begin only that form.'],
    });
    expect((await respondent.client.get('/api/v1/submissions')).status).toBe(200);
  });
});

/** Revokes all respondents of the form of this one. */
async function revokeAll({ id }: NewRespondent): Promise<number> {
  const [{ form_id }] = await sql('select form_id from respondents where user_id = $1', [id]);
  return revokeRespondents(
    use.database.dataSource,
    form_id,
    () => undefined,
    () => Promise.resolve(),
  );
}

onOneServer('the open codes of a respondent', () => {
  const tokenOf = async ({ plainToken }: NewRespondent): Promise<number> => {
    const [token] = await sql('select id from api_tokens where token_hash = $1', [hashOf(plainToken)]);
    return token.id;
  };
  const change = (what: string) => async (respondent: NewRespondent) =>
    sql(`update api_tokens set ${what} where id = $1`, [await tokenOf(respondent)]);
  const ENDS: Readonly<Record<string, (respondent: NewRespondent) => Promise<unknown>>> = {
    'revokeToken()': async (respondent) =>
      revokeToken(use.database.dataSource.manager, await tokenOf(respondent)),
    'respondents revoke': revokeAll,
    'DELETE /respondents/me': ({ client }) => client.delete('/api/v1/respondents/me'),
    'SQL that revokes the token': change('revoked_at = now()'),
    'SQL that deletes the token': async (respondent) =>
      sql('delete from api_tokens where id = $1', [await tokenOf(respondent)]),
    'SQL that lets the token expire': change('expires_at = now()'),
    'deleting the user': ({ id }) => sql('delete from users where id = $1', [id]),
    'TRUNCATE of the tokens': () => sql('truncate api_tokens', []),
  };

  it.each(Object.keys(ENDS))('end with one of its tokens, by %s (P8)', async (end) => {
    const respondent = await newOne();
    const codes = [await newCode(respondent), await newCode(respondent)];
    await ENDS[end]!(respondent);
    for (const code of codes) expect((await resume(code)).status).toBe(422);
  });

  it('stay if a token expires because nobody used it, is renewed, or is renamed', async () => {
    const respondent = await newOne();
    const codes = [await newCode(respondent), await newCode(respondent)];
    await change(`name = 'kiosk'`)(respondent);
    await change(`expires_at = expires_at + interval '1 hour'`)(respondent);
    expect((await resume(codes[0])).status).toBe(201);
    await letTokensExpire(use.database, respondent);
    expect((await resume(codes[1])).status).toBe(201);
  });

  it('end with the token of another device, whose own token stays valid and can ask for a new code', async () => {
    const first = await newOne();
    const { body } = await resume(await newCode(first));
    const second = client(use.service.url, bearer(body.data.token));
    const code = await newCode(first);
    await ENDS['revokeToken()']!(first);
    expect((await resume(code)).status).toBe(422);
    const { status, body: another } = await second.post('/api/v1/resume-codes');
    expect(status).toBe(201);
    expect((await resume(another.data.code)).status).toBe(201);
  });
});

/** Runs `test` in a transaction of another program. `executed` waits until a service executes a statement, or waits in it. */
const inTransaction = (
  test: (
    program: { query(text: string, values?: unknown[]): Promise<unknown> },
    executed: (name: string) => Promise<unknown>,
  ) => Promise<void>,
) =>
  asAnotherProgram(use.database.connection, async (program) => {
    await program.query('begin');
    const { rows } = await program.query<{ begun: string }>('select now()::text as begun');
    await test(program, (name) =>
      eventually('the service executes the statement', async () => {
        const found = await sql(
          `select from pg_stat_activity where datname = current_database() and query like $1 and query_start > $2`,
          [`/* ${name} */%`, rows[0]!.begun],
        );
        return found.length > 0;
      }),
    );
  });

onOneServer('a request that is under way while access ends (P8)', () => {
  it.each(['update api_tokens set revoked_at = now()', 'delete from api_tokens'])(
    'makes no code if another program commits "%s" first',
    async (end) => {
      const respondent = await newOne();
      expect((await respondent.client.get('/api/v1/submissions')).status).toBe(200);
      await inTransaction(async (program, executed) => {
        await program.query(`${end} where user_id = $1`, [respondent.id]);
        const answer = respondent.client.post('/api/v1/resume-codes');
        await executed('respondents.lock_token');
        await program.query('commit');
        expect((await answer).status).toBe(401);
      });
      expect(await sql('select from resume_codes where user_id = $1', [respondent.id])).toEqual([]);
    },
  );

  const COMMANDS: Readonly<Record<string, (respondent: NewRespondent, form: Form) => Promise<unknown>>> = {
    'respondents revoke': revokeAll,
    'respondents purge': async ({ id }, form) => {
      await sql(`update respondents set created_at = now() - interval '25 hours' where user_id = $1`, [id]);
      const purged = await purgeRespondents(
        use.database.dataSource,
        form.id,
        () => undefined,
        () => Promise.resolve(),
      );
      expect(purged).toEqual({ respondents: 1, drafts: 0 });
    },
    'users erase': ({ id }) => eraseUsers(use.database.dataSource, [{ id, email: null }]),
    'forms delete': (_, { slug }) => deleteForm(use.database.dataSource, slug, { withSubmissions: true }),
  };

  it.each(Object.keys(COMMANDS))(
    'resumes nothing after %s, which deadlocks neither with the request nor with the revocation of a token',
    async (command) => {
      const built = await publicForm(use);
      const respondent = await newRespondent(use, built);
      const code = await newCode(respondent);
      await inTransaction(async (program, executed) => {
        await program.query('select from api_tokens where user_id = $1 for update', [respondent.id]);
        const done = COMMANDS[command]!(respondent, built.form);
        done.catch(() => undefined);
        await eventually('the command waits for the token', isLockAwaited);
        const answer = resume(code);
        await executed('respondents.resume');
        // The trigger deletes the code. It would wait for the command, if the command had locked the code before the token.
        await program.query('update api_tokens set revoked_at = now() where user_id = $1', [respondent.id]);
        await program.query('commit');
        await done;
        expect((await answer).status).toBe(422);
      });
      expect(await sql('select from api_tokens where user_id = $1', [respondent.id])).toEqual([]);
    },
  );

  const isLockAwaited = async () =>
    (
      await sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        [],
      )
    ).length > 0;
});

onOneServer('POST /api/v1/resume-codes (P5)', () => {
  it('gives at most 5 open codes to parallel calls on two instances, and another once one is used or has expired', async () => {
    const respondent = await newOne();
    const ask = ({ anyone }: Service) =>
      anyone.post('/api/v1/resume-codes', undefined, bearer(respondent.plainToken));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => ask(at % 2 === 0 ? use.service : other)),
    );
    const given = answers.filter(({ status }) => status === 201);
    expect(new Set(given.map(({ body }) => body.data.code)).size).toBe(5);
    for (const { status, body } of answers.filter(({ status }) => status !== 201))
      expect({ status, body }).toEqual({
        status: 422,
        body: { message: 'There are already 5 open codes. Use one of them, or wait until one expires.' },
      });
    expect(await sql('select from resume_codes where user_id = $1', [respondent.id])).toHaveLength(5);

    expect((await resume(given[0]!.body.data.code)).status).toBe(201);
    expect([(await ask(other)).status, (await ask(use.service)).status]).toEqual([201, 422]);
    await expireCodes(respondent);
    expect((await ask(other)).status).toBe(201);
  });

  it('stores only the hash of the code, which is valid for 7 days', async () => {
    const respondent = await newOne();
    const before = Date.now();
    let answer!: Answer;
    const sent = await use.service.statementsDuring(async () => {
      answer = await respondent.client.post('/api/v1/resume-codes');
    });
    const { code, expires_at } = answer.body.data;
    expect(JSON.stringify(sent)).not.toContain(code.replaceAll('-', ''));
    const days = (Date.parse(expires_at) - before) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThan(7.1);
    const [row] = await sql('select code_hash from resume_codes where user_id = $1', [respondent.id]);
    expect(row.code_hash).toHaveLength(32);
  });
});
