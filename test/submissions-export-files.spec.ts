import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createHash } from 'node:crypto';
import { openStorage } from '../src/capabilities/files/storage/open-storage.js';
import type { Client } from './support/client.js';
import { useCommandLine } from './support/command-line.js';
import { filesFolder, PDF, storeFile } from './support/files.js';
import { buildEntity, buildForm, type BuiltForm } from './support/forms.js';
import { newUser } from './support/service.js';
import { onOneServer as describe } from './support/it-on-one-server.js';

const storage = filesFolder();
const use = useCommandLine({ FILES_URL: storage.url });
const { run } = use;
let own: Client;
let built: BuiltForm;

beforeAll(async () => {
  own = (await newUser(use)).client;
  built = await buildForm(use.database.dataSource, {
    form: { slug: 'claim' },
    steps: [{ cv: { type: 'file' }, receipt: { type: 'file', isRepeatable: true } }],
  });
  await buildEntity(use.database.dataSource, built, { name: 'expense', isRepeatable: true }, ['receipt']);
}, 120_000);
afterAll(async () => {
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

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

describe('an export of a form with files', () => {
  it('has the properties of each file beside its value, as JSON and as CSV', async () => {
    const { uuid, files } = await submit();
    const { stdout } = await run(['submissions', 'export', '--form', 'claim']);
    const line = stdout.split('\n').find((one) => one.includes(uuid)) ?? '{}';
    const { values } = JSON.parse(line) as { values: { value: string; file: object }[] };
    expect(values.map(({ file }) => file)).toEqual([
      {
        ...{ uuid: files[0], name: '=cmd|"calc".pdf', size: PDF.length, media_type: 'application/pdf' },
        ...{ sha256: sha256(PDF), state: 'stored' },
      },
      expect.objectContaining({ uuid: files[1], name: 'taxi.JPEG' }),
      expect.objectContaining({ uuid: files[2], name: 'a bill without an extension' }),
    ]);
    expect(values.map(({ value }) => value)).toEqual(files.map((file) => `file:${file}`));

    const csv = (await run(['submissions', 'export', '--form', 'claim', '--format', 'csv'])).stdout;
    const rows = csv.split('\r\n').filter((one) => one.startsWith(uuid));
    const cellOf = (name: string, content: Buffer, type: string, file?: string) =>
      `${name} (${content.length} bytes, ${type}, sha256 ${sha256(content)}, file:${file})`;
    const receipts = ['taxi.JPEG', 'a bill without an extension'].map((name, index) =>
      cellOf(name, Buffer.from(`of ${name}`), 'application/octet-stream', files[index + 1]),
    );
    // The apostrophe prevents spreadsheets from reading the name as a formula.
    const cv = cellOf(`'=cmd|""calc"".pdf`, PDF, 'application/pdf', files[0]);
    expect(rows).toEqual(
      receipts.map((receipt) => expect.stringContaining(`,"${cv}","${receipt}"`) as string),
    );
  });

  it('has no file for a text such as "constructor", which every JavaScript object has', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      form: { slug: 'notes' },
      steps: [{ cv: { type: 'file' }, constructor: {}, ['__proto__']: {} }],
    });
    const { body } = await own.post('/api/v1/submissions', { form_uuid: form.uuid });
    const submission = `/api/v1/submissions/${body.data.uuid}`;
    const { value } = await storeFile(own, submission);
    const texts = ['constructor', '__proto__'].map((text) => ({ field_code: text, value: text }));
    await own.post(`${submission}/values`, { values: [{ field_code: 'cv', value }, ...texts] });

    const folder = path.join(use.directory, 'notes');
    const words = ['submissions', 'export', '--form', 'notes', '--files', folder];
    const line = JSON.parse((await run(words, { FILES_URL: storage.url })).stdout) as {
      values: { value: string; file?: object }[];
    };
    expect(line.values.map((one) => [one.value, one.file !== undefined])).toEqual([
      [value, true],
      ...texts.map((text) => [text.value, false]),
    ]);
    expect(await readdir(path.join(folder, body.data.uuid as string))).toHaveLength(1);
  });

  it('writes the files that values refer to, with safe names', async () => {
    const { uuid, files } = await submit();
    const folder = path.join(use.directory, 'written');
    const words = ['submissions', 'export', '--form', 'claim', '--files', folder];
    const { status, stderr } = await run(words, { FILES_URL: storage.url });
    expect([status, stderr]).toEqual([0, expect.stringContaining(`files to ${folder}.`)]);
    const written = (await readdir(path.join(folder, uuid))).sort();
    expect(written).toEqual([`${files[0]}.pdf`, `${files[1]}.JPEG`, files[2]!].sort());
    expect(await readFile(path.join(folder, uuid, `${files[0]}.pdf`))).toEqual(PDF);
    expect(await readFile(path.join(folder, uuid, `${files[1]}.JPEG`), 'utf8')).toBe('of taxi.JPEG');
  });

  it('skips an infected file, and fails if the bytes of a file are missing', async () => {
    const { uuid, files } = await submit();
    await use.database.dataSource.query(`update files set state = 'infected' where uuid = $1`, [files[1]]);
    await (await openStorage(storage.url)).delete(files[2]!);
    const folder = path.join(use.directory, 'missing');
    const words = ['submissions', 'export', '--form', 'claim', '--files', folder];
    const { status, stderr } = await run(words, { FILES_URL: storage.url });
    expect(status).toBe(1);
    expect(stderr).toContain(`File ${files[1]} is infected and is left out.`);
    expect(stderr).toContain(`The content of file ${files[2]} is missing.`);
    expect(await readdir(path.join(folder, uuid))).toEqual([`${files[0]}.pdf`]);
  });

  it('names the storage, not the database, if the storage fails', async () => {
    await submit();
    const exported = [
      'submissions',
      'export',
      '--form',
      'claim',
      '--files',
      path.join(use.directory, 'away'),
    ];
    for (const words of [exported, ['files', 'sweep']]) {
      const { status, stderr } = await run(words, s3At(1));
      expect(status).toBe(1);
      expect(stderr).toMatch(
        /The storage of files, s3:\/\/bucket, failed: .*ECONNREFUSED.* Set FILES_URL and the AWS_ variables to the values of the server/,
      );
    }
  });

  it('fails if FILES_URL names a file, or a path below a file', async () => {
    const file = path.join(use.directory, 'file');
    await writeFile(file, '');
    for (const folder of [file, path.join(file, 'below')]) {
      const { status, stderr } = await run(['files', 'sweep'], { FILES_URL: pathToFileURL(folder).href });
      expect([status, stderr]).toEqual([
        1,
        `formtrail: FILES_URL names a file, not a folder: ${pathToFileURL(folder).href}. Set it to a folder, which may be new.\n`,
      ]);
    }
  });

  it('fails before it writes anything if files are disabled', async () => {
    const words = ['submissions', 'export', '--form', 'claim', '--files', use.directory];
    expect(await run(words)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'formtrail: Files are switched off. Set FILES_URL to the value that the server has.\n',
    });
  });

  it('has no open transaction while it waits for the storage, and neither has a sweep', async () => {
    const since = new Date().toISOString();
    const { uuid, files } = await submit();
    const states: string[] = [];
    // Imitates the responses of S3, and looks for open transactions during each request.
    const s3 = http.createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
      const isList = searchParams.has('list-type');
      const answer = async () => {
        const open = await use.database.dataSource.query<{ state: string }[]>(
          `select state from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`,
        );
        states.push(...open.map(({ state }) => `${request.method} ${isList ? 'list' : 'file'}: ${state}`));
        const key = pathname.split('/').at(-1);
        if (isList) response.end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');
        else if (key === files[2]) {
          await use.database.dataSource.query('delete from submission_values where value = $1', [
            `file:${key}`,
          ]);
          response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
        } else response.end(`the bytes of ${key}`);
      };
      answer().catch((error: unknown) => response.destroy(error as Error));
    });
    s3.listen(0, '127.0.0.1');
    await once(s3, 'listening');
    const variables = s3At((s3.address() as AddressInfo).port);
    try {
      const folder = path.join(use.directory, 'without-transaction');
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
