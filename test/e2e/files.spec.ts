import { isDeadlock } from '../../src/database/database-errors.js';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { DirectoryStorage } from '../../src/capabilities/files/storage/directory.storage.js';
import { type Answer, client, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { announcementOf, filesFolder, PDF, storeFile, uploadFile } from '../support/files.js';
import { buildForm, type BuiltForm } from '../support/forms.js';
import { sendHttp, sendRaw } from '../support/raw.js';
import { newUser, useOwnService, withServiceOn } from '../support/service.js';
import { itOnOneServer as it } from '../support/it-on-one-server.js';

const HTML = Buffer.from('<!doctype html><script>alert(document.domain)</script>');

const storage = filesFolder();
const use = useOwnService({ FILES_URL: storage.url });
let own: Client;
let token: string;
let authorization: { Authorization: string };
let built: BuiltForm;

beforeAll(async () => {
  ({ client: own, plainToken: token } = await newUser(use));
  authorization = { Authorization: `Bearer ${token}` };
  built = await buildForm(use.database.dataSource, {
    form: { completion: 'strict' },
    steps: [
      {
        cv: { type: 'file', accept: 'application/pdf, .pdf', maxBytes: 1_000_000 },
        photo: { type: 'file' },
        portrait: { type: 'file', accept: 'image/*' },
        table: { type: 'file', accept: 'text/csv' },
        receipt: { type: 'file', isRepeatable: true },
        name: {},
      },
    ],
    entities: [{ name: 'expense', isRepeatable: true, of: ['receipt'] }],
  });
});
afterAll(() => storage.remove());

async function draft(): Promise<string> {
  const { body } = await own.post('/api/v1/submissions', { form_uuid: built.form.uuid });
  return `/api/v1/submissions/${body.data.uuid}`;
}

/** Creates an upload of a PDF. Returns the path of the file. */
async function announce(
  submission: string,
  more: Parameters<typeof announcementOf>[1] = {},
): Promise<string> {
  const { body } = await own.post(`${submission}/files`, announcementOf(PDF, more));
  return `${submission}/files/${body.data.uuid}`;
}

/** Stores a file in a new submission. */
async function storedFile(content = PDF, more: Parameters<typeof announcementOf>[1] = {}) {
  const submission = await draft();
  const { uuid, value } = await storeFile(own, submission, content, more);
  return { submission, uuid, value, file: `${submission}/files/${uuid}` };
}

const uuidOf = (path: string) => path.split('/').at(-1) ?? '';
const incomingOf = (file: string) => path.join(storage.folder, 'files', 'incoming', uuidOf(file));
const upload = (file: string, content: Buffer, headers: Record<string, string> = {}) =>
  own.send('PUT', `${file}/content`, new Uint8Array(content), headers);
const fieldsOf = ({ status, body }: Answer) => [status, ...Object.keys(body.errors as object)];

const setValue = (submission: string, field_code: string, value: string, more: object = {}) =>
  own.post(`${submission}/values`, { values: [{ field_code, value, ...more }] });

/** Does all due work for files now. A server does this work every two seconds. */
const work = () => use.service.workOnFiles();

const rows = (sql: string, parameters: unknown[] = []) =>
  use.database.dataSource.query<Record<string, unknown>[]>(sql, parameters);

describe('a file, from its upload to its deletion (U2, U3, U4)', () => {
  it('is created, uploaded, committed, stored as the value of its field, and read', async () => {
    const submission = await draft();
    const announced = await own.post(`${submission}/files`, announcementOf(PDF));
    const { uuid } = announced.body.data;
    expect(announced.status).toBe(201);
    expect(announced.headers.get('Location')).toBe(`${use.service.url}${submission}/files/${uuid}`);
    expect(announced.body.data).toEqual({
      ...announcementOf(PDF),
      uuid,
      value: `file:${uuid}`,
      entity_record_id: null,
      state: 'pending',
      is_ready: false,
      created_at: expect.stringMatching(/Z$/) as string,
      upload: {
        method: 'PUT',
        url: `${use.service.url}${submission}/files/${uuid}/content`,
        headers: {},
        expires_at: expect.stringMatching(/Z$/) as string,
      },
    });
    const file = `${submission}/files/${uuid}`;
    expect((await setValue(submission, 'cv', `file:${uuid}`)).body.errors).toEqual({
      'values.0.value': ['The file of cv has not been committed yet.'],
    });
    expect((await own.get(`${file}/content`)).status).toBe(409);
    expect((await upload(file, PDF)).status).toBe(204);
    const committed = await own.post(`${file}/commit`);
    expect(committed).toMatchObject({ status: 200, body: { data: { state: 'stored', is_ready: true } } });
    expect((await own.post(`${file}/commit`)).body).toEqual(committed.body);
    expect((await own.get(file)).body).toEqual(committed.body);
    expect((await own.get(`${submission}/files`)).body).toEqual({ data: [committed.body.data] });
    expect((await upload(file, PDF)).body.message).toContain('stored already');
    expect((await setValue(submission, 'cv', `file:${uuid}`)).status).toBe(200);
    expect((await own.patch(submission, { status: 'completed' })).status).toBe(200);

    const response = await own.get(`${file}/content`);
    expect([response.status, response.body]).toEqual([200, PDF.toString()]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'attachment; filename="cv.pdf"',
      'content-length': String(PDF.length),
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
    });
    for (const refused of [
      await own.post(`${submission}/files`, announcementOf(PDF)),
      await own.delete(file),
    ])
      expect(refused.body.message).toBe('The submission is already completed.');
  });

  it('causes 404, then 412, then the error of a completed submission, before its content is checked', async () => {
    const { submission, value, file: stored } = await storedFile();
    const pending = await announce(submission);
    const unknown = `${submission}/files/${built.form.uuid}`;
    const stale = { 'If-Match': '"x"' };
    for (const [file, status] of [[pending, 412] as const, [stored, 412] as const, [unknown, 404] as const]) {
      expect((await own.post(`${file}/commit`, undefined, stale)).status).toBe(status);
      expect((await own.delete(file, stale)).status).toBe(status);
    }
    await setValue(submission, 'cv', value);
    expect((await own.patch(submission, { status: 'completed' })).status).toBe(200);
    for (const { status, body } of [await own.post(`${pending}/commit`), await upload(pending, PDF)])
      expect([status, body.message]).toEqual([422, 'The submission is already completed.']);
    expect((await own.post(`${stored}/commit`)).status).toBe(200);
  });

  it('can be committed during a second upload, and neither fails', async () => {
    const file = await uploadFile(own, await draft());
    const { hostname, port } = new URL(use.service.url);
    const headers = { ...authorization, 'Transfer-Encoding': 'chunked' };
    const second = http.request({ hostname, port, method: 'PUT', path: `${file}/content`, headers });
    const uploaded = once(second, 'response');
    second.write(PDF.subarray(0, 5));
    await eventually('the second upload', async () => (await readdir(incomingOf(file))).length === 2);
    expect((await own.post(`${file}/commit`)).body.data.state).toBe('stored');
    second.end(PDF.subarray(5));
    const [response] = (await uploaded) as [http.IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(204);
    expect((await own.get(`${file}/content`)).body).toBe(PDF.toString());
  });

  it('keeps nothing of an upload that ends after the commit', async () => {
    const file = await uploadFile(own, await draft());
    const late = new PassThrough();
    expect((await own.post(`${file}/commit`)).body.data.state).toBe('stored');
    // The service accepted this upload before the commit, but creates the upload's folder after the commit.
    const directory = new DirectoryStorage(new URL(storage.url));
    const written = directory.write(uuidOf(file), late, new AbortController().signal);
    late.end(PDF);
    await written;
    expect(existsSync(incomingOf(file))).toBe(false);
    expect((await own.get(`${file}/content`)).body).toBe(PDF.toString());
  });

  it('is read in ranges', async () => {
    const { file } = await storedFile();
    const read = (range: string, more = {}) => own.get(`${file}/content`, { Range: range, ...more });
    const part = await read('bytes=1-3');
    expect([part.status, part.body, part.headers.get('Content-Range')]).toEqual([
      ...[206, 'PDF', `bytes 1-3/${PDF.length}`],
    ]);
    expect((await read('bytes=-3')).body).toBe(PDF.subarray(-3).toString());
    // A suffix longer than the file returns the whole file (RFC 9110, section 14.1.2).
    const end = await read('bytes=-1000');
    expect([end.status, end.body, end.headers.get('Content-Range')]).toEqual([
      ...[206, PDF.toString(), `bytes 0-${PDF.length - 1}/${PDF.length}`],
    ]);
    const beyond = await read('bytes=1000-');
    expect([beyond.status, beyond.headers.get('Content-Range')]).toEqual([416, `bytes */${PDF.length}`]);
    const etag = part.headers.get('ETag') ?? '';
    expect((await read('bytes=1-3', { 'If-Range': etag })).status).toBe(206);
    for (const all of [
      await read('bytes=1-3', { 'If-Range': '"x"' }),
      await read('lines=1-3'),
      await read('bytes=3-1'),
      await read('bytes=-'),
    ])
      expect([all.status, all.body]).toEqual([200, PDF.toString()]);
  });

  it('causes 409 if any of the requested bytes are lost', async () => {
    const { file, uuid } = await storedFile();
    const kept = (await readdir(storage.folder, { recursive: true })).find((name) => name.endsWith(uuid))!;
    await truncate(path.join(storage.folder, kept), 5);
    const read = (headers = {}) => own.get(`${file}/content`, headers);
    expect((await read()).status).toBe(409);
    expect((await read({ Range: 'bytes=3-7' })).status).toBe(409);
    expect((await read({ Range: 'bytes=1-3' })).body).toBe(PDF.subarray(1, 4).toString());
  });

  it('is deleted with its bytes when its value is replaced or emptied, or its record or draft is deleted', async () => {
    const submission = await draft();
    const record = (await own.post(`${submission}/records`, { entity: 'expense' })).body.data.id as number;
    const [first, second, third, photo] = [
      await storeFile(own, submission),
      await storeFile(own, submission),
      await storeFile(own, submission, PDF, { field_code: 'receipt', entity_record_id: record }),
      await storeFile(own, submission, PDF, { field_code: 'photo' }),
    ];
    const there = async () => {
      await work();
      const names = await storage.uuids();
      return [first, second, third, photo].map(({ uuid }) => names.includes(uuid));
    };
    await setValue(submission, 'cv', first.value);
    await setValue(submission, 'cv', first.value);
    await setValue(submission, 'receipt', third.value, { entity_record_id: record });
    await setValue(submission, 'photo', photo.value);
    expect(await there()).toEqual([true, true, true, true]);
    await setValue(submission, 'cv', second.value);
    expect(await there()).toEqual([false, true, true, true]);
    await setValue(submission, 'cv', '');
    expect(await there()).toEqual([false, false, true, true]);
    await own.delete(`${submission}/records/${record}`);
    expect(await there()).toEqual([false, false, false, true]);
    await own.delete(submission);
    expect(await there()).toEqual([false, false, false, false]);
  });

  it('can be deleted, which deletes its value too', async () => {
    const { submission, file, value } = await storedFile();
    await setValue(submission, 'cv', value);
    const before = await own.get(submission);
    expect((await own.delete(file)).status).toBe(204);
    const after = await own.get(submission);
    expect(after.body.data.values).toEqual([]);
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'));
    expect((await own.get(file)).body).toEqual({ message: 'File not found.' });
  });

  it('is deleted with its value when the administration panel deletes the value by SQL', async () => {
    const { submission, uuid, value } = await storedFile();
    await setValue(submission, 'cv', value);
    await rows('delete from submission_values where value = $1', [value]);
    await work();
    expect(await storage.uuids()).not.toContain(uuid);
  });

  it('rejects a part of the content, and stores none of it (RFC 9110, section 14.5)', async () => {
    const file = await announce(await draft());
    const refused = await upload(file, PDF, {
      'Content-Range': `bytes 0-${PDF.length - 1}/${2 * PDF.length}`,
    });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'The content must be complete: send all of it in one request, without Content-Range.',
    ]);
    expect((await own.post(`${file}/commit`)).body.errors.content[0]).toContain('was not uploaded');
    expect((await upload(file, PDF)).status).toBe(204);
    expect((await own.post(`${file}/commit`)).status).toBe(200);
  });

  it('has the headers of GET in the response to HEAD, which ignores ranges', async () => {
    const content = `${(await storedFile()).file}/content`;
    const get = await own.get(content);
    for (const more of [{}, { Range: 'bytes=1-3' }, { Range: 'bytes=1000-' }]) {
      const headers = { ...authorization, ...more };
      const head = await sendHttp(use.service.url, content, { method: 'HEAD', headers });
      expect([head.status, head.body]).toEqual([200, undefined]);
      for (const name of ['content-type', 'content-length', 'content-disposition', 'etag', 'accept-ranges'])
        expect({ [name]: head.headers.get(name) }).toEqual({ [name]: get.headers.get(name) });
    }
  });

  it('is not accessible to other users, not even in their own submissions (S1)', async () => {
    const { uuid, file, value } = await storedFile();
    const { client: other } = await newUser(use);
    const mine = (await other.post('/api/v1/submissions', { form_uuid: built.form.uuid })).body.data.uuid;
    for (const path of [file, `/api/v1/submissions/${mine}/files/${uuid}`])
      for (const { status } of [
        await other.get(path),
        await other.get(`${path}/content`),
        await other.send('PUT', `${path}/content`, 'x'),
        await other.post(`${path}/commit`),
        await other.delete(path),
      ])
        expect(status).toBe(404);
    expect((await other.get(`/api/v1/submissions/${mine}/files`)).body).toEqual({ data: [] });
    const values = [{ field_code: 'cv', value }];
    const refused = await other.post(`/api/v1/submissions/${mine}/values`, { values });
    expect(fieldsOf(refused)).toEqual([422, 'values.0.value']);
  });

  it.each([
    ['page.html', 'text/html', HTML, 'text/html'],
    ['image.svg', 'image/svg+xml', Buffer.from('<svg onload="alert(1)"/>'), 'image/svg+xml'],
    ['a "quoted" ünïcode 文.pdf', 'application/pdf', PDF, 'application/pdf'],
  ])('is returned as an attachment only: %s', async (name, media_type, content, type) => {
    const { file } = await storedFile(content, { field_code: 'photo', name, media_type });
    const { headers } = await own.get(`${file}/content`);
    expect(headers.get('Content-Disposition')).toMatch(/^attachment; filename=/);
    expect([headers.get('Content-Type'), headers.get('X-Content-Type-Options')]).toEqual([type, 'nosniff']);
  });
});

it('the routes of files return 404 that caches do not store if the service has no storage for files', async () => {
  const submission = await draft();
  const file = `${submission}/files/01890000-0000-7000-8000-000000000001`;
  await withServiceOn(use.database, { FILES_URL: '' }, async ({ url }) => {
    const other = client(url, { Authorization: `Bearer ${token}` });
    // The client also checks each response against the OpenAPI document.
    const answers = [
      await other.get(`${submission}/files`),
      await other.post(`${submission}/files`, announcementOf(PDF)),
      await other.get(file),
      await other.delete(file),
      await other.post(`${file}/commit`),
      await other.get(`${file}/content`),
      await other.send('PUT', `${file}/content`, 'x'),
    ];
    for (const { status, body, headers } of answers) {
      const seen = [status, body.message, headers.get('cache-control')];
      expect(seen).toEqual([404, 'Route not found.', 'no-store']);
    }
  });
});

describe('a value of a field for files (U3)', () => {
  it('cannot be other text', async () => {
    const submission = await draft();
    for (const value of ['cv.pdf', 'file:', 'file:../../etc/passwd', `file:${built.form.uuid}`]) {
      expect(fieldsOf(await setValue(submission, 'cv', value))).toEqual([422, 'values.0.value']);
      expect((await setValue(submission, 'name', value)).status).toBe(200);
    }
  });

  it('cannot be a file of another field or record, and a call with one stores nothing', async () => {
    const { submission, value } = await storedFile();
    const record = (await own.post(`${submission}/records`, { entity: 'expense' })).body.data.id as number;
    const receipt = await storeFile(own, submission, PDF, { field_code: 'receipt' });
    const entries = [
      { field_code: 'name', value: 'Ada' },
      { field_code: 'photo', value },
      { field_code: 'receipt', value: receipt.value, entity_record_id: record },
    ];
    const refused = await own.post(`${submission}/values`, { values: entries });
    expect(fieldsOf(refused)).toEqual([422, 'values.1.value', 'values.2.value']);
    expect((await own.get(submission)).body.data.values).toEqual([]);
  });

  it('always refers to an existing file, even if concurrent calls replace and delete it', async () => {
    const submission = await draft();
    const files: Awaited<ReturnType<typeof storeFile>>[] = [];
    while (files.length < 6) files.push(await storeFile(own, submission));
    await Promise.all(
      files.flatMap(({ uuid, value }, index) => [
        setValue(submission, 'cv', value),
        setValue(submission, 'cv', value),
        ...(index % 2 === 0 ? [own.delete(`${submission}/files/${uuid}`)] : []),
        // Another program locks the value before the file, so PostgreSQL may end its statement instead of the service's.
        ...(index % 4 === 1
          ? [rows('delete from submission_values where value = $1', [value]).catch(requireDeadlock)]
          : []),
      ]),
    );
    const [held] = (await own.get(submission)).body.data.values as { value: string }[];
    const left = await rows(`select 'file:' || uuid as value from files where submission_uuid = $1`, [
      uuidOf(submission),
    ]);
    if (held !== undefined) expect(left.map(({ value }) => value)).toContain(held.value);
  });

  it('must be a file for strict completion, not text from before files were enabled (S4)', async () => {
    const submission = await draft();
    await rows(
      `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
       values ($1, $2, $3, false, 'cv.pdf')`,
      [uuidOf(submission), built.form.id, built.fields['cv']!.id],
    );
    expect(fieldsOf(await own.patch(submission, { status: 'completed' }))).toEqual([422, 'cv']);
  });
});

interface SentContent {
  readonly bearer?: string;
  readonly uuid?: string;
  readonly isChunked?: boolean;
  /** The size of the upload. */
  readonly size?: number;
}

describe('limits (U5)', () => {
  const problems = { Accept: 'application/problem+json' };

  const PDF_ONLY = { accept: 'application/pdf, .pdf' };

  it.each([
    [{ field_code: 'none' }, 'field_code', 'unknown_field', {}],
    [{ field_code: 'name' }, 'field_code', 'not_a_file_field', {}],
    [{ size: 1_000_001 }, 'size', 'too_large', { max: 1_000_000, size: 1_000_001 }],
    [{ size: 26_214_401 }, 'size', 'not_an_integer', { min: 1, max: 26_214_400 }],
    [{ size: 0 }, 'size', 'not_an_integer', { min: 1, max: 26_214_400 }],
    [{ name: 'a.exe', media_type: 'image/png' }, 'media_type', 'type_mismatch', PDF_ONLY],
    [{ name: 'cv.html', media_type: 'text/html' }, 'media_type', 'type_mismatch', PDF_ONLY],
    [{ name: '../../etc/passwd' }, 'name', 'malformed_name', {}],
    [{ name: 'a\nb' }, 'name', 'malformed_name', {}],
    [{ sha256: 'abc' }, 'sha256', 'pattern_mismatch', { pattern: '^[0-9a-fA-F]{64}$' }],
    [{ entity_record_id: Number.MAX_SAFE_INTEGER }, 'entity_record_id', 'unknown_record', {}],
  ])('reject an upload with %j', async (more, field, code, params) => {
    const announced = { ...announcementOf(PDF), ...more };
    const { status, body } = await own.post(`${await draft()}/files`, announced, problems);
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ field, code, params })]]);
  });

  it('are 10 files per field, and 20 pending files and 100 MiB per submission, exact under parallel calls', async () => {
    /** Creates an upload of one byte or more for each of these fields, in parallel. Returns the sorted outcomes. */
    const outcomes = async (submission: string, fields: readonly string[], size = 1) => {
      const announced = await Promise.all(
        fields.map((field_code) =>
          own.post(`${submission}/files`, announcementOf(PDF, { field_code, size }), problems),
        ),
      );
      return announced.map(({ status, body }) => body.errors?.[0].code ?? status).sort();
    };
    const times = <T>(count: number, one: T): T[] => Array<T>(count).fill(one);
    const large = await outcomes(await draft(), times(5, 'photo'), 25 * 1024 * 1024);
    expect(large).toEqual([...times(4, 201), 'too_many_bytes']);
    const submission = await draft();
    for (const field_code of times(8, 'cv')) await announce(submission, { field_code });
    expect(await outcomes(submission, times(4, 'cv'))).toEqual([201, 201, ...times(2, 'too_many_files')]);
    for (const field_code of times(4, 'photo')) await announce(submission, { field_code });
    expect(await outcomes(submission, times(4, 'receipt'))).toEqual(times(4, 201));
    const last = await outcomes(submission, ['photo', 'photo', 'receipt', 'receipt']);
    expect(last).toEqual([201, 201, ...times(2, 'too_many_pending')]);
  });

  it('reject content whose size or hash differs from the upload, and store none of it', async () => {
    const file = await announce(await draft());
    expect((await upload(file, Buffer.concat([PDF, PDF]))).status).toBe(413);
    expect((await upload(file, PDF.subarray(1))).body.errors.content[0]).toContain('must have 30 bytes');
    expect((await upload(file, Buffer.alloc(PDF.length))).body.errors.content[0]).toContain('SHA-256');
    expect((await own.post(`${file}/commit`)).body.errors.content[0]).toContain('was not uploaded');
    expect(await storage.uuids()).not.toContain(uuidOf(file));
  });

  it.each([
    ['of an unknown user', 401, { bearer: 'x' }],
    ['of an unknown file', 404, { uuid: '01890000-0000-7000-8000-000000000001' }],
    ['larger than the upload', 413, {}],
    ['larger than the upload, in chunks', 413, { isChunked: true }],
    ['without a storage', 503, { size: 4_000_000 }],
  ])('leave the connection usable for the next request after content %s', async (_, status, sent) => {
    const { bearer = token, uuid, isChunked, size = PDF.length }: SentContent = sent;
    const submission = await draft();
    const file = uuidOf(await announce(submission, { field_code: 'photo', size }));
    const incoming = incomingOf(file);
    // A file in place of the folder makes the upload fail.
    if (status === 503) await writeFile(incoming, '');
    const target = `${submission}/files/${uuid ?? file}/content`;
    const head = `PUT ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bearer}\r\n`;
    const content = Buffer.alloc(4_000_000);
    const framing = isChunked
      ? `Transfer-Encoding: chunked\r\n\r\n${content.length.toString(16)}\r\n`
      : `Content-Length: ${content.length}\r\n\r\n`;
    const second = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const parts = [head + framing, content, (isChunked ? '\r\n0\r\n\r\n' : '') + second];
    const received = await sendRaw(use.service.url, Buffer.concat(parts.map((part) => Buffer.from(part))));
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => Number(code));
    expect(statuses).toEqual([status, 200]);
    await rm(incoming, { recursive: true, force: true });
  });

  it.each([undefined, null, '', 'application/octet-stream', 'Application/VND.ms-excel'])(
    'recognise a CSV file by its name if its upload has the type %j, in any letter case (RFC 9110, section 8.3.1)',
    async (media_type) => {
      const submission = await draft();
      const content = Buffer.from('a,b\n');
      const announced = {
        ...announcementOf(content, { field_code: 'table', name: 'list.csv' }),
        media_type,
      };
      const { status, body } = await own.post(`${submission}/files`, announced);
      const normal = media_type?.toLowerCase() || 'application/octet-stream';
      expect([status, body.data.media_type]).toEqual([201, normal]);
      const file = `${submission}/files/${body.data.uuid}`;
      await upload(file, content);
      const stored = { state: 'stored', media_type: 'text/csv' };
      expect((await own.post(`${file}/commit`)).body.data).toMatchObject(stored);
    },
  );

  it.each([
    ['a program', Buffer.from(`MZ${'\0'.repeat(100)}`), 'portrait', 'image/png'],
    ['HTML', HTML, 'cv', 'application/pdf'],
  ])(
    'reject %s that is uploaded as another type when it is committed',
    async (_, content, field_code, media_type) => {
      const name = media_type.replace('/', '.');
      const file = await uploadFile(own, await draft(), content, { field_code, name, media_type });
      expect(fieldsOf(await own.post(`${file}/commit`))).toEqual([422, 'content']);
    },
  );
});

it('uploads, commits and downloads get 503 while the storage is unavailable (U7)', async () => {
  const { submission, file } = await storedFile();
  const pending = await uploadFile(own, submission);
  const root = path.join(storage.folder, 'files');
  await rename(root, `${root}-away`);
  try {
    // A file in place of the folder makes the storage fail.
    await writeFile(root, '');
    for (const response of [
      await upload(pending, PDF),
      await own.post(`${pending}/commit`),
      await own.get(`${file}/content`),
    ])
      expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5']);
    expect((await own.get(pending)).body.data.state).toBe('pending');
    expect((await use.service.anyone.get('/health/ready')).status).toBe(200);
  } finally {
    await rm(root);
    await rename(`${root}-away`, root);
  }
  expect((await own.post(`${pending}/commit`)).status).toBe(200);
});

describe('an unused file (U7)', () => {
  it('is deleted after 24 hours, unless a value refers to it', async () => {
    const submission = await draft();
    const [pending, unused, held] = [
      uuidOf(await uploadFile(own, submission)),
      (await storeFile(own, submission)).uuid,
      await storeFile(own, submission),
    ];
    await setValue(submission, 'cv', held.value);
    await work();
    expect(await storage.uuids()).toEqual(expect.arrayContaining([pending, unused, held.uuid]));
    await rows(`update files set expires_at = now() where submission_uuid = $1`, [uuidOf(submission)]);
    await work();
    const names = await storage.uuids();
    expect([pending, unused, held.uuid].map((uuid) => names.includes(uuid))).toEqual([false, false, true]);
    expect((await own.get(`${submission}/files/${held.uuid}`)).body.data.state).toBe('stored');
  });

  it('is deleted again an hour later, when every upload has ended', async () => {
    const file = await uploadFile(own, await draft());
    const uuid = uuidOf(file);
    await own.delete(file);
    await work();
    // Create the remains of an upload that was still running during the deletion.
    await mkdir(incomingOf(file));
    await writeFile(path.join(incomingOf(file), 'content'), 'late');
    await rows('update file_deletions set due_at = now(), until = now() where uuid = $1', [uuid]);
    await work();
    expect(await storage.uuids()).not.toContain(uuid);
    expect(await rows('select from file_deletions where uuid = $1', [uuid])).toEqual([]);
  });

  it('is neither read nor deleted through a symbolic link', async () => {
    const { file, uuid } = await storedFile();
    const kept = path.join(storage.folder, 'files/files', uuid.slice(-2), uuid);
    const target = path.join(storage.folder, 'target');
    await writeFile(target, 'secret');
    await rows('update file_deletions set due_at = now()');
    await work();
    await rm(kept);
    await symlink(target, kept);
    expect((await own.get(`${file}/content`)).status).toBe(503);
    await own.delete(file);
    await work();
    expect([existsSync(kept), existsSync(target)]).toEqual([false, true]);
  });
});

/** Sends a request with `Expect: 100-continue`, and the body only after a response of 100, which sets `isAsked`. */
async function exchange(
  method: string,
  path: string,
  headers: http.OutgoingHttpHeaders,
  body = Buffer.alloc(0),
) {
  const { hostname, port } = new URL(use.service.url);
  const request = http.request({
    ...{ hostname, port, method, path, agent: new http.Agent({ keepAlive: true }) },
    headers: { ...authorization, ...headers, Expect: '100-continue' },
  });
  let isAsked = false;
  request.on('continue', () => {
    isAsked = true;
    request.end(body);
  });
  request.flushHeaders();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  response.resume();
  await once(response, 'end');
  request.destroy();
  return { status: response.statusCode, isAsked, connection: response.headers.connection };
}

describe('a request with Expect: 100-continue', () => {
  let submission: string;
  beforeAll(async () => {
    submission = await draft();
  });

  const json = { 'Content-Type': 'application/json' };

  it('gets 100 if the body is read, and the connection stays open', async () => {
    const file = await announce(submission);
    const uploaded = await exchange('PUT', `${file}/content`, { 'Content-Length': PDF.length }, PDF);
    expect(uploaded).toEqual({ status: 204, isAsked: true, connection: 'keep-alive' });
    const chunked = await exchange('PUT', `${file}/content`, { 'Transfer-Encoding': 'chunked' }, PDF);
    expect(chunked).toMatchObject({ status: 204, isAsked: true });
    const values = Buffer.from('{"values":[]}');
    const headers = { ...json, 'Content-Length': values.length };
    const stored = await exchange('POST', `${submission}/values`, headers, values);
    expect(stored).toEqual({ status: 200, isAsked: true, connection: 'keep-alive' });
  });

  it.each<[string, string, string, number, http.OutgoingHttpHeaders]>([
    ['25 GiB of content', 'PUT', 'content', 413, { 'Content-Length': 26_843_545_600 }],
    ['too much content', 'PUT', 'content', 413, { 'Content-Length': PDF.length + 1 }],
    ['too little content', 'PUT', 'content', 422, { 'Content-Length': PDF.length - 1 }],
    ['more than 1 MiB', 'POST', 'values', 413, { ...json, 'Content-Length': 1_048_577 }],
    ['another type', 'POST', 'values', 415, { 'Content-Type': 'text/plain', 'Content-Length': 10 }],
    ['no valid token', 'POST', 'values', 401, { 'Content-Length': 10, Authorization: 'Bearer none' }],
    ['an unknown path', 'POST', 'nothing', 404, { ...json, 'Content-Length': 10 }],
  ])('gets the error of a request with %s, and no 100', async (_, method, name, status, headers) => {
    const path = method === 'PUT' ? await announce(submission) : submission;
    const answer = await exchange(method, `${path}/${name}`, headers);
    expect(answer).toEqual({ status, isAsked: false, connection: 'close' });
  });

  it('gets one response if the body is not read, and nothing after it', async () => {
    const head = `GET ${submission} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization.Authorization}\r\n`;
    const received = await sendRaw(
      use.service.url,
      `${head}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n{}GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });
});

function requireDeadlock(error: unknown): void {
  if (!isDeadlock(error)) throw error;
}
