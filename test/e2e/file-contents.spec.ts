import { once } from 'node:events';
import type { ReadStream } from 'node:fs';
import http from 'node:http';
import type { Client } from '../support/client.js';
import { DirectoryStorage } from '../../src/files/storage/directory.storage.js';
import { announcementOf, filesFolder, PDF, storeFile } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { onOneServer as describe } from '../support/it-on-one-server.js';
import { sendHttp, sendRaw } from '../support/raw.js';
import { newUser } from '../support/service.js';
import { type ServiceInProcess, startServiceInProcess } from '../support/service-in-process.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const storage = filesFolder();
let database: TestDatabase;
let service: ServiceInProcess;
let own: Client;
let authorization: { Authorization: string };
let submission: string;

beforeAll(async () => {
  database = await testDatabase();
  service = await startServiceInProcess(database, { FILES_URL: storage.url });
  const user = await newUser({ database, service });
  own = user.client;
  authorization = { Authorization: `Bearer ${user.plainToken}` };
  const { form } = await buildForm(database.dataSource, { steps: [{ cv: { type: 'file' } }] });
  const { body } = await own.post('/api/v1/submissions', { form_uuid: form.uuid });
  submission = `/api/v1/submissions/${body.data.uuid}`;
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await storage.remove();
});

async function announce(content = PDF): Promise<string> {
  const { body } = await own.post(`${submission}/files`, announcementOf(content));
  return `${submission}/files/${body.data.uuid}`;
}

describe('HEAD …/content', () => {
  it('returns the headers of GET, ignores ranges, and does not read the file', async () => {
    const { uuid } = await storeFile(own, submission);
    const path = `${submission}/files/${uuid}/content`;
    const read = jest.spyOn(DirectoryStorage.prototype, 'read');
    const get = await sendHttp(service.url, path, { headers: authorization });
    for (const more of [{}, { Range: 'bytes=1-3' }, { Range: 'bytes=1000-' }]) {
      const head = await sendHttp(service.url, path, {
        method: 'HEAD',
        headers: { ...authorization, ...more },
      });
      expect([head.status, head.body]).toEqual([200, undefined]);
      for (const name of ['content-type', 'content-length', 'content-disposition', 'etag', 'accept-ranges'])
        expect({ [name]: head.headers.get(name) }).toEqual({ [name]: get.headers.get(name) });
    }
    const streams = (await Promise.all(
      read.mock.results.map(({ value }) => value as unknown),
    )) as ReadStream[];
    read.mockRestore();
    expect(streams.map(({ bytesRead, destroyed }) => [bytesRead, destroyed])).toEqual([
      [PDF.length, true],
      [0, true],
      [0, true],
      [0, true],
    ]);
  });
});

describe('PUT …/content', () => {
  it('rejects a part of the content, and stores none of it (RFC 9110, section 14.5)', async () => {
    const file = await announce();
    const { length } = PDF;
    const put = (headers: Record<string, string>) =>
      own.send('PUT', `${file}/content`, new Uint8Array(PDF), headers);
    const refused = await put({ 'Content-Range': `bytes 0-${length - 1}/${2 * length}` });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'The content must be complete: send all of it in one request, without Content-Range.',
    ]);
    expect((await own.post(`${file}/commit`)).body.errors.content[0]).toContain('was not uploaded');
    expect((await put({})).status).toBe(204);
    expect((await own.post(`${file}/commit`)).status).toBe(200);
  });

  it.each([
    [26_843_545_600, 413],
    [PDF.length + 1, 413],
    [PDF.length - 1, 422],
  ])('rejects content of %d bytes before the client sends any of it', async (length, status) => {
    const file = await announce();
    const answer = await exchange('PUT', `${file}/content`, { 'Content-Length': length });
    expect(answer).toEqual({ status, isAsked: false, connection: 'close' });
  });
});

/** Sends a request with `Expect: 100-continue`, and the body only after a response of 100, which sets `isAsked`. */
async function exchange(
  method: string,
  path: string,
  headers: http.OutgoingHttpHeaders,
  body = Buffer.alloc(0),
) {
  const { hostname, port } = new URL(service.url);
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

describe('Expect: 100-continue', () => {
  const json = { 'Content-Type': 'application/json' };

  it('gets 100 if the body is read, and the connection stays open', async () => {
    const file = await announce();
    const upload = await exchange('PUT', `${file}/content`, { 'Content-Length': PDF.length }, PDF);
    expect(upload).toEqual({ status: 204, isAsked: true, connection: 'keep-alive' });
    const chunked = await exchange('PUT', `${file}/content`, { 'Transfer-Encoding': 'chunked' }, PDF);
    expect(chunked).toMatchObject({ status: 204, isAsked: true });
    const values = Buffer.from('{"values":[]}');
    const stored = await exchange(
      'POST',
      `${submission}/values`,
      { ...json, 'Content-Length': values.length },
      values,
    );
    expect(stored).toEqual({ status: 200, isAsked: true, connection: 'keep-alive' });
  });

  it.each<[string, number, http.OutgoingHttpHeaders]>([
    ['more than 1 MiB', 413, { ...json, 'Content-Length': 1_048_577 }],
    ['another type', 415, { 'Content-Type': 'text/plain', 'Content-Length': 10 }],
    ['no valid token', 401, { ...json, 'Content-Length': 10, Authorization: 'Bearer none' }],
    ['an unknown path', 404, { ...json, 'Content-Length': 10 }],
  ])('gets the error of a request with %s, and no 100', async (what, status, headers) => {
    const path = what === 'an unknown path' ? '/api/v1/none' : `${submission}/values`;
    expect(await exchange('POST', path, headers)).toEqual({ status, isAsked: false, connection: 'close' });
  });

  it('gets one response if the body is not read, and nothing after it', async () => {
    const head = `GET ${submission} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization.Authorization}\r\n`;
    const received = await sendRaw(
      service.url,
      `${head}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n{}GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });
});
