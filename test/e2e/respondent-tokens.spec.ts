import { issueToken } from '../../src/entities.js';
import { newRespondentToken } from '../../src/capabilities/respondents/respondent-token.js';
import { onOneServer } from '../support/it-on-one-server.js';
import { bearer, hashOf, newPreview, newRespondent, publicForm } from '../support/respondents.js';
import { newUser, useOwnService } from '../support/service.js';

const use = useOwnService({ TRUST_PROXY: '127.0.0.1' });

const UNAUTHENTICATED = { message: 'Unauthenticated.' };
const NOT_A_RESPONDENT = {
  message: 'Only respondents can do this, with a token from POST /api/v1/respondents or POST /api/v1/resume.',
};
const TOKEN = {
  data: { token: expect.stringMatching(/^ftr_[\w-]{43}$/), expires_at: expect.any(String) },
};
const CODE = { data: { code: expect.any(String), expires_at: expect.any(String) } };
const INVALID_CODE = {
  message: 'The given data was invalid.',
  errors: { code: ['The code is wrong, expired or already used. Ask for a new code on the first device.'] },
};

type Built = Awaited<ReturnType<typeof publicForm>>;
type Headers = Record<string, string>;

/** Ends a token that the service has not cached, so that no notification must arrive first. */
const ended = async (form: Built, change: string): Promise<Headers> => {
  const { id, plainToken } = await newPreview(use, form);
  await use.database.dataSource.query('update respondents set is_preview = false where user_id = $1', [id]);
  await use.database.dataSource.query(`update api_tokens set ${change} where user_id = $1`, [id]);
  return bearer(plainToken);
};

const CREDENTIALS: Readonly<Record<string, (form: Built) => Promise<Headers>>> = {
  'no header': () => Promise.resolve({}),
  'another scheme': () => Promise.resolve({ Authorization: 'Basic YTpi' }),
  'a malformed token': () => Promise.resolve(bearer('ftr_none')),
  'an unknown token': () => Promise.resolve(bearer(newRespondentToken())),
  'a token of a user': async () => bearer((await newUser(use)).plainToken),
  'a token of a respondent': async (form) => bearer((await newRespondent(use, form)).plainToken),
  'a token of a preview': async (form) => bearer((await newPreview(use, form)).plainToken),
  'an expired token': (form) => ended(form, `expires_at = now() - interval '1 second'`),
  'a revoked token': (form) => ended(form, 'revoked_at = now()'),
};
const NAMES = Object.keys(CREDENTIALS);

const sends: Readonly<Record<string, (form: Built, headers: Headers) => ReturnType<typeof request>>> = {
  'POST /api/v1/respondents': ({ form }, headers) =>
    request('POST', '/api/v1/respondents', headers, { form_uuid: form.uuid }),
  'DELETE /api/v1/respondents/me': (_, headers) => request('DELETE', '/api/v1/respondents/me', headers),
  'POST /api/v1/resume-codes': (_, headers) => request('POST', '/api/v1/resume-codes', headers),
  'POST /api/v1/resume': (_, headers) => request('POST', '/api/v1/resume', headers, { code: '0'.repeat(26) }),
  'GET /api/v1/forms/{uuid}/challenge': ({ form }, headers) =>
    request('GET', `/api/v1/forms/${form.uuid}/challenge`, headers),
};

function request(method: string, path: string, headers: Headers, body?: object) {
  const { anyone } = use.service;
  if (method === 'GET') return anyone.get(path, headers);
  return method === 'DELETE' ? anyone.delete(path, headers) : anyone.post(path, body, headers);
}

interface Expected {
  readonly status: number;
  readonly body: unknown;
}
const refused: Expected = { status: 401, body: UNAUTHENTICATED };
const withAny = (expected: Expected) => Object.fromEntries(NAMES.map((name) => [name, expected]));
const EXPECTED: Readonly<Record<string, Readonly<Record<string, Expected>>>> = {
  'POST /api/v1/respondents': withAny({ status: 201, body: TOKEN }),
  'POST /api/v1/resume': withAny({ status: 422, body: INVALID_CODE }),
  'GET /api/v1/forms/{uuid}/challenge': withAny({ status: 404, body: { message: 'Challenge not found.' } }),
  'DELETE /api/v1/respondents/me': {
    ...withAny(refused),
    'a token of a user': { status: 422, body: NOT_A_RESPONDENT },
    'a token of a respondent': { status: 204, body: undefined },
    'a token of a preview': { status: 204, body: undefined },
  },
  'POST /api/v1/resume-codes': {
    ...withAny(refused),
    'a token of a user': { status: 422, body: NOT_A_RESPONDENT },
    'a token of a respondent': { status: 201, body: CODE },
    'a token of a preview': { status: 422, body: NOT_A_RESPONDENT },
  },
};

let form: Built;
beforeAll(async () => {
  form = await publicForm(use);
});

onOneServer.each(Object.keys(sends))('the route %s', (route) => {
  it.each(NAMES)('has one response to a request with %s', async (credentials) => {
    const headers = await CREDENTIALS[credentials]!(form);
    const { status, body, headers: responded } = await sends[route]!(form, headers);
    expect({ status, body }).toEqual(EXPECTED[route]![credentials]);
    if (status === 401) expect(responded.get('www-authenticate')).toBe('Bearer');
    if (status < 300) expect(responded.get('cache-control')).toBe('no-store');
  });
});

onOneServer('a token of a respondent', () => {
  it('does not look up a token of a request that needs none', async () => {
    const headers = bearer(newRespondentToken());
    for (const route of ['POST /api/v1/respondents', 'POST /api/v1/resume']) {
      const sent = await use.service.statementsDuring(() => sends[route]!(form, headers));
      expect(sent.map(({ name }) => name)).not.toContain('tokens.find');
    }
  });

  it('ends alone: other tokens of the respondent and other respondents stay', async () => {
    const respondent = await newRespondent(use, form);
    const other = await newRespondent(use, form);
    const { body } = await respondent.client.post('/api/v1/resume-codes');
    const resumed = await use.service.anyone.post(
      '/api/v1/resume',
      { code: body.data.code },
      // An address may try ten codes a minute, and the tests above have done so.
      { 'X-Forwarded-For': '198.51.100.1' },
    );
    const second = bearer(resumed.body.data.token);

    expect((await respondent.client.delete('/api/v1/respondents/me')).status).toBe(204);

    expect((await respondent.client.get('/api/v1/submissions')).status).toBe(401);
    expect((await respondent.client.delete('/api/v1/respondents/me')).status).toBe(401);
    expect((await use.service.anyone.get('/api/v1/submissions', second)).status).toBe(200);
    expect((await other.client.get('/api/v1/submissions')).status).toBe(200);
  });

  it('can begin only the form of the respondent, even if an operator has issued it, or has given the user an address', async () => {
    const other = await publicForm(use);
    const { id, plainToken } = await newRespondent(use, form);
    const { manager } = use.database.dataSource;
    const issued = await issueToken(manager, { userId: id });
    await manager.query('update users set email = $2 where id = $1', [id, `${plainToken}@example.org`]);
    for (const token of [plainToken, issued.plainToken]) {
      const begin = ({ form: { uuid } }: Built) =>
        use.service.anyone.post('/api/v1/submissions', { form_uuid: uuid }, bearer(token));
      const { status, body } = await begin(other);
      expect({ status, errors: body.errors }).toEqual({
        status: 422,
        errors: { form_uuid: ['The token is for another form, and can begin only that form.'] },
      });
      expect((await begin(form)).status).toBe(201);
    }
  });

  it('is sent to the database and stored as its SHA-256 only', async () => {
    let plainToken = '';
    const sent = await use.service.statementsDuring(async () => {
      const { body } = await use.service.anyone.post('/api/v1/respondents', { form_uuid: form.form.uuid });
      plainToken = body.data.token;
    });
    const values = JSON.stringify(sent);
    expect(values).toContain(hashOf(plainToken).toString('hex'));
    expect(values).not.toContain(plainToken.slice('ftr_'.length));
  });
});
