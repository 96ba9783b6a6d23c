import { pathToFileURL } from 'node:url';
import { announcementOf, PDF } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { sendRaw } from '../support/raw.js';
import { SmallDisk } from './support/small-disk.js';
import { startOn, useFaults } from './support/use-service.js';

const use = useFaults();

(SmallDisk.isPossible ? it : it.skip)(
  'with a full disk for files, rejects only uploads, and accepts them again when there is space',
  async () => {
    const disk = new SmallDisk(8);
    try {
      const service = await startOn(use, { FILES_URL: pathToFileURL(`${disk.directory}/files`).href });
      const { form } = await buildForm(use.database.dataSource, { steps: [{ cv: { type: 'file' } }] });
      const draft = await service.own.post('/api/v1/submissions', { form_uuid: form.uuid });
      const submission = `/api/v1/submissions/${draft.body.data.uuid}`;
      const { body } = await service.own.post(`${submission}/files`, announcementOf(PDF));
      const file = `${submission}/files/${body.data.uuid}`;
      const large = Buffer.alloc(4_000_000);
      const announced = await service.own.post(`${submission}/files`, announcementOf(large));
      const put = () => service.own.send('PUT', `${file}/content`, new Uint8Array(PDF));
      disk.fill();
      const full = await put();
      expect([full.status, full.headers.get('Retry-After')]).toEqual([503, '5']);
      expect((await service.own.get('/health/ready')).status).toBe(200);
      // The rest of a rejected body must not disturb the next request on the connection.
      const received = await sendRaw(
        service.url,
        Buffer.concat([
          Buffer.from(
            `PUT ${submission}/files/${announced.body.data.uuid}/content HTTP/1.1\r\nHost: x\r\n` +
              `Authorization: Bearer ${use.plainToken}\r\nContent-Length: ${large.length}\r\n\r\n`,
          ),
          large,
          Buffer.from('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
        ]),
      );
      expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['503', '200']);
      disk.free();
      expect((await put()).status).toBe(204);
      expect((await service.own.post(`${file}/commit`)).status).toBe(200);
      service.child.kill('SIGKILL');
      await service.ended;
    } finally {
      disk.remove();
    }
  },
);
