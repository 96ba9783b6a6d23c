import { readFileSync } from 'node:fs';
import path from 'node:path';
import { form } from '../src/forms/forms.examples.js';
import { seed } from '../src/capabilities/definitions/seed.js';
import { importForms } from '../src/capabilities/definitions/import-forms.js';
import { type Answer, client, type Client } from './support/client.js';
import { document } from './support/documented.js';
import { filesFolder, PDF, storeFile, uploadFile } from './support/files.js';
import { onOneServer } from './support/it-on-one-server.js';
import { newUser, useOwnService } from './support/service.js';

const ROOT = path.resolve(__dirname, '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
/** The UUID of the travel expense claim, which the examples of records use. */
const CLAIM = 'a86d1e07-52b9-4f3c-8e14-c07f29b6d583';
/** These need a challenge, the token of a respondent or an unused code, which no example can have. */
const NOT_SENT = new Set(['getChallenge', 'endRespondent', 'createResumeCode', 'resume']);

const requests = Object.entries(document.paths).flatMap(([at, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId, requestBody, responses }]) => {
    if (NOT_SENT.has(operationId)) return [];
    const [success] = Object.keys(responses);
    const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {});
    return [{ method, at, body: example?.value, success }];
  }),
);

const storage = filesFolder();
const use = useOwnService({ FILES_URL: storage.url });
afterAll(() => storage.remove());

onOneServer('the example of each operation of the OpenAPI document', () => {
  let api: Client;

  beforeAll(async () => {
    const { dataSource } = use.database;
    const { plainToken } = await seed(dataSource, ROOT);
    // The example of a new respondent names this form.
    await dataSource.query(`update forms set access = 'public' where uuid = $1`, [form.uuid]);
    api = client(use.service.url, { Authorization: `Bearer ${plainToken}` });
  });

  it.each(requests)('succeeds: $method $at', async ({ method, at, body, success }) => {
    expect(success).toMatch(/^2/);
    const { status } = await send(method, await fillIn(at, method), body);
    expect(String(status)).toBe(success);
  });

  function send(method: string, at: string, body: unknown): Promise<Answer> {
    if (method === 'put')
      return api.send('PUT', at, new Uint8Array(PDF), { 'Content-Type': 'application/octet-stream' });
    return method === 'get' ? api.get(at) : api[method as 'post' | 'patch' | 'delete'](at, body as undefined);
  }

  /** Replaces the parameters of a path with the example form, and with new drafts, records and files. */
  async function fillIn(at: string, method: string): Promise<string> {
    if (!at.includes('/submissions/{uuid}'))
      return at.replace('{uuid}', form.uuid).replace('{slug}', form.slug);
    const draft = await newDraft(at.includes('/records') ? CLAIM : form.uuid);
    let filled = at.replace('/api/v1/submissions/{uuid}', draft);
    if (at.includes('{id}')) {
      const { body } = await api.post(`${draft}/records`, { entity: 'expense' });
      filled = filled.replace('{id}', body.data.id);
    }
    if (at.includes('{file}')) {
      const file = await uploadFile(api, draft);
      if (method === 'get') await api.post(`${file}/commit`);
      filled = filled.replace('{file}', path.basename(file));
    }
    return filled;
  }

  /** Returns the path of a new draft on the second step. */
  async function newDraft(form_uuid: string): Promise<string> {
    const { body } = await api.post('/api/v1/submissions', { form_uuid });
    const draft = `/api/v1/submissions/${body.data.uuid}`;
    await api.post(`${draft}/advance`);
    return draft;
  }
});

onOneServer('the quick start', () => {
  const page = read('docs/quickstart.md');
  /** The request bodies that store values, before the shell inserts its variables. */
  const stored = [...page.matchAll(/-d '(\{"values": .*?\]\})'/gs)].map(([, body = '']) => body);
  const [, announced = ''] = /-d '(\{"field_code": .*?\})'/.exec(page) ?? [];
  const [, content = ''] = /printf '(.*?)' > "\$CV"/.exec(page) ?? [];

  it('stores and uploads enough to complete a submission of a strict form', async () => {
    const { dataSource } = use.database;
    const text = read('examples/forms/job-application.json').replace(
      form.uuid,
      'aaaaaaaa-0000-4000-8000-000000000001',
    );
    const { forms } = await importForms(dataSource, [
      { name: 'job-application.json', text: text.replace(`"${form.slug}"`, '"quick-start"') },
    ]);
    const { client: own } = await newUser(use);
    const { body } = await own.post('/api/v1/submissions', { form_uuid: forms[0]!.uuid });
    const submission = `/api/v1/submissions/${body.data.uuid}`;
    const validation = async () => (await own.get(`${submission}/validation`)).body.data;
    const bytes = Buffer.from(content.replace('%%', '%').replace('\\n', '\n'));
    const { sha256: _, ...announcement } = JSON.parse(announced.replaceAll("'", '')) as Record<string, any>;
    expect(announcement['size']).toBe(bytes.length);
    const file = await storeFile(own, submission, bytes, announcement);

    expect(stored.length).toBeGreaterThan(3);
    for (const values of stored) {
      expect(await validation()).toMatchObject({ valid: false });
      const answer = await own.post(
        `${submission}/values`,
        JSON.parse(values.replace("'$VALUE'", file.value)),
      );
      expect(answer.status).toBe(200);
    }
    expect(await validation()).toEqual({ valid: true, errors: {} });
    expect((await own.patch(submission, { status: 'completed' })).status).toBe(200);
  });
});
