import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { importForms } from '../../src/capabilities/definitions/import-forms.js';
import { eventually } from '../support/eventually.js';
import { filesFolder, PDF } from '../support/files.js';
import { buildForm, type FormPlan } from '../support/forms.js';
import { blocksOf } from '../support/panel.js';
import { letAllTokensExpire } from '../support/respondents.js';
import { newUser, useService } from '../support/service.js';
import { translate } from '../support/translations.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';
import { serveFolder, type StaticServer } from './support/static-server.js';

const BUILD = path.join(__dirname, 'support/build-react-form.mjs');
const VERSIONS = ['react', 'react-18'] as const;

describeInBrowser("the forms of formtrail-react's README", () => {
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
    await promisify(execFile)(process.execPath, [BUILD, folder, use.service.url, ...VERSIONS]);
    site = await serveFolder(folder);
  }, 60_000);
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true });
    await storage.remove();
  });

  const query = (text: string, ...values: unknown[]) => use.database.dataSource.query(text, values);
  const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const press = (page: Page, name: string, exact = false) =>
    page.getByRole('button', { name, exact }).click();

  /** Opens a new form as a new user, who has a token. */
  async function begin(plan: FormPlan, version: (typeof VERSIONS)[number] = 'react') {
    const { form } = await buildForm(use.database.dataSource, plan);
    return openAs(form.slug, 'form', version);
  }

  /** Opens one of the pages as a new user, who has a token. */
  async function openAs(
    slug: string,
    name: 'form' | 'languages',
    version: (typeof VERSIONS)[number] = 'react',
  ) {
    const { client, plainToken } = await newUser(use);
    const page = await browser.newPage();
    // A new window is empty first, and has no storage then.
    const content = `if (location.protocol !== 'about:') sessionStorage.token = '${plainToken}';`;
    await page.context().addInitScript({ content });
    await page.goto(`${site.url}/${version}/index.html?${name}=${slug}`);
    const draft = async () => {
      const { data } = (await client.get('/api/v1/submissions')).body;
      expect(data).toHaveLength(1);
      const submission = `/api/v1/submissions/${data[0].uuid}`;
      return { submission, ...(await client.get(submission)).body.data };
    };
    return { client, page, draft };
  }

  it.each(VERSIONS)('begin one draft, apply conditions, and can be completed, with %s', async (version) => {
    const plan: FormPlan = {
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
    };
    const { page, draft } = await begin(plan, version);
    browser.forgive(/status of 4(12|22)/);
    await status(page, 'unchanged');
    await page.getByText('About you').waitFor();
    await press(page, 'Next');
    await page.getByText('Enter your name.').waitFor();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Needs a permit').selectOption('yes');
    await page.getByLabel('Permit', { exact: true }).fill('WP-1');
    await status(page, 'saved');

    // Another window opens the same draft, and changes the same answer.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByLabel('Permit', { exact: true }).waitFor();
    expect(await other.getByLabel('Permit', { exact: true }).inputValue()).toBe('WP-1');
    await other.getByLabel('Name').fill('Eve');
    await status(other, 'saved');
    await page.getByLabel('Name').fill('Augusta');
    await press(page, 'Eve');
    await status(page, 'saved');
    await eventually('it is shown', async () => (await page.getByLabel('Name').inputValue()) === 'Eve');

    await press(page, 'Next');
    await page.getByRole('heading', { name: 'Step 3' }).waitFor();
    await page.getByLabel('Age').fill('17');
    await press(page, 'Send');
    await page.getByText('Enter a number of 18 or more.').waitFor();
    await page.getByLabel('Age').fill('36');
    await press(page, 'Send');
    await page.getByText('Thank you.').waitFor();
    const { status: completed, values } = await draft();
    expect([completed, values.map(({ value }: { value: string }) => value)]).toEqual([
      'completed',
      ['Eve', 'yes', 'WP-1', '36'],
    ]);
  });

  it('save one question of the form of docs/form-definitions.md', async () => {
    const [text = ''] = await blocksOf('docs/form-definitions.md', 'json');
    await importForms(use.database.dataSource, [{ name: 'contact-request.json', text }]);
    const page = await browser.newPage();
    await page.goto(`${site.url}/react/index.html?question`);
    await page.getByLabel('Email address unchanged').fill('ada@example.org');
    await page.getByText('saved').waitFor();
    await page.reload();
    await page.getByLabel('Email address').waitFor();
    expect(await page.getByLabel('Email address').inputValue()).toBe('ada@example.org');
  });

  it('show the same draft in another language when `locale` changes, with what was typed (L6)', async () => {
    const { dataSource } = use.database;
    const built = await buildForm(dataSource, {
      form: { locale: 'en' },
      steps: [{ name: { label: 'Name' } }],
    });
    for (const [locale, text] of [
      ['ar', 'الاسم'],
      ['de', 'Vorname'],
    ] as const)
      await use.service.hearing(() =>
        translate(dataSource, built, locale, [[{ fieldId: built.fields['name']!.id }, 'label', text]]),
      );
    const { page, draft } = await openAs(built.form.slug, 'languages');
    await page.getByLabel('الاسم').fill('Ada');
    await status(page, 'saved');
    expect((await draft()).locale).toBe('ar');
    await page.getByRole('button', { name: 'Deutsch' }).click();
    expect(await page.getByLabel('Vorname').inputValue()).toBe('Ada');
    await eventually('it is stored', async () => (await draft()).locale === 'de');
    await page.context().close();
  });

  it('upload a file, and say why they reject another one', async () => {
    const { page, client, draft } = await begin({
      steps: [{ cv: { label: 'CV', type: 'file', maxBytes: 1000 } }],
    });
    const choose = (name: string, buffer: Buffer) =>
      page.getByLabel('CV').setInputFiles({ name, mimeType: 'application/pdf', buffer });
    await choose('long.pdf', Buffer.alloc(1001));
    await page.getByText('long.pdf is too large. It may have at most 1000 B.').waitFor();
    await press(page, 'Remove long.pdf');
    await choose('cv.pdf', PDF);
    await page.getByRole('button', { name: 'Remove cv.pdf' }).waitFor();
    await status(page, 'saved');
    const { submission } = await draft();
    const files = async () => (await client.get(`${submission}/files`)).body.data;
    expect(await files()).toMatchObject([{ name: 'cv.pdf', state: 'stored', size: PDF.length }]);
    await press(page, 'Remove cv.pdf');
    await eventually('it is gone', async () => (await files()).length === 0);
  });

  describe('for visitors', () => {
    /** Creates a public form with a proof of work, and opens it in one browser. */
    async function visit() {
      const { form } = await buildForm(use.database.dataSource, {
        form: { access: 'public', proofOfWork: 50_000 },
        steps: [{ name: { label: 'Name' } }],
      });
      const address = `${site.url}/react/index.html?public=${form.slug}`;
      const page = await browser.newPage();
      await page.goto(address);
      const counts = async () => {
        const [counted] = await query(
          `select (select count(*)::int from respondents where form_id = $1) as respondents,
                  (select count(*)::int from submissions where form_id = $1) as submissions`,
          form.id,
        );
        return [counted.respondents, counted.submissions];
      };
      return { page, address, counts };
    }

    /** Items with a token in the storage of a page. */
    const tokens = async (page: Page, storage: 'sessionStorage' | 'localStorage') => {
      const items = await page.evaluate<string>(`JSON.stringify(${storage})`);
      return Array.from(items.matchAll(/ftr_[\w-]+/g), ([token]) => token);
    };
    const expectName = async (page: Page) => {
      await page.getByLabel('Name').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    };

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

    it('show the progress of the proof of work, continue on another device, and sign out', async () => {
      const { page, address, counts } = await visit();
      await page.route('**/respondents', async (route) => {
        await page.getByRole('progressbar', { name: 'Saving for the first time' }).waitFor();
        expect(await page.getByRole('progressbar').getAttribute('value')).toMatch(/^[01]/);
        await route.continue();
      });
      expect(await counts()).toEqual([0, 0]);
      await press(page, 'Begin');
      await page.getByLabel('Name').waitFor();
      expect(await tokens(page, 'sessionStorage')).toEqual([]);
      await page.getByLabel('Name').fill('Ada');
      await status(page, 'saved');
      expect(await tokens(page, 'sessionStorage')).toHaveLength(1);
      expect(await tokens(page, 'localStorage')).toEqual([]);

      await press(page, 'Continue on another device');
      const other = await browser.newPage();
      // The page is open already, so the link only changes its fragment.
      await other.goto(address);
      await other.goto(await page.getByRole('link').innerText());
      await other.getByRole('button', { name: 'Continue with the code' }).waitFor();
      expect(other.url()).toBe(address);
      await press(other, 'Continue with the code');
      await expectName(other);
      expect(await counts()).toEqual([1, 1]);

      await press(page, 'Next');
      await press(page, 'Sign out');
      await page.getByRole('button', { name: 'Begin' }).waitFor();
      expect(await tokens(page, 'sessionStorage')).toEqual([]);
    });

    it('continue in another tab with remember', async () => {
      const { page, address, counts } = await visit();
      await page.getByLabel('Remember me').check();
      await press(page, 'Begin');
      await page.getByLabel('Name').fill('Ada');
      await status(page, 'saved');
      expect(await tokens(page, 'sessionStorage')).toEqual([]);
      const other = await page.context().newPage();
      await other.goto(address);
      await other.getByLabel('Remember me').check();
      await press(other, 'Begin');
      await expectName(other);
      expect(await counts()).toEqual([1, 1]);
    });

    it('keep what was typed after a 401, and continue with a code, or begin again if the user asks', async () => {
      const { page, counts } = await visit();
      await press(page, 'Begin');
      await page.getByLabel('Name').fill('A');
      await status(page, 'saved');
      await press(page, 'Continue on another device');
      const [, code = ''] = (await page.getByRole('link').innerText()).split('#resume=');
      await expire(page);
      browser.forgive(/status of 422/);
      await page.getByLabel('Resume code').fill('wrong');
      await press(page, 'Continue', true);
      await status(page, 'That did not work.');
      await expectName(page);
      await page.getByLabel('Resume code').fill(code);
      await press(page, 'Continue', true);
      await status(page, 'saved');
      await expectName(page);
      expect(await counts()).toEqual([1, 1]);

      await page.getByLabel('Name').fill('A');
      await status(page, 'saved');
      await expire(page);
      await page.reload();
      await press(page, 'Begin');
      await page.getByLabel('Resume code').waitFor();
      expect(await counts()).toEqual([1, 1]);
      await press(page, 'Begin again');
      await status(page, 'saved');
      await expectName(page);
      expect(await counts()).toEqual([2, 2]);
    });
  });
});
