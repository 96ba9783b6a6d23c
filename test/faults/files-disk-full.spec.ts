import { pathToFileURL } from 'node:url';
import { announcementOf, PDF } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { SmallDisk } from './support/small-disk.js';
import { startOn, useFaults } from './support/use-service.js';

const use = useFaults();

(SmallDisk.isPossible ? it : it.skip)(
  'with the disk of files full, refuses uploads alone, and takes them when there is space',
  async () => {
    const disk = new SmallDisk(8);
    try {
      const service = await startOn(use, { FILES_URL: pathToFileURL(`${disk.directory}/files`).href });
      const { form } = await buildForm(use.database.dataSource, { steps: [{ cv: { type: 'file' } }] });
      const draft = await service.own.post('/api/v1/submissions', { form_uuid: form.uuid });
      const submission = `/api/v1/submissions/${draft.body.data.uuid}`;
      const { body } = await service.own.post(`${submission}/files`, announcementOf(PDF));
      const file = `${submission}/files/${body.data.uuid}`;
      const put = () => service.own.send('PUT', `${file}/content`, new Uint8Array(PDF));
      disk.fill();
      const full = await put();
      expect([full.status, full.headers.get('Retry-After')]).toEqual([503, '5']);
      expect((await service.own.get('/health/ready')).status).toBe(200);
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
