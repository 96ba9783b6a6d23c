import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startDatabaseProxy } from './support/database-proxy.js';
import { createDraft } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { filesFolder, storeFile } from './support/files.js';
import { buildForm } from './support/forms.js';
import { isOneServer, itOnOneServer } from './support/it-on-one-server.js';
import { ERROR, INFO, type Line, logOf, WARN } from './support/log-lines.js';
import { newUser, type Service, startService } from './support/service.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';

const use = {} as { database: TestDatabase; service: Service };
let log: ReturnType<typeof logOf>;
let proxy: Awaited<ReturnType<typeof startDatabaseProxy>>;
const storage = filesFolder();

beforeAll(async () => {
  use.database = await testDatabase();
  proxy = await startDatabaseProxy(use.database.connection);
  // Nothing listens on the port in CLAMD_URL.
  const files = isOneServer ? { FILES_URL: storage.url, CLAMD_URL: 'tcp://127.0.0.1:1' } : undefined;
  use.service = await startService(use.database, files, proxy.connection, { logLevel: 'debug' });
  log = logOf(use.service);
});
afterAll(async () => {
  await use.service.close();
  await proxy.close();
  await use.database.close();
  await storage.remove();
});

const total = (found: readonly Line[]) => found.reduce((sum, { repeated }) => sum + Number(repeated ?? 1), 0);
const countLines = async () => (await log.lines()).length;

it('an outage logs two lines per second for any number of failed requests, and counts each request', async () => {
  const REQUESTS = 100;
  const { client } = await newUser(use);
  const { uuid, path } = await createDraft(client, await buildForm(use.database.dataSource));
  await proxy.refuse();
  const from = await countLines();
  const startedAt = performance.now();
  for (let sent = 0; sent < REQUESTS; sent += 10) {
    const responses = await Promise.all(Array.from({ length: 10 }, () => client.get(path)));
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(503));
  }
  const logged = async () =>
    (await log.lines(from)).filter(({ route }) => route === '/api/v1/submissions/:uuid');
  const requests = await eventually('all requests are in the sum', async () => {
    const found = (await logged()).filter(({ msg }) => msg === 'request');
    return total(found) === REQUESTS && found;
  });
  await proxy.heal();

  const seconds = (performance.now() - startedAt) / 1000;
  expect(requests.length).toBeLessThanOrEqual(seconds + 2);
  expect(requests.at(-1)).toMatchObject({
    ...{ level: ERROR, status: 503, submission_uuid: uuid },
    ...{ first_request_id: expect.any(String), repeated: expect.any(Number) },
  });
  // The warnings have one or two reasons, depending on the state of each connection.
  const reasons = (await logged()).filter(({ level }) => level === WARN);
  expect(total(reasons)).toBe(REQUESTS);
  const kinds = new Set(reasons.map(({ msg, reason }) => `${String(msg)} ${String(reason)}`));
  expect(reasons.length).toBeLessThanOrEqual(kinds.size * (seconds + 2));
});

it('a server that cannot reach the database logs an error that says what to do', async () => {
  await proxy.refuse();
  const from = await countLines();
  expect((await use.service.anyone.get('/health/ready')).status).toBe(503);
  await proxy.heal();
  expect((await log.lines(from)).find(({ context }) => context === 'Health')).toMatchObject({
    ...{ level: ERROR, reason: expect.stringMatching(/./) },
    msg: expect.stringMatching(/^not ready: .+ Check the database/),
  });
});

itOnOneServer('lines about a file have the UUIDs of the file and its submission', async () => {
  const { client } = await newUser(use);
  const form = await buildForm(use.database.dataSource, { steps: [{ cv: { type: 'file' } }] });
  const { uuid: submission_uuid, path: draft } = await createDraft(client, form);
  const { uuid: file_uuid } = await storeFile(client, draft);
  const described = { level: WARN, context: 'Files', file_uuid, submission_uuid };
  const scanFails = { reason: /ECONNREFUSED/, msg: /could not be scanned.+Check clamd/ };
  const deletionFails = { reason: /./, msg: /could not be deleted.+Check the storage/ };
  const expectLine = async ({ reason, msg }: typeof scanFails) => {
    const texts = { reason: expect.stringMatching(reason), msg: expect.stringMatching(msg) };
    expect(await log.lines()).toContainEqual(expect.objectContaining({ ...described, ...texts }));
  };

  await use.service.workOnFiles();
  await expectLine(scanFails);

  expect((await client.delete(draft)).status).toBe(204);
  // Nothing can be deleted below a file that has replaced the folder.
  const folder = path.join(storage.folder, 'files');
  await rm(folder, { recursive: true });
  await writeFile(folder, '');
  await use.service.workOnFiles();
  await expectLine(deletionFails);
});

it('a server that drains is not ready, and logs neither an error nor a warning', async () => {
  await eventually('ready', async () => (await use.service.anyone.get('/health/ready')).status === 200);
  const from = await countLines();
  await use.service.beginToStop();
  expect((await use.service.anyone.get('/health/ready', { 'X-Request-Id': 'drain' })).status).toBe(503);
  expect(await log.requestLine('drain')).toMatchObject({ route: '/health/ready', status: 503 });
  expect((await log.lines(from)).filter(({ level }) => Number(level) > INFO)).toEqual([]);
});
