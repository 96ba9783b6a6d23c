import { once } from 'node:events';
import { createLogger } from '../src/process/logging.js';
import { createDraft } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import { acceptingTokensOf, identityProvider, seconds } from './support/identity-provider.js';
import { itOnOneServer } from './support/it-on-one-server.js';
import { openSocket, readRaw, sendHttp, sendRaw } from './support/raw.js';
import { newUser } from './support/service.js';
import { type ServiceInProcess, startServiceInProcess } from './support/service-in-process.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';
import { asAnotherProgram } from './support/test-server.js';

const [DEBUG, INFO, WARN, ERROR] = [20, 30, 40, 50];

const use = {} as { database: TestDatabase; service: ServiceInProcess };
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  use.database = await testDatabase();
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const logger = createLogger({ logLevel: 'debug' }, { write });
  use.service = await startServiceInProcess(use.database, {}, { logger });
});
afterAll(async () => {
  await use.service.close();
  await use.database.drop();
});

/** Returns the log line of a finished request. */
function requestLine(id: string) {
  return eventually('the request is logged', () =>
    lines.find(({ request_id, msg }) => request_id === id && msg === 'request'),
  );
}

function expectedLine(id: string, fields: object) {
  const { level = INFO } = fields as { level?: number };
  const duration_ms = expect.any(Number) as number;
  return {
    level,
    time: expect.any(String) as string,
    msg: 'request',
    request_id: id,
    duration_ms,
    ...fields,
  };
}

describe('each request logs one line, with its id', () => {
  it.each([
    ['GET', '/api/v1/forms?page=1', { route: '/api/v1/forms', status: 200 }],
    ['HEAD', '/api/v1/forms', { route: '/api/v1/forms', status: 200 }],
    ['GET', '/api/v1/forms?page=0', { route: '/api/v1/forms', status: 422 }],
    ['GET', '/api/v1/forms/no-such-form/by-slug', { route: '/api/v1/forms/:slug/by-slug', status: 404 }],
    ['GET', '/api/v1/submissions/x', { route: '/api/v1/submissions/:uuid', status: 401 }],
    ['GET', '/nothing/here', { route: null, status: 404 }],
    ['GET', '/api/v1/forms/%zz', { route: null, status: 400 }],
    ['GET', '/health/live', { route: '/health/live', status: 200, level: DEBUG }],
    ['GET', '/health/ready', { route: '/health/ready', status: 200, level: DEBUG }],
  ])('%s %s', async (method, path, fields) => {
    const id = `${method} ${path}`.replaceAll(/[^\w]/g, '-');
    await sendHttp(use.service.url, path, { method, headers: { 'X-Request-Id': id } });
    expect(await requestLine(id)).toEqual(expectedLine(id, { method, ...fields }));
  });

  it('and with its user, if the token is valid', async () => {
    const { client, id: user_id } = await newUser(use);
    await client.get('/api/v1/submissions/x', { 'X-Request-Id': 'of-a-user' });
    expect(await requestLine('of-a-user')).toMatchObject({ user_id, status: 404 });
  });

  it('and with the id of the response, if the client sends none', async () => {
    const { headers } = await use.service.anyone.get('/api/v1/forms');
    expect(await requestLine(headers.get('x-request-id')!)).toMatchObject({ status: 200 });
  });

  it('and with the status of the response, if the request body is malformed HTTP', async () => {
    const { plainToken } = await newUser(use);
    const answer = await sendRaw(
      use.service.url,
      'POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nX-Request-Id: no-chunk\r\nContent-Type: application/json\r\n' +
        `Authorization: Bearer ${plainToken}\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n`,
    );
    expect(readRaw(answer).status).toBe(400);
    expect(await requestLine('no-chunk')).toMatchObject({ level: INFO, status: 400, method: 'POST' });
  });

  it('and with its submission, from creation to deletion', async () => {
    const { client } = await newUser(use);
    const { form } = await buildForm(use.database.dataSource);
    const created = await client.post(
      '/api/v1/submissions',
      { form_uuid: form.uuid },
      { 'X-Request-Id': 'its-1' },
    );
    const submission_uuid = created.body.data.uuid as string;
    const path = `/api/v1/submissions/${submission_uuid}`;
    await client.get(
      `${path.toUpperCase().replace('/API/V1/SUBMISSIONS', '/api/v1/submissions')}/conditions`,
      {
        'X-Request-Id': 'its-2',
      },
    );
    await client.post(`${path}/values`, {}, { 'X-Request-Id': 'its-3' });
    await client.delete(path, { 'X-Request-Id': 'its-4' });
    await client.get(path, { 'X-Request-Id': 'its-5' });
    const statuses = [201, 200, 422, 204, 404];
    for (const [index, status] of statuses.entries())
      expect(await requestLine(`its-${index + 1}`)).toMatchObject({ status, submission_uuid });
  });

  it('and without a submission, if the path has no UUID or that of something else', async () => {
    const { client, plainToken } = await newUser(use);
    const { form } = await buildForm(use.database.dataSource);
    const paths = [
      `/submissions/${plainToken}`,
      `/submissions/${form.uuid}x`,
      `/forms/${form.uuid}`,
      '/submissions',
    ];
    for (const [index, path] of paths.entries()) {
      await client.get(`/api/v1${path}`, { 'X-Request-Id': `other-${index}` });
      expect(await requestLine(`other-${index}`)).not.toHaveProperty('submission_uuid');
    }
  });

  itOnOneServer('and with status 499, if the client disconnects before the response', async () => {
    const { client, plainToken } = await newUser(use);
    const form = await buildForm(use.database.dataSource, { steps: [{ name: {} }, { note: {} }] });
    const { path } = await createDraft(client, form);
    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query('begin');
      await program.query('lock table submissions in exclusive mode');
      const socket = await openSocket(use.service.url);
      socket.write(
        `POST ${path}/advance HTTP/1.1\r\nHost: x\r\nX-Request-Id: hung-up\r\n` +
          `Authorization: Bearer ${plainToken}\r\nContent-Length: 0\r\n\r\n`,
      );
      await eventually('the request waits for the table', async () => {
        const [row] = await use.database.dataSource.query<{ waits: boolean }[]>(
          `select exists (select from pg_stat_activity where datname = current_database()
             and application_name = 'formtrail' and wait_event_type = 'Lock') as waits`,
        );
        return row?.waits;
      });
      socket.destroy();
      await once(socket, 'close');
      expect(await requestLine('hung-up')).toMatchObject({ level: INFO, status: 499, method: 'POST' });
      await program.query('rollback');
    });
  });
});

describe('a fault', () => {
  it('logs a line with its stack beside the line of its request, both with the id of the request', async () => {
    const { dataSource } = use.database;
    const { client, id: user_id } = await newUser(use);
    const { path } = await createDraft(client, await buildForm(dataSource));
    await dataSource.query(`alter table submissions add constraint for_logs check (meta is null)`);
    await client.patch(path, { meta: {} }, { 'X-Request-Id': 'faulty' });
    await dataSource.query(`alter table submissions drop constraint for_logs`);

    const submission_uuid = path.split('/').at(-1);
    const request = { method: 'PATCH', route: '/api/v1/submissions/:uuid', user_id, submission_uuid };
    expect(await requestLine('faulty')).toEqual(
      expectedLine('faulty', { level: ERROR, status: 500, ...request }),
    );
    expect(lines.filter(({ request_id, msg }) => request_id === 'faulty' && msg !== 'request')).toEqual([
      {
        level: ERROR,
        time: expect.any(String),
        context: 'Http',
        request_id: 'faulty',
        ...request,
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

  it('of the database logs a warning, with the id of the request', async () => {
    const { client } = await newUser(use);
    const { path } = await createDraft(client, await buildForm(use.database.dataSource));
    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query('begin');
      await program.query('lock table submissions');
      const patch = client.patch(path, { meta: {} }, { 'X-Request-Id': 'lost' });
      await eventually('its connection is cut', async () => {
        const { rowCount } = await program.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
             and application_name = 'formtrail' and wait_event_type = 'Lock'`,
        );
        return rowCount === 1;
      });
      expect((await patch).status).toBe(503);
      await program.query('rollback');
    });
    expect(await requestLine('lost')).toMatchObject({ level: ERROR, status: 503 });
    expect(lines.find(({ request_id, level }) => request_id === 'lost' && level === WARN)).toMatchObject({
      context: 'Http',
      route: '/api/v1/submissions/:uuid',
      submission_uuid: path.split('/').at(-1),
      reason: expect.stringContaining('terminating connection'),
      msg: expect.stringContaining('Check the database'),
    });
  });

  it('of a request that waited for a locked row does not blame the database', async () => {
    const { client } = await newUser(use);
    const { path } = await createDraft(client, await buildForm(use.database.dataSource));
    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query('begin');
      await program.query('update submissions set meta = null where uuid = $1', [path.split('/').at(-1)]);
      const answer = await client.patch(path, { meta: {} }, { 'X-Request-Id': 'locked' });
      await program.query('rollback');
      expect([answer.status, answer.body]).toEqual([
        503,
        { message: 'Too many requests are waiting for data that is being changed; try again shortly.' },
      ]);
    });
    expect(lines.find(({ request_id, level }) => request_id === 'locked' && level === WARN)).toMatchObject({
      msg: expect.stringContaining('data that another request or program was changing'),
    });
  });
});

describe('what an operator must change logs a warning', () => {
  /** Starts a service that logs to the returned lines. */
  async function logging(variables: Record<string, string>) {
    const own: Record<string, unknown>[] = [];
    const write = (line: string) => void own.push(JSON.parse(line) as Record<string, unknown>);
    const logger = createLogger({ logLevel: 'warn' }, { write });
    return { own, service: await startServiceInProcess(use.database, variables, { logger }) };
  }

  it('once if RESPONDENT_LIMIT rejects visitors', async () => {
    const { own, service } = await logging({ RESPONDENT_LIMIT: '1' });
    for (let sent = 0; sent < 5; sent += 1) await service.anyone.post('/api/v1/respondents', {});
    await service.close();
    const about = own.filter(({ msg }) => String(msg).includes('RESPONDENT_LIMIT'));
    expect(about).toMatchObject([
      {
        level: WARN,
        context: 'Respondents',
        msg: expect.stringMatching(/because 1 visitors .* raise RESPONDENT_LIMIT/),
      },
    ]);
  });

  it('once for unusable keys of an identity provider, and once for tokens that name them', async () => {
    const provider = await identityProvider();
    provider.otherKeys = [{ kty: 'RSA', kid: 'bad' }];
    const { own, service } = await logging(acceptingTokensOf(provider));
    const encoded = [
      { alg: 'RS256', kid: 'bad' },
      { iss: provider.issuer, aud: 'formtrail', sub: 'eve', exp: seconds() + 60 },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    for (let sent = 0; sent < 5; sent += 1) {
      const Authorization = `Bearer ${[...encoded, 'AAAA'].join('.')}`;
      expect((await service.anyone.get('/api/v1/submissions/x', { Authorization })).status).toBe(401);
    }
    await service.close();
    await provider.close();
    expect(own).toMatchObject([
      {
        level: WARN,
        issuer: provider.issuer,
        keys: [{ kid: 'bad', reason: expect.stringMatching(/./) }],
        msg: expect.stringMatching(/^An identity provider publishes keys that cannot verify tokens/),
      },
      { level: WARN, issuer: provider.issuer, reason: 'ERR_JWKS_NO_MATCHING_KEY' },
    ]);
  });
});
