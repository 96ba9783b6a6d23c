import { isDeadlock } from '../../src/database/database-errors.js';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { DirectoryStorage } from '../../src/files/storage/directory.storage.js';
import { client, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { announcementOf, filesFolder, PDF, storeFile, uploadFile } from '../support/files.js';
import { buildEntity, buildForm, type BuiltForm } from '../support/forms.js';
import { sendRaw } from '../support/raw.js';
import { newUser, type Service, startService, withServiceOn } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';
import { itOnOneServer as it } from '../support/it-on-one-server.js';

const HTML = Buffer.from('<!doctype html><script>alert(document.domain)</script>');

let storage: ReturnType<typeof filesFolder>;
let database: TestDatabase;
let service: Service;
let own: Client;
let token: string;
let built: BuiltForm;

beforeAll(async () => {
  storage = filesFolder();
  database = await testDatabase();
  service = await startService(database, { FILES_URL: storage.url });
  ({ client: own, plainToken: token } = await newUser({ database, service }));
  built = await buildForm(database.dataSource, {
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
  });
  await buildEntity(database.dataSource, built, { name: 'expense', isRepeatable: true }, ['receipt']);
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await storage.remove();
});

async function draft(): Promise<string> {
  const { body } = await own.post('/api/v1/submissions', { form_uuid: built.form.uuid });
  return `/api/v1/submissions/${body.data.uuid}`;
}

const setValue = (submission: string, field_code: string, value: string, more: object = {}) =>
  own.post(`${submission}/values`, { values: [{ field_code, value, ...more }] });

/** Does all due work for files now. A server does this work every two seconds. */
const work = () => service.workOnFiles();

const rows = (sql: string, parameters: unknown[] = []) =>
  database.dataSource.query<Record<string, unknown>[]>(sql, parameters);

describe('a file, from its announcement to its deletion (U2, U3, U4)', () => {
  it('is announced, uploaded, committed, stored as the value of its field, and read', async () => {
    const submission = await draft();
    const announced = await own.post(`${submission}/files`, announcementOf(PDF));
    const { uuid } = announced.body.data;
    expect(announced.status).toBe(201);
    expect(announced.headers.get('Location')).toBe(`${service.url}${submission}/files/${uuid}`);
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
        url: `${service.url}${submission}/files/${uuid}/content`,
        headers: {},
        expires_at: expect.stringMatching(/Z$/) as string,
      },
    });
    const file = `${submission}/files/${uuid}`;
    expect((await setValue(submission, 'cv', `file:${uuid}`)).body.errors).toEqual({
      'values.0.value': ['The file of cv has not been committed yet.'],
    });
    expect((await own.get(`${file}/content`)).status).toBe(409);
    expect((await own.send('PUT', `${file}/content`, new Uint8Array(PDF))).status).toBe(204);
    const committed = await own.post(`${file}/commit`);
    expect(committed).toMatchObject({ status: 200, body: { data: { state: 'stored', is_ready: true } } });
    expect((await own.post(`${file}/commit`)).body).toEqual(committed.body);
    expect((await own.get(file)).body).toEqual(committed.body);
    expect((await own.get(`${submission}/files`)).body).toEqual({ data: [committed.body.data] });
    expect((await own.send('PUT', `${file}/content`, new Uint8Array(PDF))).body.message).toContain(
      'stored already',
    );
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
    const submission = await draft();
    const pending = `${submission}/files/${(await own.post(`${submission}/files`, announcementOf(PDF))).body.data.uuid}`;
    const stored = `${submission}/files/${(await storeFile(own, submission)).uuid}`;
    const unknown = `${submission}/files/${built.form.uuid}`;
    const stale = { 'If-Match': '"x"' };
    for (const [file, status] of [[pending, 412] as const, [stored, 412] as const, [unknown, 404] as const]) {
      expect((await own.post(`${file}/commit`, undefined, stale)).status).toBe(status);
      expect((await own.delete(file, stale)).status).toBe(status);
    }
    await setValue(submission, 'cv', `file:${stored.split('/').at(-1)}`);
    expect((await own.patch(submission, { status: 'completed' })).status).toBe(200);
    expect((await own.post(`${pending}/commit`)).body.message).toBe('The submission is already completed.');
    const { status, body } = await own.send('PUT', `${pending}/content`, new Uint8Array(PDF));
    expect([status, body.message]).toEqual([422, 'The submission is already completed.']);
    expect((await own.post(`${stored}/commit`)).status).toBe(200);
  });

  it('can be committed during a second upload, and neither fails', async () => {
    const submission = await draft();
    const file = await uploadFile(own, submission);
    const { hostname, port } = new URL(service.url);
    const headers = { Authorization: `Bearer ${token}`, 'Transfer-Encoding': 'chunked' };
    const upload = http.request({ hostname, port, method: 'PUT', path: `${file}/content`, headers });
    const uploaded = once(upload, 'response');
    upload.write(PDF.subarray(0, 5));
    const incoming = path.join(storage.folder, 'files', 'incoming', file.split('/').at(-1) ?? '');
    await eventually('the second upload', async () => (await readdir(incoming)).length === 2);
    expect((await own.post(`${file}/commit`)).body.data.state).toBe('stored');
    upload.end(PDF.subarray(5));
    const [response] = (await uploaded) as [http.IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(204);
    expect((await own.get(`${file}/content`)).body).toBe(PDF.toString());
  });

  it('keeps nothing of an upload that ends after the commit', async () => {
    const file = await uploadFile(own, await draft());
    const uuid = file.split('/').at(-1) ?? '';
    const late = new PassThrough();
    const storages = new DirectoryStorage(new URL(storage.url));
    expect((await own.post(`${file}/commit`)).body.data.state).toBe('stored');
    // The service accepted this upload before the commit, but creates the upload's folder after the commit.
    const written = storages.write(uuid, late, new AbortController().signal);
    late.end(PDF);
    await written;
    expect(existsSync(path.join(storage.folder, 'files', 'incoming', uuid))).toBe(false);
    expect((await own.get(`${file}/content`)).body).toBe(PDF.toString());
  });

  it('is read in ranges', async () => {
    const submission = await draft();
    const { uuid } = await storeFile(own, submission);
    const read = (range: string, more = {}) =>
      own.get(`${submission}/files/${uuid}/content`, { Range: range, ...more });
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
    const submission = await draft();
    const { uuid } = await storeFile(own, submission);
    const kept = (await readdir(storage.folder, { recursive: true })).find((name) => name.endsWith(uuid))!;
    await truncate(path.join(storage.folder, kept), 5);
    const read = (headers = {}) => own.get(`${submission}/files/${uuid}/content`, headers);
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
    const submission = await draft();
    const { uuid, value } = await storeFile(own, submission);
    await setValue(submission, 'cv', value);
    const before = await own.get(submission);
    expect((await own.delete(`${submission}/files/${uuid}`)).status).toBe(204);
    const after = await own.get(submission);
    expect(after.body.data.values).toEqual([]);
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'));
    expect((await own.get(`${submission}/files/${uuid}`)).body).toEqual({ message: 'File not found.' });
  });

  it('is deleted with its value when the administration panel deletes the value by SQL', async () => {
    const submission = await draft();
    const { uuid, value } = await storeFile(own, submission);
    await setValue(submission, 'cv', value);
    await rows('delete from submission_values where value = $1', [value]);
    await work();
    expect(await storage.uuids()).not.toContain(uuid);
  });

  it('is not accessible to other users (S1)', async () => {
    const submission = await draft();
    const { uuid } = await storeFile(own, submission);
    const { client: other } = await newUser({ database, service });
    const mine = (await other.post('/api/v1/submissions', { form_uuid: built.form.uuid })).body.data.uuid;
    for (const holder of [submission, `/api/v1/submissions/${mine}`]) {
      const file = `${holder}/files/${uuid}`;
      const answers = [
        await other.get(file),
        await other.get(`${file}/content`),
        await other.send('PUT', `${file}/content`, 'x'),
        await other.post(`${file}/commit`),
        await other.delete(file),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    }
    expect((await other.get(`${submission}/files`)).status).toBe(404);
    expect((await other.get(`/api/v1/submissions/${mine}/files`)).body).toEqual({ data: [] });
    expect((await other.post(`${submission}/files`, announcementOf(PDF))).status).toBe(404);
    const values = [{ field_code: 'cv', value: `file:${uuid}` }];
    const refused = await other.post(`/api/v1/submissions/${mine}/values`, { values });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['values.0.value']]);
    expect((await client(service.url).get(`${submission}/files/${uuid}/content`)).status).toBe(401);
  });
});

it('the routes of files return 404 that caches do not store if the service has no storage for files', async () => {
  const submission = await draft();
  const file = `${submission}/files/01890000-0000-7000-8000-000000000001`;
  await withServiceOn(database, { FILES_URL: '' }, async ({ url }) => {
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
    for (const { status, body, headers } of answers)
      expect([status, body.message, headers.get('cache-control')]).toEqual([
        404,
        'Route not found.',
        'no-store',
      ]);
  });
});

describe('a value of a field for files (U3)', () => {
  it.each(['cv.pdf', 'file:', 'file:../../etc/passwd', 'file:01890000-0000-7000-8000-000000000001'])(
    'cannot be %j',
    async (value) => {
      const submission = await draft();
      const { status, body } = await setValue(submission, 'cv', value);
      expect([status, Object.keys(body.errors)]).toEqual([422, ['values.0.value']]);
      expect((await setValue(submission, 'name', value)).status).toBe(200);
    },
  );

  it('cannot be a file of another field or record, and a call with one stores nothing', async () => {
    const submission = await draft();
    const record = (await own.post(`${submission}/records`, { entity: 'expense' })).body.data.id as number;
    const { value } = await storeFile(own, submission);
    const receipt = await storeFile(own, submission, PDF, { field_code: 'receipt' });
    const entries = [
      { field_code: 'name', value: 'Ada' },
      { field_code: 'photo', value },
      { field_code: 'receipt', value: receipt.value, entity_record_id: record },
    ];
    const { status, body } = await own.post(`${submission}/values`, { values: entries });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['values.1.value', 'values.2.value']]);
    expect((await own.get(submission)).body.data.values).toEqual([]);
  });

  it('always refers to an existing file, even if concurrent calls replace and delete it', async () => {
    const submission = await draft();
    const files = await Promise.all(Array.from({ length: 8 }, () => storeFile(own, submission)));
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
      submission.split('/').at(-1),
    ]);
    if (held !== undefined) expect(left.map(({ value }) => value)).toContain(held.value);
  });

  it('must be a file for strict completion, not text from before files were enabled (S4)', async () => {
    const submission = await draft();
    await rows(
      `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, value)
       values ($1, $2, $3, false, 'cv.pdf')`,
      [submission.split('/').at(-1), built.form.id, built.fields['cv']!.id],
    );
    const { status, body } = await own.patch(submission, { status: 'completed' });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['cv']]);
  });
});

describe('limits (U5)', () => {
  const problems = { Accept: 'application/problem+json' };

  it.each([
    [{ field_code: 'none' }, 'field_code', 'unknown_field', {}],
    [{ field_code: 'name' }, 'field_code', 'not_a_file_field', {}],
    [{ size: 1_000_001 }, 'size', 'too_large', { max: 1_000_000, size: 1_000_001 }],
    [{ size: 26_214_401 }, 'size', 'not_an_integer', { min: 1, max: 26_214_400 }],
    [{ size: 0 }, 'size', 'not_an_integer', { min: 1, max: 26_214_400 }],
    [
      { name: 'a.exe', media_type: 'image/png' },
      'media_type',
      'type_mismatch',
      { accept: 'application/pdf, .pdf' },
    ],
    [{ name: '../../etc/passwd' }, 'name', 'malformed_name', {}],
    [{ name: 'a\nb' }, 'name', 'malformed_name', {}],
    [{ sha256: 'abc' }, 'sha256', 'pattern_mismatch', { pattern: '^[0-9a-fA-F]{64}$' }],
    [{ entity_record_id: Number.MAX_SAFE_INTEGER }, 'entity_record_id', 'unknown_record', {}],
  ])('reject an announcement with %j', async (more, field, code, params) => {
    const { status, body } = await own.post(
      `${await draft()}/files`,
      { ...announcementOf(PDF), ...more },
      problems,
    );
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ field, code, params })]]);
  });

  it('are 10 files per field, and 20 pending files and 100 MiB per submission, exact under parallel calls', async () => {
    const submission = await draft();
    const announce = (field_code: string, size: number) =>
      own.post(`${submission}/files`, announcementOf(PDF, { field_code, size }), problems);
    const outcomes = async (count: number, field_code: string, size = 1) => {
      const answers = await Promise.all(Array.from({ length: count }, () => announce(field_code, size)));
      const codes = answers.map(
        ({ body }) => (body.errors as { code: string }[] | undefined)?.[0]?.code ?? 'created',
      );
      return Object.fromEntries(
        [...new Set(codes)].map((code) => [code, codes.filter((one) => one === code).length]),
      );
    };
    expect(await outcomes(5, 'photo', 25 * 1024 * 1024)).toEqual({ created: 4, too_many_bytes: 1 });
    const other = await draft();
    const files = Promise.all(
      Array.from({ length: 13 }, () => own.post(`${other}/files`, announcementOf(PDF), problems)),
    );
    expect((await files).filter(({ status }) => status === 201)).toHaveLength(10);
    const more = Promise.all(
      Array.from({ length: 13 }, (_, index) =>
        own.post(
          `${other}/files`,
          announcementOf(PDF, { field_code: index < 6 ? 'photo' : 'receipt' }),
          problems,
        ),
      ),
    );
    expect((await more).filter(({ status }) => status === 201)).toHaveLength(10);
    const last = await own.post(`${other}/files`, announcementOf(PDF, { field_code: 'photo' }), problems);
    expect(last.body.errors[0].code).toBe('too_many_pending');
  });

  it('reject content that differs from the announcement in size or hash, and store none of it', async () => {
    const submission = await draft();
    const { body } = await own.post(`${submission}/files`, announcementOf(PDF));
    const file = `${submission}/files/${body.data.uuid}`;
    const put = (content: Buffer) => own.send('PUT', `${file}/content`, new Uint8Array(content));
    expect((await put(Buffer.concat([PDF, PDF]))).status).toBe(413);
    expect((await put(PDF.subarray(1))).body.errors.content[0]).toContain('must have the');
    expect((await put(Buffer.alloc(PDF.length))).body.errors.content[0]).toContain('SHA-256');
    expect((await own.post(`${file}/commit`)).body.errors.content[0]).toContain('was not uploaded');
    expect(await storage.uuids()).not.toContain(body.data.uuid);
  });

  it.each([
    'unauthenticated',
    'unknown',
    'stored already',
    'larger than announced',
    'larger than announced, in chunks',
    'without a storage',
  ] as const)('leave the connection usable for the next request after content that is %s', async (reason) => {
    const submission = await draft();
    const content = Buffer.alloc(4_000_000);
    const announced =
      reason === 'without a storage' ? announcementOf(content, { field_code: 'photo' }) : announcementOf(PDF);
    const pending = (await own.post(`${submission}/files`, announced)).body.data.uuid as string;
    const stored = (await storeFile(own, submission)).uuid;
    const uuid = { unknown: built.form.uuid, 'stored already': stored }[reason as string] ?? pending;
    const sent = reason === 'unauthenticated' ? 'x' : token;
    const head = `PUT ${submission}/files/${uuid}/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${sent}\r\n`;
    const second = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const incoming = path.join(storage.folder, 'files', 'incoming', pending);
    // A file in place of the folder makes the upload fail.
    if (reason === 'without a storage') await writeFile(incoming, '');
    const received = await sendRaw(
      service.url,
      Buffer.concat([
        ...(reason === 'larger than announced, in chunks'
          ? [
              Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${content.length.toString(16)}\r\n`),
              content,
              Buffer.from('\r\n0\r\n\r\n'),
            ]
          : [Buffer.from(`${head}Content-Length: ${content.length}\r\n\r\n`), content]),
        Buffer.from(second),
      ]),
    );
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    const status = {
      unauthenticated: 401,
      unknown: 404,
      'stored already': 422,
      'larger than announced': 413,
      'larger than announced, in chunks': 413,
      'without a storage': 503,
    }[reason];
    expect(statuses).toEqual([status, 200]);
    await rm(incoming, { recursive: true, force: true });
  });

  it('treat media types as case-insensitive (RFC 9110, section 8.3.1)', async () => {
    const text = announcementOf(Buffer.from('a'), { field_code: 'photo', media_type: 'Text/CSV' });
    const { body } = await own.post(`${await draft()}/files`, text);
    expect(body.data.media_type).toBe('text/csv');
  });

  it.each([undefined, null, '', 'application/octet-stream', 'application/vnd.ms-excel'])(
    'recognise a CSV file by its name if it is announced as %j',
    async (media_type) => {
      const submission = await draft();
      const announced = {
        ...announcementOf(Buffer.from('a,b\n'), { field_code: 'table', name: 'list.csv' }),
        media_type,
      };
      const { status, body } = await own.post(`${submission}/files`, announced);
      expect([status, body.data.media_type]).toEqual([201, media_type || 'application/octet-stream']);
      const file = `${submission}/files/${body.data.uuid}`;
      await own.send('PUT', `${file}/content`, 'a,b\n');
      expect((await own.post(`${file}/commit`)).body.data).toMatchObject({
        state: 'stored',
        media_type: 'text/csv',
      });
    },
  );

  it('reject a program that is announced as an image at its commit, and HTML at its announcement', async () => {
    const submission = await draft();
    const more = { field_code: 'portrait', name: 'me.png' };
    const program = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(100)]);
    const file = await uploadFile(own, submission, program, { ...more, media_type: 'image/png' });
    const committed = await own.post(`${file}/commit`);
    expect([committed.status, Object.keys(committed.body.errors)]).toEqual([422, ['content']]);
    const announced = announcementOf(HTML, { ...more, media_type: 'text/html' });
    const refused = await own.post(`${submission}/files`, announced);
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['media_type']]);
  });

  it('reject content of a type that the field does not accept, regardless of the name', async () => {
    const submission = await draft();
    const file = await uploadFile(own, submission, HTML);
    const { status, body } = await own.post(`${file}/commit`);
    expect([status, Object.keys(body.errors)]).toEqual([422, ['content']]);
  });

  it.each([
    ['page.html', 'text/html', HTML, 'text/html'],
    ['image.svg', 'image/svg+xml', Buffer.from('<svg onload="alert(1)"/>'), 'image/svg+xml'],
    ['a "quoted" ünïcode 文.pdf', 'application/pdf', PDF, 'application/pdf'],
  ])('return %s as an attachment only', async (name, media_type, content, type) => {
    const submission = await draft();
    const { uuid } = await storeFile(own, submission, content, { field_code: 'photo', name, media_type });
    const { headers } = await own.get(`${submission}/files/${uuid}/content`);
    expect(headers.get('Content-Disposition')).toMatch(/^attachment; filename=/);
    expect([headers.get('Content-Type'), headers.get('X-Content-Type-Options')]).toEqual([type, 'nosniff']);
  });
});

it('uploads, commits and downloads get 503 while the storage is unavailable (U7)', async () => {
  const submission = await draft();
  const [pending, stored] = [await uploadFile(own, submission), await storeFile(own, submission)];
  const root = path.join(storage.folder, 'files');
  await rename(root, `${root}-away`);
  try {
    // A file in place of the folder makes the storage fail.
    await writeFile(root, '');
    for (const response of [
      await own.send('PUT', `${pending}/content`, new Uint8Array(PDF)),
      await own.post(`${pending}/commit`),
      await own.get(`${submission}/files/${stored.uuid}/content`),
    ])
      expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5']);
    expect((await own.get(pending)).body.data.state).toBe('pending');
    expect((await service.anyone.get('/health/ready')).status).toBe(200);
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
      (await uploadFile(own, submission)).split('/').at(-1) ?? '',
      (await storeFile(own, submission)).uuid,
      await storeFile(own, submission),
    ];
    await setValue(submission, 'cv', held.value);
    await work();
    expect(await storage.uuids()).toEqual(expect.arrayContaining([pending, unused, held.uuid]));
    await rows(`update files set expires_at = now() where submission_uuid = $1`, [
      submission.split('/').at(-1),
    ]);
    await work();
    const names = await storage.uuids();
    expect([pending, unused, held.uuid].map((uuid) => names.includes(uuid))).toEqual([false, false, true]);
    expect((await own.get(`${submission}/files/${held.uuid}`)).body.data.state).toBe('stored');
  });

  it('is deleted again an hour later, when every upload has ended', async () => {
    const submission = await draft();
    const file = await uploadFile(own, submission);
    const uuid = file.split('/').at(-1) ?? '';
    await own.delete(file);
    await work();
    // Create the remains of an upload that was still running during the deletion.
    const incoming = path.join(storage.folder, 'files/incoming', uuid);
    await mkdir(incoming);
    await writeFile(path.join(incoming, 'content'), 'late');
    await rows('update file_deletions set due_at = now(), until = now() where uuid = $1', [uuid]);
    await work();
    expect(await storage.uuids()).not.toContain(uuid);
    expect(await rows('select from file_deletions where uuid = $1', [uuid])).toEqual([]);
  });

  it('is neither read nor deleted through a symbolic link', async () => {
    const submission = await draft();
    const { uuid } = await storeFile(own, submission);
    const kept = path.join(storage.folder, 'files/files', uuid.slice(-2), uuid);
    const target = path.join(storage.folder, 'target');
    await writeFile(target, 'secret');
    await rows('update file_deletions set due_at = now()');
    await service.workOnFiles();
    await rm(kept);
    await symlink(target, kept);
    expect((await own.get(`${submission}/files/${uuid}/content`)).status).toBe(503);
    await own.delete(`${submission}/files/${uuid}`);
    await work();
    expect([existsSync(kept), existsSync(target)]).toEqual([false, true]);
  });
});

function requireDeadlock(error: unknown): void {
  if (!isDeadlock(error)) throw error;
}
