import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { filesFolder, PDF } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { newUser, useService } from '../support/service.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';
import { serveFolder, type StaticServer } from './support/static-server.js';

const BUILD = path.join(__dirname, 'support/build-react-form.mjs');

describeInBrowser.each(['react', 'react-18'])("the form of formtrail-react's README, with %s,", (react) => {
  const storage = filesFolder();
  const use = useService({ FILES_URL: storage.url });
  const browser = useBrowser();
  let folder: string;
  let site: StaticServer;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'formtrail-react-'));
    await promisify(execFile)(process.execPath, [BUILD, folder, use.service.url, react]);
    site = await serveFolder(path.join(folder, 'dist'));
  }, 60_000);
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true });
    await storage.remove();
  });

  /** Creates a form and a user, and two windows of that user. */
  async function begin() {
    const { form } = await buildForm(use.database.dataSource, {
      form: { completion: 'strict' },
      steps: [
        {
          about: { type: 'heading', label: 'About you' },
          name: { label: 'Name', isRequired: true },
          needs: { label: 'Needs a permit', type: 'select', options: ['yes', 'no'] },
          permit: { label: 'Permit', conditions: [['needs', 'equals', 'yes', 'show']] },
        },
        { never: { conditions: [['needs', 'equals', 'never', 'show']] } },
        { age: { label: 'Age', type: 'number', rules: { min: '18' } } },
      ],
    });
    const { client, plainToken } = await newUser(use);
    const page = await browser.newPage();
    const signIn = { content: `sessionStorage.token = '${plainToken}'` };
    await page.addInitScript(signIn);
    const other = await page.context().newPage();
    await other.addInitScript(signIn);
    const open = async (window: Page) => {
      await window.goto(`${site.url}/?form=${form.slug}`);
      await window.getByRole('heading', { name: 'Step 1' }).waitFor();
    };
    return { client, page, other, open };
  }

  const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

  it('begins one draft, applies conditions, and can be completed', async () => {
    const { client, page, open } = await begin();
    await open(page);
    await status(page, 'unchanged');
    await page.getByText('About you').waitFor();

    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('The name is required.').waitFor();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Needs a permit').selectOption('yes');
    await page.getByLabel('Permit', { exact: true }).fill('WP-1');
    await status(page, 'saved');
    await page.reload();
    await page.getByLabel('Permit', { exact: true }).waitFor();
    expect(await page.getByLabel('Permit', { exact: true }).inputValue()).toBe('WP-1');

    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('heading', { name: 'Step 3' }).waitFor();
    await page.getByLabel('Age').fill('17');
    browser.forgive(/status of 422/);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('The age must be at least 18.').waitFor();
    await page.getByLabel('Age').fill('36');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you.').waitFor();

    const { data } = (await client.get('/api/v1/submissions')).body;
    expect(data).toMatchObject([{ status: 'completed' }]);
    const { values } = (await client.get(`/api/v1/submissions/${data[0].uuid}`)).body.data;
    expect(values.map(({ value }: { value: string }) => value)).toEqual(['Ada', 'yes', 'WP-1', '36']);
  });

  it('uploads a file, and says why it rejects another one', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      steps: [{ cv: { label: 'CV', type: 'file', maxBytes: 1000 } }],
    });
    const { client, plainToken } = await newUser(use);
    const page = await browser.newPage();
    await page.addInitScript({ content: `sessionStorage.token = '${plainToken}'` });
    await page.goto(`${site.url}/?form=${form.slug}`);
    const choose = (name: string, buffer: Buffer) =>
      page.getByLabel('CV').setInputFiles({ name, mimeType: 'application/pdf', buffer });
    await choose('long.pdf', Buffer.alloc(1001));
    await page.getByText('The file must have at most 1000 bytes, but has 1001.').waitFor();
    await page.getByRole('button', { name: 'Remove long.pdf' }).click();
    await choose('cv.pdf', PDF);
    await page.getByRole('button', { name: 'Remove cv.pdf' }).waitFor();
    await status(page, 'saved');
    const { data } = (await client.get('/api/v1/submissions')).body;
    const files = async () => (await client.get(`/api/v1/submissions/${data[0].uuid}/files`)).body.data;
    expect(await files()).toMatchObject([{ name: 'cv.pdf', state: 'stored', size: PDF.length }]);
    await page.getByRole('button', { name: 'Remove cv.pdf' }).click();
    await eventually('it is gone', async () => (await files()).length === 0);
  });

  it('shows both answers if two windows have changed the same one', async () => {
    const { client, page, other, open } = await begin();
    await open(page);
    await open(other);
    browser.forgive(/status of 412/);
    await page.getByLabel('Name').fill('Ada');
    await status(page, 'saved');
    await other.getByLabel('Name').fill('Eve');
    await other.getByRole('button', { name: 'Ada' }).waitFor();
    await other.getByRole('button', { name: 'Eve' }).click();
    await status(other, 'saved');
    const { data } = (await client.get('/api/v1/submissions')).body;
    await eventually('it is stored', async () => {
      const { values } = (await client.get(`/api/v1/submissions/${data[0].uuid}`)).body.data;
      return values[0].value === 'Eve';
    });
    expect(data).toHaveLength(1);
  });

  it('lets visitors fill in a public form, and asks for a code after their token has expired', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      form: { access: 'public', completion: 'strict' },
      steps: [{ name: { label: 'Name', isRequired: true } }],
    });
    const page = await browser.newPage();
    await page.goto(`${site.url}/?form=${form.slug}`);
    await page.getByLabel('Name').fill('Ada');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you.').waitFor();
    const stored = await use.database.dataSource.query<{ value: string }[]>(
      'select value from submission_values where field_id = $1',
      [fields['name']!.id],
    );
    expect(stored).toEqual([{ value: 'Ada' }]);

    const visitor = await browser.newPage();
    browser.forgive(/401/);
    await visitor.goto(`${site.url}/?public&form=${form.slug}`);
    await visitor.getByRole('button', { name: 'Continue on another device' }).click();
    const code = String(
      await visitor
        .getByRole('button')
        .filter({ hasText: /^[\dA-Z-]{30}$/ })
        .textContent(),
    );
    await use.service.hearing(() =>
      use.database.dataSource.query(
        'delete from api_tokens where user_id in (select user_id from respondents where form_id = $1)',
        [form.id],
      ),
    );
    await visitor.reload();
    await visitor.getByLabel('Code from another device').fill(code);
    await visitor.getByRole('button', { name: 'Continue' }).click();
    await status(visitor, 'open');
    await visitor.getByRole('button', { name: 'Continue on another device' }).waitFor();
  });
});
