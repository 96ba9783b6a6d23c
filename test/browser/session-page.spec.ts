import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
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
import { press, status } from './support/use-element.js';

const CLIENTS = path.resolve(__dirname, '../../clients');

describeInBrowser("the page of formtrail-session's README", () => {
  const use = useService();
  const browser = useBrowser();
  let folder: string;
  let site: StaticServer;

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [path.join(CLIENTS, 'build.mjs')]);
    folder = await mkdtemp(path.join(tmpdir(), 'formtrail-session-'));
    for (const [name, source] of Object.entries({ client: 'typescript', session: 'session' })) {
      const target = path.join(folder, `node_modules/formtrail-${name}/dist`);
      await cp(path.join(CLIENTS, source, 'dist'), target, { recursive: true });
    }
    const [html = ''] = await blocksOf('clients/session/README.md', 'html');
    const icon = '<link rel="icon" href="data:,">';
    await writeFile(
      path.join(folder, 'index.html'),
      html.replace('http://127.0.0.1:3000', use.service.url).replace('<title>', `${icon}<title>`),
    );
    const [text = ''] = await blocksOf('docs/form-definitions.md', 'json');
    await importForms(use.database.dataSource, [{ name: 'contact-request.json', text }]);
    site = await serveFolder(folder);
  }, 300_000);
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true });
  });

  it('saves, marks mistakes, survives a reload, applies conditions, and completes', async () => {
    const page = await browser.newPage();
    await page.goto(site.url);
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

  it('begins again with the answers after the token has expired', async () => {
    const page = await browser.newPage();
    await page.goto(site.url);
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
