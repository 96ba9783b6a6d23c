import { readFileSync } from 'node:fs';
import path from 'node:path';
import { importForms } from '../src/forms/definitions/import-forms.js';
import { newUser, useService } from './support/service.js';

const ROOT = path.resolve(__dirname, '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const [, useIt = ''] = /^## Use it$(.*?)^## /ms.exec(read('README.md')) ?? [];
/** What the walk-through of the README stores, call by call. */
const stored = [...useIt.matchAll(/-d '(\{"values": .*?\})'/gs)].map(
  ([, body = '']) => JSON.parse(body) as object,
);

describe("the README's walk-through", () => {
  // The file's name alone is the answer, as where files are switched off.
  const use = useService({ FILES_URL: '' });

  it('completes a submission of a form that is strict, with what it stores', async () => {
    const text = read('examples/forms/job-application.json');
    const [form] = await importForms(use.database.dataSource, [{ name: 'job-application.json', text }]);
    const { client } = await newUser(use);
    const { body } = await client.post('/api/v1/submissions', { form_uuid: form!.uuid });
    const submission = `/api/v1/submissions/${body.data.uuid}`;
    const validation = async () => (await client.get(`${submission}/validation`)).body.data;

    expect(stored.length).toBeGreaterThan(2);
    for (const values of stored) {
      expect(await validation()).toMatchObject({ valid: false });
      expect((await client.post(`${submission}/values`, values)).status).toBe(200);
    }
    expect(await validation()).toEqual({ valid: true, errors: {} });
    expect((await client.patch(submission, { status: 'completed' })).status).toBe(200);
  });
});
