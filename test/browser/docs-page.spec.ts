import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { seed } from '../../src/capabilities/definitions/seed.js';
import { form } from '../../src/forms/forms.examples.js';
import { client } from '../support/client.js';
import { document } from '../support/documented.js';
import { eventually } from '../support/eventually.js';
import { filesFolder, PDF, uploadFile } from '../support/files.js';
import type { MediaType, Operation } from '../support/openapi-types.js';
import { useService } from '../support/service.js';
import { expectAccessible } from './support/accessibility.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';

const ROOT = path.resolve(__dirname, '../..');

const operations = Object.entries(document.paths).flatMap(([at, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${at}`,
    at,
    operation,
  })),
);
type Row = (typeof operations)[number];
/** Operations that need different inputs of the page. test/documented-examples.spec.ts sends the examples of the others. */
const EXECUTED = new Set([
  'listForms',
  'createSubmission',
  'storeValues',
  'deleteSubmission',
  'uploadFileContent',
]);
const createSubmission = operations.find(({ operation }) => operation.operationId === 'createSubmission')!;

describeInBrowser('the API page', () => {
  const storage = filesFolder();
  // The page calls the service at the address of the page, so PUBLIC_URL has no effect.
  const use = useService({ FILES_URL: storage.url, PUBLIC_URL: 'https://forms.example.org' });
  const browser = useBrowser();
  let token: string;

  beforeAll(async () => {
    token = (await seed(use.database.dataSource, ROOT)).plainToken;
  });
  afterAll(() => storage.remove());

  it('shows complete examples of operations, and can execute them with the examples and the token', async () => {
    const page = await browser.newPage({ colorScheme: 'dark' });
    await page.goto(`${use.service.url}/docs`);
    await authorize(page, token);
    const api = client(use.service.url, { Authorization: `Bearer ${token}` });
    for (const row of operations.filter(({ operation }) => EXECUTED.has(operation.operationId))) {
      const block = await open(page, row);
      for (const [at, { examples }] of contentsOf(row.operation)) {
        const expected = {
          examples: Object.entries(examples).map(([name, { summary }]) => summary ?? name),
          shown: Object.values(examples)[0]?.value,
        };
        expect([row.route, at, await examplesIn(block.locator(at))]).toEqual([row.route, at, expected]);
      }

      await block.getByRole('button', { name: 'Try it out' }).click();
      if (row.at.includes('{uuid}')) {
        const { body } = await api.post('/api/v1/submissions', { form_uuid: form.uuid });
        await block.getByPlaceholder('uuid').fill(body.data.uuid);
        if (row.at.includes('{file}')) {
          const file = await uploadFile(api, `/api/v1/submissions/${body.data.uuid}`);
          await block.getByPlaceholder('file', { exact: true }).fill(path.basename(file));
          await block
            .locator('input[type=file]')
            .setInputFiles({ name: 'cv.pdf', mimeType: 'application/pdf', buffer: PDF });
        }
      }
      const [success] = Object.keys(row.operation.responses);
      expect(success).toMatch(/^2/);
      expect([row.route, await execute(block)]).toEqual([row.route, success]);
      await block.locator('.opblock-summary-control').click();
    }

    // The page follows the reader's colour scheme, and changes with it.
    const background = () =>
      page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    expect(await background()).toBe('rgb(18, 20, 22)');
    await page.emulateMedia({ colorScheme: 'light' });
    await eventually('it is light', async () => (await background()) === 'rgb(255, 255, 255)');
    // Swagger UI itself is not accessible everywhere.
    await expectAccessible(page, ['#api > *']);
  });

  it('shows the webhooks, which nobody can try there', async () => {
    const page = await browser.newPage();
    await page.goto(`${use.service.url}/docs`);
    const block = page.locator('#operations-Webhooks-submissionCreated');
    await block.locator('.opblock-summary-control').click();
    await block.getByText('may arrive more than once').waitFor();
    expect(await block.getByRole('button', { name: 'Try it out' }).count()).toBe(0);
  });

  it('keeps the token across reloads, in this tab only, until the user removes it, also behind a proxy with a prefix', async () => {
    const page = await browser.newPage();
    const origin = 'https://gateway.test';
    await page.context().route(`${origin}/forms/**`, async (route) => {
      const url = route.request().url().replace(`${origin}/forms`, use.service.url);
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    await page.goto(`${origin}/forms/docs`);
    await authorize(page, token);
    await page.reload();
    const block = await open(page, createSubmission);
    await block.getByRole('button', { name: 'Try it out' }).click();
    expect(await execute(block)).toBe('201');

    const another = await page.context().newPage();
    await another.goto(`${origin}/forms/docs`);
    await another.getByRole('button', { name: 'Authorize', exact: true }).click();
    expect(await another.getByRole('textbox', { name: 'auth-bearer-value' }).inputValue()).toBe('');

    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    await page.getByRole('button', { name: 'Remove authorization' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    await page.getByRole('textbox', { name: 'auth-bearer-value' }).waitFor();
  });
});

async function authorize(page: Page, token: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  await page.getByRole('textbox', { name: 'auth-bearer-value' }).fill(token);
  await page.getByRole('button', { name: 'Apply credentials' }).click();
  await page.locator('.modal-ux').getByRole('button', { name: 'Close', exact: true }).first().click();
}

async function open(page: Page, { operation }: Row): Promise<Locator> {
  const block = page.locator(`#operations-${operation.tags[0]}-${operation.operationId}`);
  await block.locator('.opblock-summary-control').click();
  await block.getByRole('button', { name: 'Try it out' }).waitFor();
  return block;
}

/** Executes the operation and returns the response status that the page shows. */
async function execute(block: Locator): Promise<string> {
  await block.getByRole('button', { name: 'Execute' }).click();
  const status = await block.locator('.live-responses-table .response .response-col_status').innerText();
  return /^\d+/.exec(status)?.[0] ?? status;
}

/** Returns the names of the selectable examples, and the JSON of the displayed example. */
async function examplesIn(part: Locator) {
  const text = await part.locator('.highlight-code code').first().innerText();
  return {
    examples: await part.locator('.examples-select option').allInnerTexts(),
    shown: JSON.parse(text) as unknown,
  };
}

/** Returns the documented JSON bodies of the request and the responses, each with its CSS selector on the page. */
function contentsOf({ requestBody, responses }: Operation): [string, MediaType][] {
  const contents = Object.entries(responses).map(
    ([status, { content }]) => [`.response[data-code="${status}"]`, content] as const,
  );
  return [['.opblock-section-request-body', requestBody?.content] as const, ...contents].flatMap(
    ([at, content]) =>
      content?.['application/json'] === undefined ? [] : [[at, content['application/json']]],
  );
}
