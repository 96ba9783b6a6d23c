import path from 'node:path';
import { readdirSync, readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { Form } from '../../../src/entities.js';
import { seed } from '../../../src/forms/definitions/seed.js';
import { eventually } from '../../support/eventually.js';
import type { Client } from '../../support/client.js';
import { filesFolder } from '../../support/files.js';
import { buildForm, type FormPlan } from '../../support/forms.js';
import { letAllTokensExpire } from '../../support/respondents.js';
import { newUser, type Service, useService } from '../../support/service.js';
import { useBrowser } from './browser.js';
import { FormPage } from './form-page.js';
import { startRenderer } from './renderer.js';
import type { StaticServer } from './static-server.js';

const ROOT = path.resolve(__dirname, '../../..');
/** The browser logs this for each 4xx response, even if the page handles it. */
export const REFUSED = /^Failed to load resource: the server responded with a status of 4/;

/** The button that leaves the first step. */
export const FIRST_STEP = /^(Next|Check your answers)$/;

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

/** Provides a database with the example forms, a service with files and proofs of work, the renderer, and a browser. */
export function useRenderer() {
  const storage = filesFolder();
  const use = useService({
    FILES_URL: storage.url,
    CHALLENGE_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  const browser = useBrowser();
  let renderer: StaticServer;

  beforeAll(async () => {
    await seed(use.database.dataSource, ROOT);
    renderer = await startRenderer();
  }, 150_000);
  afterAll(() => Promise.all([renderer.close(), storage.remove()]));

  const address = (fragment: string, service: Service = use.service) =>
    `${renderer.url}/?api=${service.url}#${fragment}`;

  /** Opens a page of the renderer as a new user, who may first send requests from elsewhere. */
  async function visit(
    fragment: string | ((client: Client) => Promise<string>) = '',
    options: BrowserContextOptions = {},
    service = use.service,
  ): Promise<Visit> {
    const { client, plainToken, id } = await newUser({ database: use.database, service });
    const target = typeof fragment === 'string' ? fragment : await fragment(client);
    // The item that the page itself stores after a login.
    const localStorage = [{ name: `formtrail:${service.url}:token`, value: plainToken }];
    const storageState = { cookies: [], origins: [{ origin: renderer.url, localStorage }] };
    const page = await browser.newPage({ storageState, ...options });
    await page.goto(address(target, service));
    return { form: new FormPage(page), client, token: plainToken, userId: id };
  }

  /** Begins an example form or a new form as a new user, as on another device, and opens its first step. */
  async function begin(
    what: string | FormPlan,
    options: BrowserContextOptions = {},
    service = use.service,
  ): Promise<BegunDraft> {
    const { dataSource } = use.database;
    const { uuid: form_uuid } =
      typeof what === 'string'
        ? await dataSource.manager.findOneByOrFail(Form, { name: what })
        : (await buildForm(dataSource, what)).form;
    let uuid = '';
    const beginElsewhere = async (client: Client) => {
      uuid = (await client.post('/api/v1/submissions', { form_uuid })).body.data.uuid;
      return `/forms/${form_uuid}/${uuid}`;
    };
    const person = await visit(beginElsewhere, options, service);
    await person.form.page.getByRole('button', { name: FIRST_STEP }).waitFor();
    await person.form.page.waitForURL(/\/step-\d+$/);
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
