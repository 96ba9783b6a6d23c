import type { ReadStream } from 'node:fs';
import type { Client } from '../support/client.js';
import { DirectoryStorage } from '../../src/files/storage/directory.storage.js';
import { announcementOf, filesFolder, PDF, storeFile } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { onOneServer as describe } from '../support/it-on-one-server.js';
import { readRaw, sendHttp, sendRaw } from '../support/raw.js';
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
  it('has the headers of GET, whatever the range, and reads nothing of the file', async () => {
    const { uuid } = await storeFile(own, submission);
    const path = `${submission}/files/${uuid}/content`;
    const streams: ReadStream[] = [];
    const readFile = DirectoryStorage.prototype.read;
    const spy = jest.spyOn(DirectoryStorage.prototype, 'read').mockImplementation(async function (
      this: DirectoryStorage,
      ...parameters
    ) {
      const content = await readFile.apply(this, parameters);
      streams.push(content as ReadStream);
      return content;
    });
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
    spy.mockRestore();
    expect(streams.map(({ bytesRead, destroyed }) => [bytesRead, destroyed])).toEqual([
      [PDF.length, true],
      [0, true],
      [0, true],
      [0, true],
    ]);
  });
});
