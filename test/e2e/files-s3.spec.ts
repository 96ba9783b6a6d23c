import { openStorage } from '../../src/capabilities/files/storage/open-storage.js';
import { sweep } from '../../src/capabilities/files/sweep.js';
import { client, type Client } from '../support/client.js';
import { announcementOf, PDF, storeFile, uploadFile } from '../support/files.js';
import { buildForm, type BuiltForm } from '../support/forms.js';
import { BUCKET, s3Server } from '../support/s3-server.js';
import { newUser, type Service, startService, withServiceOn } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';
import { onOneServer as describe } from '../support/it-on-one-server.js';

/** Contains characters that a key may have, but that URLs, headers or XML have to escape. */
const PREFIX = 'eu+de/50% of a b/Übung 文/x&y=z;@:$,!*\'()?#"<>';
const FILES_URL = `s3://${BUCKET}/${PREFIX.split('/').map(encodeURIComponent).join('/')}`;

let s3: Awaited<ReturnType<typeof s3Server>>;
let database: TestDatabase;
let service: Service;
let own: Client;
let credentials: Record<string, string>;
let built: BuiltForm;
/** The AWS SDK belongs to the jest worker, whose environment variables are not those of the spec file. */
const { env } = (globalThis.worker as unknown as { load(name: string): NodeJS.Process }).load('node:process');

beforeAll(async () => {
  s3 = await s3Server();
  Object.assign(env, s3.variables);
  database = await testDatabase();
  service = await startService(database, { FILES_URL, ...s3.variables });
  const user = await newUser({ database, service });
  own = user.client;
  credentials = { Authorization: `Bearer ${user.plainToken}` };
  built = await buildForm(database.dataSource, { steps: [{ cv: { type: 'file' } }] });
});
afterAll(async () => {
  await service.close();
  await database.close();
  await s3.remove();
  for (const name of Object.keys(s3.variables)) Reflect.deleteProperty(env, name);
});

async function draft(): Promise<string> {
  const { body } = await own.post('/api/v1/submissions', { form_uuid: built.form.uuid });
  return `/api/v1/submissions/${body.data.uuid}`;
}

const objects = async () => {
  const keys: string[] = [];
  for await (const { key } of (await openStorage(FILES_URL)).list()) keys.push(key);
  return keys.sort();
};

const put = async ({ url, headers }: { url: string; headers: Record<string, string> }, content: Buffer) =>
  (await fetch(url, { method: 'PUT', headers, body: new Uint8Array(content) })).status;

/** Creates an upload in a new submission. */
async function announce() {
  const submission = await draft();
  const { upload, uuid } = (await own.post(`${submission}/files`, announcementOf(PDF))).body.data;
  return { submission, upload, uuid: uuid as string, file: `${submission}/files/${uuid}` };
}

/** Deletes a file or a submission, and does the due work. */
async function remove(path: string) {
  await own.delete(path);
  await service.workOnFiles();
}

const swept = async () =>
  sweep(database.dataSource, await openStorage(FILES_URL), { dryRun: false, minAge: -60_000 });

describe('files in S3', () => {
  it('are uploaded and read by short-lived links, without passing through the service (U2, U4)', async () => {
    const submission = await draft();
    const { uuid } = await storeFile(own, submission);
    expect(await objects()).toEqual([`${PREFIX}/files/${uuid}`]);
    const { status, headers } = await own.get(`${submission}/files/${uuid}/content`);
    const link = new URL(headers.get('Location') ?? '');
    expect([status, link.searchParams.get('X-Amz-Expires')]).toEqual([302, '60']);
    const response = await fetch(link, { headers: { Range: 'bytes=1-3' } });
    expect([response.status, await response.text()]).toEqual([206, 'PDF']);
    expect(response.headers.get('Content-Disposition')).toBe('attachment; filename="cv.pdf"');
    const head = await fetch(`${service.url}${submission}/files/${uuid}/content`, {
      method: 'HEAD',
      headers: credentials,
    });
    expect([head.status, head.headers.get('Content-Length')]).toEqual([200, String(PDF.length)]);
    await remove(submission);
    expect(await objects()).toEqual([]);
  });

  it('keep their verified content, even if the upload URL is used again', async () => {
    const { file, upload } = await announce();
    expect(await put(upload, PDF)).toBe(200);
    expect((await own.post(`${file}/commit`)).status).toBe(200);
    await put(upload, Buffer.alloc(PDF.length, 'x'));
    const { headers } = await own.get(`${file}/content`);
    expect(await (await fetch(headers.get('Location') ?? '')).text()).toBe(PDF.toString());
    await remove(file);
    expect(await objects()).toEqual([]);
  });

  it('are verified by the service, which does not trust the storage', async () => {
    const { file, upload } = await announce();
    const commit = async () => (await own.post(`${file}/commit`)).body.errors?.content?.[0];
    expect(await commit()).toContain('was not uploaded');
    // This S3 server checks neither the length nor the checksum that the URL was signed with.
    await put(upload, Buffer.alloc(PDF.length, 'x'));
    expect(await commit()).toContain('SHA-256');
    await put(upload, PDF.subarray(1));
    expect(await commit()).toContain('the size of the upload');
    await remove(file);
  });

  it('are compared with the database by a sweep, which finds orphaned and missing files', async () => {
    const submission = await draft();
    const [lost, orphan] = [await storeFile(own, submission), await uploadFile(own, submission)];
    await database.dataSource.query('delete from files where uuid = $1', [orphan.split('/').at(-1)]);
    await database.dataSource.query('delete from file_deletions');
    await (await openStorage(FILES_URL)).delete(lost.uuid);
    expect(await swept()).toMatchObject({
      orphans: [`${PREFIX}/incoming/${orphan.split('/').at(-1)}`],
      missing: [lost.uuid],
      strangers: [],
    });
    expect(await objects()).toEqual([]);
  });

  it('leave no uploads from after the commit once a sweep has run', async () => {
    const { submission, file, upload, uuid } = await announce();
    await put(upload, PDF);
    expect((await own.post(`${file}/commit`)).status).toBe(200);
    await put(upload, PDF);
    const pending = (await uploadFile(own, submission)).split('/').at(-1);
    const { orphans, missing } = await swept();
    expect(orphans).toEqual([`${PREFIX}/incoming/${uuid}`]);
    expect(missing).not.toContain(uuid);
    expect(await objects()).toEqual([`${PREFIX}/files/${uuid}`, `${PREFIX}/incoming/${pending}`]);
    await remove(submission);
  });

  it('cannot be uploaded through the service', async () => {
    const { submission, file } = await announce();
    const refused = await own.send('PUT', `${file}/content`, new Uint8Array(PDF));
    expect([refused.status, refused.body.message]).toEqual([404, 'Route not found.']);
    await own.delete(submission);
  });

  it('are not created if no URL can be signed', async () => {
    const submission = await draft();
    const noKeys = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true' };
    const variables = { FILES_URL, ...s3.variables, ...noKeys };
    await withServiceOn(database, variables, async ({ url }) => {
      const announced = await client(url, credentials).post(`${submission}/files`, announcementOf(PDF));
      expect(announced.status).toBe(503);
    });
    expect((await own.get(`${submission}/files`)).body).toEqual({ data: [] });
  });

  it('get 503 while S3 is unavailable, but other requests succeed (U7)', async () => {
    const submission = await draft();
    const file = await uploadFile(own, submission);
    await s3.stop();
    const away = await own.post(`${file}/commit`);
    expect([away.status, away.headers.get('Retry-After')]).toEqual([503, '5']);
    expect((await own.get(file)).status).toBe(200);
    expect((await own.post(`${submission}/values`, { values: [] })).status).toBe(200);
    expect((await service.anyone.get('/health/ready')).status).toBe(200);
    await remove(file);
    await s3.startAgain();
    await database.dataSource.query('update file_deletions set due_at = now()');
    await service.workOnFiles();
    expect(await objects()).toEqual([]);
  });
});
