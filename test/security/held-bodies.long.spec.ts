import http from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { revokeToken } from '../../src/entities.js';
import { revokeRespondents } from '../../src/capabilities/respondents/revoke-respondents.js';
import { type Client, client as clientOf } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { announcementOf, filesFolder, PDF, uploadFile } from '../support/files.js';
import { buildEntity, type BuiltForm } from '../support/forms.js';
import {
  acceptingTokensOf,
  type IdentityProvider,
  identityProvider,
  seconds,
} from '../support/identity-provider.js';
import { onOneServer } from '../support/it-on-one-server.js';
import { type DocumentedOperation, GUARDED } from '../support/operations.js';
import { bearer, newRespondent, publicForm } from '../support/respondents.js';
import { newUser, type Service, startService } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';
import { wholeDatabase } from '../support/whole-database.js';

/** All routes that may write, so that the tests cover a new route. */
const WRITES = GUARDED.filter(({ method }) => method !== 'GET');

let database: TestDatabase;
let service: Service;
let provider: IdentityProvider;
const storage = filesFolder();

beforeAll(async () => {
  database = await testDatabase();
  provider = await identityProvider();
  service = await startService(database, { FILES_URL: storage.url, ...acceptingTokensOf(provider) });
});
afterAll(async () => {
  await service.close();
  await provider.close();
  await database.close();
  await storage.remove();
});

interface Sender {
  readonly plainToken: string;
  readonly client: Client;
  /** Ends the token. */
  readonly end: () => Promise<unknown>;
}

let subjects = 0;

const SENDERS: Readonly<Record<string, (built: BuiltForm) => Promise<Sender>>> = {
  'a respondent': async (built) => ({
    ...(await newRespondent({ database, service }, built)),
    end: () =>
      revokeRespondents(
        database.dataSource,
        built.form.id,
        () => undefined,
        () => Promise.resolve(),
      ),
  }),
  'a user with an API token': async () => {
    const user = await newUser({ database, service });
    return { ...user, end: () => revokeToken(database.dataSource.manager, user.token.id) };
  },
  'a user with a JSON web token': async () => {
    subjects += 1;
    const sub = `held-${subjects}`;
    const plainToken = await provider.sign({ sub, iat: seconds() - 10 });
    const end = () =>
      database.dataSource.query(
        `update users set tokens_valid_from = now()
          where id = (select user_id from user_identities where issuer = $1 and subject = $2)`,
        [provider.issuer, sub],
      );
    return { plainToken, client: clientOf(service.url, bearer(plainToken)), end };
  },
};

/** Creates a draft on the second of three steps, with a record and two files, one of which is uploaded. */
async function newTargets(client: Client, { form }: BuiltForm) {
  const { body } = await client.post('/api/v1/submissions', { form_uuid: form.uuid });
  const uuid: string = body.data.uuid;
  const path = `/api/v1/submissions/${uuid}`;
  await client.post(`${path}/advance`);
  const record = await client.post(`${path}/records`, { entity: 'receipt' });
  const pending = await client.post(`${path}/files`, announcementOf(PDF));
  const uploaded = await uploadFile(client, path);
  return {
    uuid,
    record: String(record.body.data.id),
    pending: pending.body.data.uuid as string,
    uploaded: uploaded.split('/').at(-1) ?? '',
  };
}

type Targets = Awaited<ReturnType<typeof newTargets>>;

const pathOf = ({ path, method }: DocumentedOperation, { uuid, record, pending, uploaded }: Targets) =>
  path
    .replace('{uuid}', uuid)
    .replace('{id}', record)
    .replace('{file}', method === 'PUT' ? pending : uploaded);

function contentOf({ route, body }: DocumentedOperation, { form }: BuiltForm): string | Buffer {
  const bodies: Readonly<Record<string, object>> = {
    'POST /api/v1/submissions': { form_uuid: form.uuid },
    'POST /api/v1/submissions/{uuid}/values': { values: [{ field_code: 'name', value: 'Ada' }] },
    'POST /api/v1/submissions/{uuid}/records': { entity: 'receipt' },
    'POST /api/v1/submissions/{uuid}/files': announcementOf(PDF),
    'PATCH /api/v1/submissions/{uuid}': { status: 'completed', meta: {} },
  };
  return route.startsWith('PUT ') ? PDF : JSON.stringify(bodies[route] ?? body ?? {});
}

/** Sends a request, and its body only after the service has accepted the token and `meanwhile` has ended. */
async function sendHeld(
  method: string,
  path: string,
  { plainToken }: Sender,
  content: string | Buffer,
  meanwhile: () => Promise<void>,
) {
  const headers = {
    ...bearer(plainToken),
    'Content-Type': Buffer.isBuffer(content) ? 'application/pdf' : 'application/json',
    'Content-Length': Buffer.byteLength(content),
    Expect: '100-continue',
  };
  const request = http.request(service.url + path, { method, headers, agent: false });
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
  answered.catch(() => undefined);
  request.flushHeaders();
  // The service asks for the body when it begins to read it.
  await Promise.race([once(request, 'continue'), answered]);
  await meanwhile();
  request.end(content);
  const [response] = await answered;
  const body = response.statusCode === 204 ? undefined : await json(response);
  request.destroy();
  return { status: response.statusCode ?? 0, body };
}

onOneServer('a request whose body is held back while its token ends', () => {
  const cases = WRITES.flatMap((operation) =>
    Object.keys(SENDERS).map((sender) => [operation.route, sender, operation] as const),
  );

  it.each(cases)('gets 401 and stores nothing (A3): %s of %s', async (route, kind, operation) => {
    const built = await publicForm({ database }, { steps: [{ name: {}, cv: { type: 'file' } }, {}, {}] });
    await buildEntity(database.dataSource, built, { name: 'receipt', isRepeatable: true }, []);
    let files: string[] = [];
    const send = async (meanwhile: (sender: Sender) => Promise<void>) => {
      const sender = await SENDERS[kind]!(built);
      const targets = await newTargets(sender.client, built);
      const content = contentOf(operation, built);
      files = (await storage.uuids()).sort();
      return sendHeld(operation.method, pathOf(operation, targets), sender, content, () => meanwhile(sender));
    };

    // Without the end of the token, the request writes, so the rejection has no other reason.
    const { status } = await send(() => Promise.resolve());
    const isOfRespondents = /respondents|resume-codes/.test(route);
    expect([200, 201, 204, ...(isOfRespondents && kind !== 'a respondent' ? [422] : [])]).toContain(status);

    let before: unknown;
    const refused = await send(async ({ client, end }) => {
      await end();
      await eventually(
        'the service knows that the token has ended',
        async () => (await client.get('/api/v1/submissions')).status === 401,
      );
      before = await wholeDatabase(database.dataSource);
    });
    expect(refused).toEqual({ status: 401, body: { message: 'Unauthenticated.' } });
    expect(await wholeDatabase(database.dataSource)).toEqual(before);
    expect((await storage.uuids()).sort()).toEqual(files);
  });
});
