import { readFileSync } from 'node:fs';
import path from 'node:path';
import { importForms } from '../src/forms/definitions/import-forms.js';
import { filesFolder, storeFile } from './support/files.js';
import { onOneServer as describe } from './support/it-on-one-server.js';
import { newUser, useService } from './support/service.js';

const ROOT = path.resolve(__dirname, '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const useIt = read('docs/quickstart.md');
/** The request bodies of the quick start that store values, before the shell inserts its variables. */
const stored = [...useIt.matchAll(/-d '(\{"values": .*?\]\})'/gs)].map(([, body = '']) => body);
const [, announced = ''] = /-d '(\{"field_code": .*?\})'/.exec(useIt) ?? [];
const [, content = ''] = /printf '(.*?)' > "\$CV"/.exec(useIt) ?? [];

it('the quick start writes to temporary files only, so that it leaves nothing in the checkout', () => {
  const shell = [...useIt.matchAll(/```sh$(.*?)```/gms)].map(([, lines = '']) => lines).join('\n');
  expect([...shell.matchAll(/(?<![=<>])>+ *(\S+)|(?:^| )-[oO]\b/g)].map(([, target]) => target)).toEqual([
    '"$CV"',
  ]);
  expect(shell).toContain('CV=$(mktemp)');
});

describe('the quick start', () => {
  const storage = filesFolder();
  const use = useService({ FILES_URL: storage.url });
  afterAll(() => storage.remove());

  it('stores and uploads enough to complete a submission of a strict form', async () => {
    const text = read('examples/forms/job-application.json');
    const { forms } = await importForms(use.database.dataSource, [{ name: 'job-application.json', text }]);
    const [form] = forms;
    const { client } = await newUser(use);
    const { body } = await client.post('/api/v1/submissions', { form_uuid: form!.uuid });
    const submission = `/api/v1/submissions/${body.data.uuid}`;
    const validation = async () => (await client.get(`${submission}/validation`)).body.data;
    const bytes = Buffer.from(content.replace('%%', '%').replace('\\n', '\n'));
    const {
      size,
      sha256: _,
      ...announcement
    } = JSON.parse(announced.replaceAll("'", '')) as { size: number; sha256: string };
    expect(size).toBe(bytes.length);
    const file = await storeFile(client, submission, bytes, announcement);

    expect(stored.length).toBeGreaterThan(3);
    for (const values of stored) {
      expect(await validation()).toMatchObject({ valid: false });
      const body = JSON.parse(values.replace("'$VALUE'", file.value)) as object;
      expect((await client.post(`${submission}/values`, body)).status).toBe(200);
    }
    expect(await validation()).toEqual({ valid: true, errors: {} });
    expect((await client.patch(submission, { status: 'completed' })).status).toBe(200);
  });
});
