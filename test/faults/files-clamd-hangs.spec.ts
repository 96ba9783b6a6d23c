import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { PATIENCE, within } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { filesFolder, storeFile } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { startOn, useFaults } from './support/use-service.js';

const use = useFaults();

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
    const service = await startOn(use, variables);
    const { form } = await buildForm(use.database.dataSource, { steps: [{ cv: { type: 'file' } }] });
    const { body } = await service.own.post('/api/v1/submissions', { form_uuid: form.uuid });
    const submission = `/api/v1/submissions/${body.data.uuid}`;
    const scanned = await storeFile(service.own, submission);
    // The first connection is the ping at the start.
    await eventually('clamd is asked to scan', () => asked > 1, PATIENCE);

    const { uuid } = await storeFile(service.own, submission);
    expect((await service.own.delete(`${submission}/files/${uuid}`)).status).toBe(204);
    await eventually('its bytes are deleted', async () => !(await files.uuids()).includes(uuid), PATIENCE);
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
