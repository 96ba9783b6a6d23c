import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { filesFolder, PDF } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { letAllTokensExpire } from '../support/respondents.js';
import { newUser, useService } from '../support/service.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';
import { serveFolder, type StaticServer } from './support/static-server.js';

const BUILD = path.join(__dirname, 'support/build-react-form.mjs');

describeInBrowser.each(['react', 'react-18'])("the form of formtrail-react's README, with %s,", (react) => {
  const storage = filesFolder();
  const use = useService({
    FILES_URL: storage.url,
    CHALLENGE_KEY: Buffer.alloc(32, 5).toString('base64'),
  });
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
    await page.getByText('Enter your name.').waitFor();
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
    await page.getByText('Enter a number of 18 or more.').waitFor();
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
    await page.getByText('long.pdf is too large. It may have at most 1000 B.').waitFor();
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

  describe('the public form', () => {
    const query = (text: string, ...values: unknown[]) => use.database.dataSource.query(text, values);

    /** Creates a public form with a proof of work, and opens it in one browser. */
    async function visit() {
      const { form } = await buildForm(use.database.dataSource, {
        form: { access: 'public', proofOfWork: 50_000 },
        steps: [{ name: { label: 'Name' } }],
      });
      const address = `${site.url}/?public=${form.slug}`;
      const page = await browser.newPage();
      await page.goto(address);
      const count = async (table: 'respondents' | 'submissions'): Promise<number> =>
        (await query(`select count(*)::int as count from ${table} where form_id = $1`, form.id))[0].count;
      return { form, page, address, count };
    }

    const press = (page: Page, name: string) => page.getByRole('button', { name }).click();

    /** Items with a token in the storage of a page. */
    const tokens = async (page: Page, storage: 'sessionStorage' | 'localStorage') => {
      const items = await page.evaluate<string>(`JSON.stringify(${storage})`);
      return Array.from(items.matchAll(/ftr_[\w-]+/g), ([token]) => token);
    };

    async function linkOf(page: Page): Promise<string> {
      await press(page, 'Continue on another device');
      return page.getByRole('link').innerText();
    }

    /** Lets the token of the page expire, and types a name, which the service then rejects. */
    async function expire(page: Page) {
      const [token = ''] = await tokens(page, 'sessionStorage');
      await letAllTokensExpire(use.database);
      browser.forgive(/status of 401/);
      await eventually('the service rejects the token', async () => {
        const headers = { Authorization: `Bearer ${token}` };
        return (await fetch(`${use.service.url}/api/v1/submissions`, { headers })).status === 401;
      });
      await page.getByLabel('Name').fill('Ada');
      await status(page, 'signed-out');
    }

    it('shows the progress of the proof of work, begins without a token, and signs out', async () => {
      const { page, count } = await visit();
      await page.route('**/respondents', async (route) => {
        await page.getByRole('progressbar', { name: 'Saving for the first time' }).waitFor();
        expect(await page.getByRole('progressbar').getAttribute('value')).toMatch(/^[01]/);
        await route.continue();
      });
      expect(await count('respondents')).toBe(0);
      await press(page, 'Begin');
      await page.getByLabel('Name').waitFor();
      expect(await tokens(page, 'sessionStorage')).toEqual([]);
      await page.getByLabel('Name').fill('Ada');
      await status(page, 'saved');
      expect(await tokens(page, 'sessionStorage')).toHaveLength(1);
      expect(await tokens(page, 'localStorage')).toEqual([]);
      await press(page, 'Next');
      await press(page, 'Sign out');
      await page.getByRole('button', { name: 'Begin' }).waitFor();
      expect(await tokens(page, 'sessionStorage')).toEqual([]);
      expect(await count('respondents')).toBe(1);
    });

    it('continues in another tab with remember', async () => {
      const { page, address, count } = await visit();
      await page.getByLabel('Remember me').check();
      await press(page, 'Begin');
      await page.getByLabel('Name').fill('Ada');
      await status(page, 'saved');
      expect(await tokens(page, 'sessionStorage')).toEqual([]);
      const other = await page.context().newPage();
      await other.goto(address);
      await other.getByLabel('Remember me').check();
      await press(other, 'Begin');
      await other.getByLabel('Name').waitFor();
      expect(await other.getByLabel('Name').inputValue()).toBe('Ada');
      expect(await count('submissions')).toBe(1);
    });

    it.each(['a new page', 'an open page'])(
      'continues on another device with a link, opened in %s',
      async (where) => {
        const { page, address, count } = await visit();
        await press(page, 'Begin');
        await page.getByLabel('Name').fill('Ada');
        await status(page, 'saved');
        const link = await linkOf(page);
        const other = await browser.newPage();
        if (where === 'an open page') await other.goto(address);
        await other.goto(link);
        await other.getByRole('button', { name: 'Continue with the code' }).waitFor();
        expect(other.url()).toBe(address);
        await press(other, 'Continue with the code');
        await other.getByLabel('Name').waitFor();
        expect(await other.getByLabel('Name').inputValue()).toBe('Ada');
        expect([await count('respondents'), await count('submissions')]).toEqual([1, 1]);
      },
    );

    it('keeps what was typed after a 401, and continues with a code', async () => {
      const { page, count } = await visit();
      await press(page, 'Begin');
      await page.getByLabel('Name').waitFor();
      const [, code = ''] = (await linkOf(page)).split('#resume=');
      await expire(page);
      browser.forgive(/status of 422/);
      await page.getByLabel('Resume code').fill('wrong');
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await status(page, 'That did not work.');
      expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
      await page.getByLabel('Resume code').fill(code);
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await status(page, 'saved');
      expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
      expect([await count('respondents'), await count('submissions')]).toEqual([1, 1]);
    });

    it('begins a second draft after a 401 only if the user asks, even after a reload', async () => {
      const { page, count } = await visit();
      await press(page, 'Begin');
      await page.getByLabel('Name').fill('A');
      await status(page, 'saved');
      await expire(page);
      await page.reload();
      await press(page, 'Begin');
      await page.getByLabel('Resume code').waitFor();
      expect([await count('respondents'), await count('submissions')]).toEqual([1, 1]);
      await press(page, 'Begin again');
      await status(page, 'saved');
      expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
      expect([await count('respondents'), await count('submissions')]).toEqual([2, 2]);
    });
  });
});
