import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { pathToFileURL } from 'node:url';
import { PATIENCE, within } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { announcementOf, filesFolder, PDF, storeFile } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { sendRaw } from '../support/raw.js';
import { SmallDisk } from './support/small-disk.js';
import { newDrafts, startOn, useFaults } from './support/use-service.js';

const use = useFaults();

/** Starts a service, and creates a draft with a question for a file. */
async function startWithDraft(variables: Record<string, string>) {
  const service = await startOn(use, variables);
  const built = await buildForm(use.database.dataSource, { steps: [{ cv: { type: 'file' } }] });
  const [submission = ''] = await newDrafts({ built }, service, 1);
  return { service, own: service.own, submission };
}

it('a clamd that never responds delays neither deletions nor the stop (U4, U6)', async () => {
  let asked = 0;
  const clamd = createServer((socket) => {
    asked += 1;
    socket.on('error', () => undefined).resume();
  });
  clamd.listen(0, '127.0.0.1');
  await once(clamd, 'listening');
  const files = filesFolder();
  try {
    const { port } = clamd.address() as AddressInfo;
    const variables = { FILES_URL: files.url, CLAMD_URL: `tcp://127.0.0.1:${port}` };
    const { service, own, submission } = await startWithDraft(variables);
    const scanned = await storeFile(own, submission);
    // The first connection is the ping at the start.
    await eventually('clamd is asked to scan', () => asked > 1, PATIENCE);

    const { uuid } = await storeFile(own, submission);
    expect((await own.delete(`${submission}/files/${uuid}`)).status).toBe(204);
    await eventually('its content is deleted', async () => !(await files.uuids()).includes(uuid), PATIENCE);
    expect(await files.uuids()).toContain(scanned.uuid);

    service.child.kill('SIGTERM');
    expect(await within(service.ended, 'the end')).toEqual({ code: 0, signal: null });
    expect(asked).toBe(2);
    expect(service.stdout + service.stderr).not.toContain('failed');
  } finally {
    clamd.close();
    await files.remove();
  }
});

(SmallDisk.isPossible ? it : it.skip)(
  'with a full disk for files, rejects only uploads, and accepts them again when there is space',
  async () => {
    const disk = new SmallDisk(8);
    try {
      const FILES_URL = pathToFileURL(`${disk.directory}/files`).href;
      const { service, own, submission } = await startWithDraft({ FILES_URL });
      const announce = async (content: Buffer) => {
        const { body } = await own.post(`${submission}/files`, announcementOf(content));
        return `${submission}/files/${body.data.uuid}`;
      };
      const large = Buffer.alloc(4_000_000);
      const [file, largeFile] = [await announce(PDF), await announce(large)];
      const put = () => own.send('PUT', `${file}/content`, new Uint8Array(PDF));
      disk.fill();
      const full = await put();
      expect([full.status, full.headers.get('Retry-After')]).toEqual([503, '5']);
      expect((await own.get('/health/ready')).status).toBe(200);
      // The rest of a rejected body must not disturb the next request on the connection.
      const head =
        `PUT ${largeFile}/content HTTP/1.1\r\nHost: x\r\n` +
        `Authorization: Bearer ${use.plainToken}\r\nContent-Length: ${large.length}\r\n\r\n`;
      const next = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const received = await sendRaw(
        service.url,
        Buffer.concat([Buffer.from(head), large, Buffer.from(next)]),
      );
      expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['503', '200']);
      disk.free();
      expect((await put()).status).toBe(204);
      expect((await own.post(`${file}/commit`)).status).toBe(200);
      service.child.kill('SIGKILL');
      await service.ended;
    } finally {
      disk.remove();
    }
  },
);
