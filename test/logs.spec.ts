import { once } from 'node:events';
import { createDraft } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import { acceptingTokensOf, identityProvider, seconds } from './support/identity-provider.js';
import { itOnOneServer } from './support/it-on-one-server.js';
import { DEBUG, ERROR, INFO, logOf, WARN } from './support/log-lines.js';
import { openSocket, readRaw, sendHttp, sendRaw } from './support/raw.js';
import { newUser, type Service, startService, useOwnService } from './support/service.js';
import { asAnotherProgram } from './support/test-server.js';

const use = useOwnService({}, { logLevel: 'debug' });
const log = logOf(use.service);

const expectedLine = (request_id: string, fields: object) => ({
  ...{ level: INFO, time: expect.any(String), msg: 'request', request_id, duration_ms: expect.any(Number) },
  ...fields,
});

/** Runs `work` while another transaction holds the lock that this statement takes. */
const whileLocked = (
  statement: string,
  work: (program: { query: (sql: string) => Promise<any> }) => Promise<void>,
) =>
  asAnotherProgram(use.database.connection, async (program) => {
    await program.query('begin');
    await program.query(statement);
    await work(program);
    await program.query('rollback');
  });

const WAITING = `from pg_stat_activity where datname = current_database()
  and application_name = 'formtrail' and wait_event_type = 'Lock'`;

const newDraft = async () => {
  const user = await newUser(use);
  return { ...user, ...(await createDraft(user.client, await buildForm(use.database.dataSource))) };
};

describe('each request logs one line, with its id', () => {
  it.each([
    ['GET', '/api/v1/forms?page=1', { route: '/api/v1/forms', status: 200 }],
    ['HEAD', '/api/v1/forms', { route: '/api/v1/forms', status: 200 }],
    ['GET', '/api/v1/forms?page=0', { route: '/api/v1/forms', status: 422 }],
    ['GET', '/api/v1/submissions/x', { route: '/api/v1/submissions/:uuid', status: 401 }],
    ['GET', '/nothing/here', { route: null, status: 404 }],
    ['GET', '/api/v1/forms/%zz', { route: null, status: 400 }],
    ['GET', '/health/ready', { route: '/health/ready', status: 200, level: DEBUG }],
  ])('%s %s', async (method, path, fields) => {
    const id = `${method} ${path}`.replaceAll(/[^\w]/g, '-');
    await sendHttp(use.service.url, path, { method, headers: { 'X-Request-Id': id } });
    expect(await log.requestLine(id)).toEqual(expectedLine(id, { method, ...fields }));
  });

  it('and with the id of the response, if the client sends none', async () => {
    const { headers } = await use.service.anyone.get('/api/v1/forms');
    expect(await log.requestLine(headers.get('x-request-id')!)).toMatchObject({ status: 200 });
  });

  it('and with the status of the response, if the request body is malformed HTTP', async () => {
    const { plainToken } = await newUser(use);
    const answer = await sendRaw(
      use.service.url,
      'POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nX-Request-Id: no-chunk\r\nContent-Type: application/json\r\n' +
        `Authorization: Bearer ${plainToken}\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n`,
    );
    expect(readRaw(answer).status).toBe(400);
    expect(await log.requestLine('no-chunk')).toMatchObject({ level: INFO, status: 400, method: 'POST' });
  });

  it('and with its user and its submission, from creation to deletion', async () => {
    const { client, id: user_id } = await newUser(use);
    const { form } = await buildForm(use.database.dataSource);
    const id = (step: number) => ({ 'X-Request-Id': `its-${step}` });
    const created = await client.post('/api/v1/submissions', { form_uuid: form.uuid }, id(1));
    const submission_uuid: string = created.body.data.uuid;
    const path = `/api/v1/submissions/${submission_uuid}`;
    await client.get(`/api/v1/submissions/${submission_uuid.toUpperCase()}/conditions`, id(2));
    await client.post(`${path}/values`, {}, id(3));
    await client.delete(path, id(4));
    await client.get(path, id(5));
    for (const [index, status] of [201, 200, 422, 204, 404].entries())
      expect(await log.requestLine(`its-${index + 1}`)).toMatchObject({ status, user_id, submission_uuid });
  });

  it('and without a submission, if the path has no UUID or that of something else', async () => {
    const { client, plainToken } = await newUser(use);
    const { form } = await buildForm(use.database.dataSource);
    const paths = [`/submissions/${plainToken}`, `/submissions/${form.uuid}x`, `/forms/${form.uuid}`];
    for (const [index, path] of paths.entries()) {
      await client.get(`/api/v1${path}`, { 'X-Request-Id': `other-${index}` });
      expect(await log.requestLine(`other-${index}`)).not.toHaveProperty('submission_uuid');
    }
  });

  itOnOneServer('and with status 499, if the client disconnects before the response', async () => {
    const { path, plainToken } = await newDraft();
    await whileLocked('lock table submissions in exclusive mode', async () => {
      const socket = await openSocket(use.service.url);
      socket.write(
        `POST ${path}/advance HTTP/1.1\r\nHost: x\r\nX-Request-Id: hung-up\r\n` +
          `Authorization: Bearer ${plainToken}\r\nContent-Length: 0\r\n\r\n`,
      );
      await eventually('the request waits for the table', async () => {
        return (await use.database.dataSource.query(`select ${WAITING}`)).length > 0;
      });
      socket.destroy();
      await once(socket, 'close');
      expect(await log.requestLine('hung-up')).toMatchObject({ level: INFO, status: 499, method: 'POST' });
    });
  });
});

describe('a fault', () => {
  const route = '/api/v1/submissions/:uuid';

  it('logs a line with its stack beside the line of its request, both with the id of the request', async () => {
    const { dataSource } = use.database;
    const { client, id: user_id, path, uuid: submission_uuid } = await newDraft();
    await dataSource.query(`alter table submissions add constraint for_logs check (meta is null)`);
    await client.patch(path, { meta: {} }, { 'X-Request-Id': 'faulty' });
    await dataSource.query(`alter table submissions drop constraint for_logs`);

    const request = { method: 'PATCH', route, user_id, submission_uuid };
    expect(await log.requestLine('faulty')).toEqual(
      expectedLine('faulty', { level: ERROR, status: 500, ...request }),
    );
    const { duration_ms: _, ...fields } = expectedLine('faulty', { level: ERROR, ...request });
    const lines = await log.lines();
    expect(lines.filter(({ request_id, msg }) => request_id === 'faulty' && msg !== 'request')).toEqual([
      {
        ...fields,
        context: 'Http',
        msg: expect.stringMatching(/fault in the service.+go back/),
        err: {
          type: 'DatabaseError',
          // Citus appends the shard's number to the constraint's name.
          message: expect.stringMatching(/"for_logs(_\d+)?"/),
          stack: expect.stringMatching(/\n +at /),
        },
      },
    ]);
  });

  const warningOf = async (id: string) =>
    (await log.lines()).find(({ request_id, level }) => request_id === id && level === WARN);

  it('of the database logs a warning, with the id of the request', async () => {
    const { client, path, uuid } = await newDraft();
    await whileLocked('lock table submissions', async (program) => {
      const patch = client.patch(path, { meta: {} }, { 'X-Request-Id': 'lost' });
      await eventually('its connection is cut', async () => {
        const { rowCount } = await program.query(`select pg_terminate_backend(pid) ${WAITING}`);
        return rowCount === 1;
      });
      expect((await patch).status).toBe(503);
    });
    expect(await log.requestLine('lost')).toMatchObject({ level: ERROR, status: 503 });
    expect(await warningOf('lost')).toMatchObject({
      ...{ context: 'Http', route, submission_uuid: uuid },
      reason: expect.stringContaining('terminating connection'),
      msg: expect.stringContaining('Check the database'),
    });
  });

  it('of a request that waited for a locked row does not blame the database', async () => {
    const { client, path, uuid } = await newDraft();
    await whileLocked(`update submissions set meta = null where uuid = '${uuid}'`, async () => {
      const { status, body } = await client.patch(path, { meta: {} }, { 'X-Request-Id': 'locked' });
      expect([status, body.message]).toEqual([503, expect.stringMatching(/^Too many requests are waiting/)]);
    });
    expect(await warningOf('locked')).toMatchObject({
      msg: expect.stringContaining('data that another request or program was changing'),
    });
  });
});

describe('what an operator must change logs a warning', () => {
  /** Starts a service that logs warnings, and returns the lines that it has logged when `work` ends. */
  async function warningsOf(variables: Record<string, string>, work: (service: Service) => Promise<void>) {
    const service = await startService(use.database, variables, undefined, { logLevel: 'warn' });
    await work(service);
    const lines = await logOf(service).lines();
    await service.close();
    return lines;
  }

  it('once if RESPONDENT_LIMIT rejects visitors', async () => {
    const warnings = await warningsOf({ RESPONDENT_LIMIT: '1' }, async ({ anyone }) => {
      for (let sent = 0; sent < 5; sent += 1) await anyone.post('/api/v1/respondents', {});
    });
    expect(warnings.filter(({ msg }) => String(msg).includes('RESPONDENT_LIMIT'))).toMatchObject([
      {
        ...{ level: WARN, context: 'Respondents' },
        msg: expect.stringMatching(/because 1 visitors .* raise RESPONDENT_LIMIT/),
      },
    ]);
  });

  it('once for unusable keys of an identity provider, and once for tokens that name them', async () => {
    const provider = await identityProvider();
    const { issuer } = provider;
    provider.otherKeys = [{ kty: 'RSA', kid: 'bad' }];
    const encoded = [
      { alg: 'RS256', kid: 'bad' },
      { iss: issuer, aud: 'formtrail', sub: 'eve', exp: seconds() + 60 },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    const Authorization = `Bearer ${[...encoded, 'AAAA'].join('.')}`;
    const warnings = await warningsOf(acceptingTokensOf(provider), async ({ anyone }) => {
      for (let sent = 0; sent < 5; sent += 1)
        expect((await anyone.get('/api/v1/submissions/x', { Authorization })).status).toBe(401);
    });
    await provider.close();
    expect(warnings).toMatchObject([
      {
        ...{ level: WARN, issuer, keys: [{ kid: 'bad', reason: expect.stringMatching(/./) }] },
        msg: expect.stringMatching(/^An identity provider publishes keys that cannot verify tokens/),
      },
      { level: WARN, issuer, reason: 'ERR_JWKS_NO_MATCHING_KEY' },
    ]);
  });
});
