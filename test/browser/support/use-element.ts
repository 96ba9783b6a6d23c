import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import { filesFolder, PDF } from '../../support/files.js';
import { buildForm, type FormPlan } from '../../support/forms.js';
import { newUser, type Service, useService } from '../../support/service.js';
import { useBrowser } from './browser.js';
import { serveFolder, type StaticServer } from './static-server.js';

const CLIENTS = path.resolve(__dirname, '../../../clients');
/** The browser logs this for each 4xx response, even if the page handles it. */
export const REFUSED = /^Failed to load resource: the server responded with a status of 4/;

export interface PageOptions extends BrowserContextOptions {
  readonly attributes?: string;
  /** A script of the page that runs before the element is defined. */
  readonly before?: string;
  /** Children of the element. */
  readonly children?: string;
  readonly language?: string;
  readonly service?: Service;
}

/** Provides a service with files and proofs of work, a site with the element, and a browser. */
export function useElement() {
  const storage = filesFolder();
  const use = useService({
    FILES_URL: storage.url,
    CHALLENGE_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  const browser = useBrowser();
  let folder: string;
  let site: StaticServer;

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [path.join(CLIENTS, 'build.mjs')]);
    folder = await mkdtemp(path.join(tmpdir(), 'formtrail-elements-'));
    await cp(path.join(CLIENTS, 'elements/dist'), folder, { recursive: true });
    await writeFile(path.join(folder, 'page.css'), 'body { background: light-dark(#fff, #121212); }');
    await writeFile(path.join(folder, 'favicon.ico'), '');
    site = await serveFolder(folder);
  }, 300_000);
  afterAll(async () => {
    await site.close();
    await rm(folder, { recursive: true });
    await storage.remove();
  });

  /**
   * Opens a page with one script and one element, and a strict content security policy with Trusted Types. Its `told` has the element's
   * events.
   */
  async function open(slug: string, options: PageOptions = {}): Promise<Page> {
    const { attributes = '', before = '', children = '', language = 'en', service, ...context } = options;
    const { url } = service ?? use.service;
    const name = randomUUID();
    await writeFile(
      path.join(folder, `${name}.js`),
      `window.told = [];
       for (const name of ['open', 'step', 'review', 'complete', 'gone', 'error'])
         addEventListener('formtrail-' + name, ({ detail }) => told.push([name, detail]));
       ${before}`,
    );
    // A worker needs a policy for its address, which only the page could have.
    const policy = `default-src 'self'; connect-src * ${before.includes('Worker') ? '' : "; require-trusted-types-for 'script'; trusted-types"}`;
    await writeFile(
      path.join(folder, `${name}.html`),
      `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Our event</title>
<link rel="stylesheet" href="page.css">
<main>
  <h1>Our event</h1>
  <formtrail-form form="${slug}" url="${url}" ${attributes}>${children}</formtrail-form>
</main>
<script type="module" src="${name}.js"></script>
<script type="module" src="formtrail-form.js"></script>
</html>`,
    );
    const page = await browser.newPage(context);
    await page.goto(`${site.url}/${name}.html`);
    return page;
  }

  /** Builds a form, and opens a draft of a new user, with a token that the page sets before the element is defined. */
  async function begin(plan: FormPlan, { service = use.service, ...options }: PageOptions = {}) {
    const { form, fields } = await buildForm(use.database.dataSource, plan);
    const { client, plainToken: token } = await newUser({ database: use.database, service });
    const { body } = await client.post('/api/v1/submissions', { form_uuid: form.uuid });
    const uuid: string = body.data.uuid;
    const submission = `/api/v1/submissions/${uuid}`;
    const page = await open(form.slug, { before: tokenScript(token), service, ...options });
    await page.locator('[part=form]').waitFor();
    const read = async () => (await client.get(submission)).body.data;
    return { form, fields, client, page, token, uuid, path: submission, read };
  }

  const query = (text: string, ...values: unknown[]) => use.database.dataSource.query(text, values);
  return { use, browser, open, begin, query, site: () => site, folder: () => folder };
}

/** Sets the token of a signed-in user. */
export const tokenScript = (token: string) =>
  `document.querySelector('formtrail-form').token = async () => '${token}';`;

export const pdf = (name: string, buffer: Buffer = PDF) => ({ name, mimeType: 'application/pdf', buffer });
export const press = (page: Page | Locator, name: string) =>
  page.getByRole('button', { name, exact: true }).click();
export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 2, name, exact: true });
export const status = (page: Page, text: RegExp | string) =>
  page.getByRole('status').filter({ hasText: text }).waitFor();
export const saved = (page: Page) => status(page, /^Saved$/);
export const summaryOn = (page: Page) => page.getByRole('alert').filter({ hasText: 'There is a problem' });
/** Sets a property of the element. */
export const set = (page: Page, name: string, value: string) =>
  page.evaluate(`document.querySelector('formtrail-form').${name} = ${JSON.stringify(value)}`);
export const told = (page: Page) => page.evaluate<[string, any][]>('told');

/** Delays the requests of a page to `url` until the returned function is called. */
export async function hold(page: Page, url: RegExp | string): Promise<() => void> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(url, async (route: Route) => {
    await held;
    await route.continue().catch(() => undefined);
  });
  return letGo;
}
