import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { importForms } from '../../src/capabilities/definitions/import-forms.js';
import { eventually } from '../support/eventually.js';
import { blocksOf } from '../support/panel.js';
import { letAllTokensExpire } from '../support/respondents.js';
import { useService } from '../support/service.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';
import { serveFolder, type StaticServer } from './support/static-server.js';
import { press, saved, status } from './support/use-element.js';

const ROOT = path.resolve(__dirname, '../..');
const ICON = '<link rel="icon" href="data:,">';

describeInBrowser('the page in the README', () => {
  const use = useService();
  const browser = useBrowser();
  let folder: string;
  let site: StaticServer;

  /** Writes the page of a README, and imports the form that it shows. */
  async function prepare(name: string, form: string): Promise<void> {
    const [html = ''] = await blocksOf(`clients/${name}/README.md`, 'html');
    const page = html.replace('http://127.0.0.1:3000', use.service.url).replace('<title>', `${ICON}<title>`);
    await writeFile(path.join(folder, `${name}.html`), page);
    await importForms(use.database.dataSource, [{ name: `${name}.json`, text: form }]);
  }

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [path.join(ROOT, 'clients/build.mjs')]);
    folder = await mkdtemp(path.join(tmpdir(), 'formtrail-readme-'));
    for (const [source, target] of [
      ['typescript', 'node_modules/formtrail-client/dist'],
      ['session', 'node_modules/formtrail-session/dist'],
      ['elements', 'formtrail'],
    ] as const)
      await cp(path.join(ROOT, `clients/${source}/dist`), path.join(folder, target), { recursive: true });
    const [contactRequest = ''] = await blocksOf('docs/form-definitions.md', 'json');
    await prepare('session', contactRequest);
    await prepare(
      'elements',
      await readFile(path.join(ROOT, 'examples/forms/event-registration.json'), 'utf8'),
    );
    site = await serveFolder(folder);
  }, 300_000);
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true });
  });

  it('of formtrail-elements saves', async () => {
    const page = await browser.newPage();
    await page.goto(`${site.url}/elements.html`);
    await page.getByLabel('First name').fill('Ada');
    await saved(page);
  });

  it('of formtrail-session saves, marks mistakes, survives a reload, applies conditions, and completes', async () => {
    const page = await browser.newPage();
    await page.goto(`${site.url}/session.html`);
    await status(page, 'unchanged');
    browser.forgive(/status of 422/);
    await press(page, 'Next');
    await page.getByText('Enter your email address.').waitFor();
    await page.getByLabel('Email address').fill('ada');
    await page.getByLabel('Email address').blur();
    await page.getByText('Enter an email address, such as').waitFor();
    await page.getByLabel('Email address').fill('ada@example.org');
    await status(page, 'saved');
    await page.reload();
    await page.getByRole('heading', { name: 'About you' }).waitFor();
    expect(await page.getByLabel('Email address').inputValue()).toBe('ada@example.org');
    await press(page, 'Next');
    await page.getByLabel('What is it about?').selectOption('Something else');
    await page.getByLabel('Which topic?').fill('Engines');
    await status(page, 'saved');
    await press(page, 'Back');
    await page.getByLabel('Email address').waitFor();
    await press(page, 'Next');
    await page.getByLabel('Which topic?').waitFor();
    await press(page, 'Send');
    await page.getByText('Thank you.').waitFor();
    const stored = await use.database.dataSource.query(
      `select value from submission_values join submissions on uuid = submission_uuid
          where status = 'completed' and submissions.form_id = (select id from forms where slug = 'contact-request') order by field_id`,
    );
    expect(stored).toEqual(['ada@example.org', 'other', 'Engines'].map((value) => ({ value })));
  });

  it('of formtrail-session begins again with the answers after the token has expired', async () => {
    const page = await browser.newPage();
    await page.goto(`${site.url}/session.html`);
    await page.getByLabel('Email address').fill('ada@example.org');
    await status(page, 'saved');
    const [token = ''] =
      /ftr_[\w-]+/.exec(await page.evaluate<string>('JSON.stringify(sessionStorage)')) ?? [];
    await letAllTokensExpire(use.database);
    browser.forgive(/status of 401/);
    await eventually('the service rejects the token', async () => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await fetch(`${use.service.url}/api/v1/submissions`, { headers })).status === 401;
    });
    await page.getByLabel('Email address').fill('eve@example.org');
    await status(page, 'signed-out');
    await page.reload();
    await press(page, 'Begin again');
    await status(page, 'saved');
    expect(await page.getByLabel('Email address').inputValue()).toBe('eve@example.org');
  });
});
