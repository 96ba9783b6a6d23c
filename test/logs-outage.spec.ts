import { Database } from '../src/database/database.js';
import { Lifecycle } from '../src/health/lifecycle.js';
import { FileWorker } from '../src/files/file-worker.js';
import type { StoredObjects } from '../src/files/storage/file-storage.js';
import { createLogger } from '../src/process/logging.js';
import { startDatabaseProxy } from './support/database-proxy.js';
import { createDraft } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { filesFolder, storeFile } from './support/files.js';
import { buildForm } from './support/forms.js';
import { isOneServer, itOnOneServer } from './support/it-on-one-server.js';
import { newUser } from './support/service.js';
import { type ServiceInProcess, startServiceInProcess } from './support/service-in-process.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';

const [INFO, WARN, ERROR] = [30, 40, 50];

type Line = Record<string, unknown>;

const use = {} as { database: TestDatabase; service: ServiceInProcess };
const lines: Line[] = [];
let proxy: Awaited<ReturnType<typeof startDatabaseProxy>>;
const storage = filesFolder();

beforeAll(async () => {
  use.database = await testDatabase();
  proxy = await startDatabaseProxy(use.database.connection);
  const write = (line: string) => void lines.push(JSON.parse(line) as Line);
  const logger = createLogger({ logLevel: 'debug' }, { write });
  const files: Record<string, string> = isOneServer
    ? { FILES_URL: storage.url, CLAMD_URL: 'tcp://127.0.0.1:1' }
    : {};
  use.service = await startServiceInProcess(use.database, files, { logger, pooled: proxy.connection });
});
afterAll(async () => {
  await use.service.close();
  await proxy.close();
  await use.database.drop();
  await storage.remove();
});

const total = (found: readonly Line[]) => found.reduce((sum, { repeated }) => sum + Number(repeated ?? 1), 0);

it('an outage logs two lines per second for any number of failed requests, and counts each request', async () => {
  const REQUESTS = 300;
  const { client } = await newUser(use);
  const { uuid, path } = await createDraft(client, await buildForm(use.database.dataSource));
  await proxy.refuse();
  const from = lines.length;
  const startedAt = performance.now();
  for (let sent = 0; sent < REQUESTS; sent += 10) {
    const responses = await Promise.all(Array.from({ length: 10 }, () => client.get(path)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]));
  }
  const logged = () => lines.slice(from).filter(({ route }) => route === '/api/v1/submissions/:uuid');
  const requests = () => logged().filter(({ msg }) => msg === 'request');
  await eventually('all requests are in the sum', () => total(requests()) === REQUESTS);
  await proxy.heal();

  const seconds = (performance.now() - startedAt) / 1000;
  expect(requests().length).toBeLessThanOrEqual(seconds + 2);
  expect(requests().at(-1)).toMatchObject({
    level: ERROR,
    status: 503,
    submission_uuid: uuid,
    first_request_id: expect.any(String),
    repeated: expect.any(Number),
  });
  // The warnings have one or two reasons, depending on the state of each connection.
  const reasons = logged().filter(({ level }) => level === WARN);
  expect(total(reasons)).toBe(REQUESTS);
  const kinds = new Set(reasons.map(({ msg, reason }) => `${String(msg)} ${String(reason)}`));
  expect(reasons.length).toBeLessThanOrEqual(kinds.size * (seconds + 2));
});

it('a server that drains is not ready, and logs neither an error nor a warning', async () => {
  await eventually('ready', async () => (await use.service.anyone.get('/health/ready')).status === 200);
  const lifecycle = use.service.app.get(Lifecycle);
  const from = lines.length;
  lifecycle.isStopping = true;
  expect((await use.service.anyone.get('/health/ready', { 'X-Request-Id': 'drain' })).status).toBe(503);
  lifecycle.isStopping = false;
  const line = await eventually('it is logged', () => lines.find(({ request_id }) => request_id === 'drain'));
  expect(line).toMatchObject({ route: '/health/ready', status: 503 });
  expect(lines.slice(from).filter(({ level }) => (level as number) > INFO)).toEqual([]);
});

it('a server that is not ready for another reason logs an error that says what to do', async () => {
  await proxy.refuse();
  const from = lines.length;
  expect((await use.service.anyone.get('/health/ready')).status).toBe(503);
  await proxy.heal();
  expect(lines.slice(from).find(({ context }) => context === 'Health')).toMatchObject({
    level: ERROR,
    reason: expect.stringMatching(/./),
    msg: expect.stringMatching(/^not ready: .+ Check the database/),
  });
});

itOnOneServer('lines about a file have the UUIDs of the file and its submission', async () => {
  const { client } = await newUser(use);
  const form = await buildForm(use.database.dataSource, { steps: [{ cv: { type: 'file' } }] });
  const { uuid: submission_uuid, path } = await createDraft(client, form);
  const { uuid: file_uuid } = await storeFile(client, path);
  // The scan fails, because nothing listens on the port in CLAMD_URL.
  await use.service.app.get(FileWorker).scan();
  const described = { level: WARN, context: 'Files', file_uuid, submission_uuid };
  expect(lines).toContainEqual(
    expect.objectContaining({
      ...described,
      reason: expect.stringContaining('ECONNREFUSED'),
      msg: expect.stringMatching(/could not be scanned.+Check clamd/),
    }),
  );

  expect((await client.delete(path)).status).toBe(204);
  const warnings: unknown[] = [];
  const fails = { delete: () => Promise.reject(new Error('out of order')) } as Partial<StoredObjects>;
  const database = use.service.app.get(Database);
  const worker = new FileWorker(database, fails as StoredObjects, undefined, (line) => warnings.push(line));
  await worker.delete();
  expect(warnings).toEqual([
    {
      file_uuid,
      submission_uuid,
      reason: 'out of order',
      msg: expect.stringMatching(/could not be deleted.+Check the storage/),
    },
  ]);
});
