import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStorage } from '../../src/capabilities/files/storage/open-storage.js';
import { sweep } from '../../src/capabilities/files/sweep.js';
import type { Client } from '../support/client.js';
import { commandLine } from '../support/command-line.js';
import { announcementOf, filesFolder, PDF, storeFile, uploadFile } from '../support/files.js';
import { buildForm, type BuiltForm } from '../support/forms.js';
import { type RunningService, startOn, useFaults } from './support/use-service.js';

/** How often a process of the service is killed. 1,000 kills take an hour on two busy cores. */
const KILLS = Number(process.env['FILE_KILLS'] ?? 12);
/** Number of processes that use the same files at once. Starting a process takes longer than using and killing it. */
const PROCESSES = 3;
const AT_ONCE = 6;
/** Maximum milliseconds between the first file that a process stores and the kill. */
const KILLED_WITHIN = 500;

const use = useFaults();
let storage: ReturnType<typeof filesFolder>;
let built: BuiltForm;
beforeAll(async () => {
  storage = filesFolder();
  built = await buildForm(use.database.dataSource, { steps: [{ cv: { type: 'file' } }] });
});
afterAll(() => storage.remove());

async function draftOf(own: Client): Promise<string> {
  const { body } = await own.post('/api/v1/submissions', { form_uuid: built.form.uuid });
  return `/api/v1/submissions/${body.data.uuid}`;
}

/** Uploads, stores, replaces and deletes files until the service is killed. */
async function useFiles({ own }: RunningService, onHeld: () => void): Promise<void> {
  const setValue = (submission: string, value: string) =>
    own.post(`${submission}/values`, { values: [{ field_code: 'cv', value }] });
  try {
    for (let round = 0; ; round += 1) {
      const submission = await draftOf(own);
      const { value } = await storeFile(own, submission);
      await setValue(submission, value);
      onHeld();
      const { value: other } = await storeFile(own, submission);
      await setValue(submission, other);
      if (round % 3 === 1) await setValue(submission, '');
      if (round % 3 === 2) await own.delete(submission);
    }
  } catch {
    // The service was killed.
    onHeld();
  }
}

async function useAndKill(service: RunningService): Promise<void> {
  const users: Promise<void>[] = [];
  await new Promise<void>((resolve) => {
    for (let at = 0; at < AT_ONCE; at += 1) users.push(useFiles(service, resolve));
  });
  await sleep(Math.random() * KILLED_WITHIN);
  service.child.kill('SIGKILL');
  await service.ended;
  await Promise.all(users);
}

it(`killed ${KILLS} times during uploads, commits and deletions, leaves no bytes without a file and no file without bytes`, async () => {
  const variables = { FILES_URL: storage.url };
  let kills = 0;
  const startAndKill = async () => {
    while (kills < KILLS) {
      kills += 1;
      await useAndKill(await startOn(use, variables));
    }
  };
  await Promise.all(Array.from({ length: PROCESSES }, startAndKill));
  const { dataSource } = use.database;
  await dataSource.query('update file_deletions set due_at = now()');
  await dataSource.query(`update files set expires_at = now() where expires_at is not null`);
  const { run } = commandLine({ databaseUrl: use.database.url, directory: storage.folder });
  const worked = await run(['files', 'work'], variables);
  expect(worked).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Deleted the content of [1-9]/) as string,
  });
  const swept = await sweep(dataSource, await openStorage(storage.url), { dryRun: true, minAge: -60_000 });
  process.stdout.write(
    `${KILLS} kills: ${swept.files} files kept, ${swept.orphans.length} orphaned, ${swept.missing.length} missing; ${worked.stdout}`,
  );
  expect(swept).toMatchObject({ orphans: [], strangers: [], missing: [] });
  expect(swept.files).toBeGreaterThan(KILLS);
  const dangling = await dataSource.query<unknown[]>(
    `select value from submission_values where value like 'file:%'
        and not exists (select from files where 'file:' || uuid = value)`,
  );
  expect(dangling).toEqual([]);
  const json = await run(['files', 'sweep', '--dry-run', '--json'], variables);
  expect([json.status, JSON.parse(json.stdout)]).toEqual([0, expect.objectContaining({ missing: [] })]);
}, 10_000_000);

it('the service handles 200 uploads at once with the memory of a few', async () => {
  const service = await startOn(use, { FILES_URL: storage.url });
  const content = Buffer.alloc(4 * 1024 * 1024, '%PDF-1.7\n');
  const memory = (what: string) => {
    const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8');
    return Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  };
  const drafts = await Promise.all(Array.from({ length: 20 }, () => draftOf(service.own)));
  await storeFile(service.own, await draftOf(service.own), content);
  const before = memory('VmRSS');
  // The uploads of a user are created one after another. A client repeats a request that has waited for too long.
  const post: typeof service.own.post = async (...request) => {
    const answer = await service.own.post(...request);
    if (answer.status !== 503) return answer;
    await sleep(Number(answer.headers.get('retry-after')) * 1_000);
    return post(...request);
  };
  const patient = { ...service.own, post };
  const paths = await Promise.all(
    Array.from({ length: 200 }, (_, index) => uploadFile(patient, drafts[index % 20] ?? '', content)),
  );
  // The uploads have 800 MiB in all.
  expect(memory('VmHWM') - before).toBeLessThan(250);
  const [first = ''] = paths;
  expect((await service.own.post(`${first}/commit`)).body.data.state).toBe('stored');
}, 120_000);

it('allows an upload to take longer than other requests', async () => {
  const service = await startOn(use, { FILES_URL: storage.url });
  const submission = await draftOf(service.own);
  const { body } = await service.own.post(`${submission}/files`, announcementOf(PDF));
  const file = `${submission}/files/${body.data.uuid}`;
  const request = http.request(`${service.url}${file}/content`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${use.plainToken}`, 'Content-Length': PDF.length },
  });
  const status = new Promise((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
  });
  request.write(PDF.subarray(0, 5));
  // The service ends requests other than uploads after 30 seconds.
  await sleep(33_000);
  request.end(PDF.subarray(5));
  expect(await status).toBe(204);
  expect((await service.own.post(`${file}/commit`)).status).toBe(200);
}, 60_000);
