import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Client } from './support/client.js';
import { openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { filesFolder, PDF, storeFile } from './support/files.js';
import { buildEntity, buildForm, type BuiltForm } from './support/forms.js';
import { newUser, type Service, startService } from './support/service.js';
import { onOneServer as describe } from './support/it-on-one-server.js';

const storage = filesFolder();
let { database, directory, run, close } = {} as OpenCommandLine;
let service: Service;
let own: Client;
let built: BuiltForm;

beforeAll(async () => {
  ({ database, directory, run, close } = await openCommandLine());
  service = await startService(database, { FILES_URL: storage.url });
  own = (await newUser({ database, service })).client;
  built = await buildForm(database.dataSource, {
    form: { slug: 'claim' },
    steps: [{ cv: { type: 'file' }, receipt: { type: 'file', isRepeatable: true } }],
  });
  await buildEntity(database.dataSource, built, { name: 'expense', isRepeatable: true }, ['receipt']);
}, 120_000);
afterAll(async () => {
  await service.close();
  await close();
  await storage.remove();
});

/** Creates a submission with three files (a CV and two receipts), and a fourth file that no value refers to. */
async function submit() {
  const { body } = await own.post('/api/v1/submissions', { form_uuid: built.form.uuid });
  const submission = `/api/v1/submissions/${body.data.uuid}`;
  const keep = async (field_code: string, name: string, content: Buffer, entity_record_id?: number) => {
    const more = {
      field_code,
      name,
      media_type: 'application/octet-stream',
      ...(entity_record_id && { entity_record_id }),
    };
    const { uuid, value } = await storeFile(own, submission, content, more);
    const values = [{ field_code, value, entity_record_id: entity_record_id ?? null }];
    const stored = await own.post(`${submission}/values`, { values });
    expect(stored.status).toBe(200);
    return uuid;
  };
  const files = [await keep('cv', '=cmd|"calc".pdf', PDF)];
  for (const name of ['taxi.JPEG', 'a bill without an extension']) {
    const { body } = await own.post(`${submission}/records`, { entity: 'expense' });
    files.push(await keep('receipt', name, Buffer.from(`of ${name}`), body.data.id as number));
  }
  await storeFile(own, submission, PDF, { name: 'nobody.pdf' });
  return { uuid: body.data.uuid as string, files };
}

/** Variables for a bucket on this port of the loopback interface. */
const s3At = (port: number) => ({
  FILES_URL: 's3://bucket',
  AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
  ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'a', AWS_REGION: 'a' },
});

describe('an export of a form with files', () => {
  it('has no open transaction while it waits for the storage, and neither has a sweep', async () => {
    const since = new Date().toISOString();
    const { uuid, files } = await submit();
    const states: string[] = [];
    // Imitates the responses of S3, and looks for open transactions during each request.
    const s3 = http.createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
      const isList = searchParams.has('list-type');
      const answer = async () => {
        const open = await database.dataSource.query<{ state: string }[]>(
          `select state from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`,
        );
        states.push(...open.map(({ state }) => `${request.method} ${isList ? 'list' : 'file'}: ${state}`));
        const key = pathname.split('/').at(-1);
        if (isList) response.end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');
        else if (key === files[2]) {
          await database.dataSource.query('delete from submission_values where value = $1', [`file:${key}`]);
          response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
        } else response.end(`the bytes of ${key}`);
      };
      answer().catch((error: unknown) => response.destroy(error as Error));
    });
    s3.listen(0, '127.0.0.1');
    await once(s3, 'listening');
    const variables = s3At((s3.address() as AddressInfo).port);
    try {
      const folder = path.join(directory, 'without-transaction');
      const words = ['submissions', 'export', '--form', 'claim', '--files', folder];
      const exported = await run([...words, '--since', since], variables);
      expect(exported).toMatchObject({ status: 0 });
      expect(exported.stderr).toContain(
        `File ${files[2]} was deleted after the export began and is left out.`,
      );
      expect(exported.stdout).toContain(`file:${files[2]}`);
      expect(await readFile(path.join(folder, uuid, `${files[0]}.pdf`), 'utf8')).toBe(
        `the bytes of ${files[0]}`,
      );
      // The listing is empty, so the sweep checks each file with another request.
      expect(await run(['files', 'sweep', '--dry-run'], variables)).toMatchObject({ status: 0 });
    } finally {
      s3.close();
    }
    expect(states).toEqual([]);
  });
});
