import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { seed } from '../../../src/forms/definitions/seed.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { filesFolder } from '../../support/files.js';
import { letAllTokensExpire } from '../../support/respondents.js';
import { newUser, type Service, useService } from '../../support/service.js';
import { useBrowser } from './browser.js';
import { FormPage } from './form-page.js';
import { startRenderer } from './renderer.js';
import type { StaticServer } from './static-server.js';

const ROOT = path.resolve(__dirname, '../../..');
/** The browser logs this for each 4xx response, even if the page handles it. */
export const REFUSED = /^Failed to load resource: the server responded with a status of 4/;

interface ExampleForm {
  readonly uuid: string;
  readonly slug: string;
  readonly name: string;
}

export const EXAMPLE_FORMS = readdirSync(path.join(ROOT, 'examples/forms'))
  .sort()
  .map((name) => JSON.parse(readFileSync(path.join(ROOT, 'examples/forms', name), 'utf8')) as ExampleForm);

/** A user with a token, and the user's page. */
export interface Visit {
  readonly form: FormPage;
  /** Sends requests as the same user, without the page. */
  readonly client: Client;
  readonly token: string;
  readonly userId: number;
}

/** A draft that has begun, on the page. */
export interface BegunDraft extends Visit {
  /** The path of the submission. */
  readonly path: string;
  readonly uuid: string;
}

/** Provides a database with the example forms, a service with files, the renderer, and a browser. */
export function useRenderer() {
  const storage = filesFolder();
  const use = useService({ FILES_URL: storage.url });
  const browser = useBrowser();
  let renderer: StaticServer;

  beforeAll(async () => {
    await seed(use.database.dataSource, ROOT);
    renderer = await startRenderer();
  }, 150_000);
  afterAll(() => Promise.all([renderer.close(), storage.remove()]));

  const address = (service: Service, fragment: string) => `${renderer.url}/?api=${service.url}#${fragment}`;

  /** Opens the list of forms as a new user. */
  async function visit(options: BrowserContextOptions = {}, service = use.service): Promise<Visit> {
    const { client, plainToken, id } = await newUser({ database: use.database, service });
    const page = await browser.newPage(options);
    await page.goto(address(service, `token=${plainToken}`));
    const form = new FormPage(page);
    await form.heading('Forms').waitFor();
    return { form, client, token: plainToken, userId: id };
  }

  /** Begins a form as a new user, as on another device, and opens its first step. */
  async function begin(
    name: string,
    options: BrowserContextOptions = {},
    service = use.service,
  ): Promise<BegunDraft> {
    const person = await visit(options, service);
    const { page } = person.form;
    const [{ uuid: form_uuid }] = await use.database.dataSource.query(
      'select uuid from forms where name = $1',
      [name],
    );
    const { body } = await person.client.post('/api/v1/submissions', { form_uuid });
    const uuid: string = body.data.uuid;
    await page.goto(address(service, `/forms/${form_uuid}/${uuid}`));
    await page.getByRole('button', { name: /^(Next|Check your answers)$/ }).waitFor();
    await page.waitForURL(/\/step-\d+$/);
    return { ...person, uuid, path: `/api/v1/submissions/${uuid}` };
  }

  /** Lets all tokens expire. Returns when the service, which keeps valid tokens in memory, rejects the one of `api`. */
  async function letTokensEnd(api: Client): Promise<void> {
    await letAllTokensExpire(use.database);
    await eventually(
      'the token is rejected',
      async () => (await api.get('/api/v1/submissions')).status === 401,
    );
  }

  return { use, browser, address, visit, begin, letTokensEnd };
}
