import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { uploadFile } from '../support/files.js';
import { buildForm, type BuiltForm } from '../support/forms.js';
import { BUCKET, s3Server } from '../support/s3-server.js';
import { newUser, type Service, startService } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

/** The number of commits, which exceeds the number of connections in the database pool. */
const COMMITS = 30;

/** Starts a proxy for an S3 server. The proxy delays requests between `hold()` and `letGo()`. */
async function slowWayTo(url: string) {
  let letGo = () => {};
  let free = Promise.resolve();
  let waiting = 0;
  const server: Server = createServer((incoming, outgoing) => {
    waiting += 1;
    void free.then(() => {
      waiting -= 1;
      // The client has given up.
      if (outgoing.destroyed) return;
      const { method, headers, url: path = '' } = incoming;
      const passed = request(`${url}${path}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      incoming.pipe(passed);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: () => waiting,
    hold: () => {
      free = new Promise((resolve) => (letGo = resolve));
    },
    letGo: () => letGo(),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

describe('a slow storage of files', () => {
  let s3: Awaited<ReturnType<typeof s3Server>>;
  let way: Awaited<ReturnType<typeof slowWayTo>>;
  let database: TestDatabase;
  let service: Service;
  let own: Client;
  let built: BuiltForm;

  beforeAll(async () => {
    s3 = await s3Server();
    way = await slowWayTo(s3.variables.AWS_ENDPOINT_URL_S3);
    database = await testDatabase();
    const variables = { ...s3.variables, AWS_ENDPOINT_URL_S3: way.url };
    service = await startService(database, { FILES_URL: `s3://${BUCKET}/slow`, ...variables });
    own = (await newUser({ database, service })).client;
    built = await buildForm(database.dataSource, { steps: [{ cv: { type: 'file' }, name: {} }] });
  });
  afterAll(async () => {
    await service.close();
    await database.close();
    await way.close();
    await s3.remove();
  });

  async function draft(): Promise<string> {
    const { body } = await own.post('/api/v1/submissions', { form_uuid: built.form.uuid });
    return `/api/v1/submissions/${body.data.uuid}`;
  }

  /** Expects that requests without the storage succeed, even for submissions with a waiting commit. */
  async function expectOthersServed(submissions: readonly string[]): Promise<void> {
    const values = { values: [{ field_code: 'name', value: 'Ada' }] };
    for (const submission of submissions) {
      expect((await own.post(`${submission}/values`, values)).status).toBe(200);
      expect((await own.get(`${submission}/files`)).status).toBe(200);
    }
    expect((await service.anyone.get('/health/ready')).status).toBe(200);
  }

  it('holds neither connections nor locks: more commits than connections wait, and other requests succeed', async () => {
    const submissions = await Promise.all(Array.from({ length: COMMITS }, draft));
    const files = await Promise.all(submissions.map((submission) => uploadFile(own, submission)));
    way.hold();
    const commits = files.map((file) => own.post(`${file}/commit`));
    await eventually('all wait for the storage', () => way.waiting() >= COMMITS);
    await expectOthersServed(submissions);
    way.letGo();
    for (const { status, body } of await Promise.all(commits))
      expect([status, body.data.state]).toEqual([200, 'stored']);
  });

  it('leads to 503 with Retry-After in time, and the same commit succeeds later (U7)', async () => {
    const submission = await draft();
    const file = await uploadFile(own, submission);
    way.hold();
    const commit = own.post(`${file}/commit`);
    await eventually('it waits for the storage', () => way.waiting() > 0);
    await expectOthersServed([submission]);
    const { status, headers } = await commit;
    expect([status, headers.get('Retry-After')]).toEqual([503, '5']);
    way.letGo();
    // Abandoned connections to the storage may make one or two attempts fail.
    await eventually(
      'the same commit goes through',
      async () => (await own.post(`${file}/commit`)).status === 200,
    );
  });
});
