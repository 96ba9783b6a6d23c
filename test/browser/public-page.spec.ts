import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { seed } from '../../src/forms/definitions/seed.js';
import { eventually } from '../support/eventually.js';
import { blocksOf } from '../support/panel.js';
import { useService } from '../support/service.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';

const ROOT = path.resolve(__dirname, '../..');
/** The address of the service in the README. */
const SERVICE = 'http://127.0.0.1:3000';

describeInBrowser("the public form of the project's README", () => {
  const use = useService();
  const browser = useBrowser();

  beforeAll(() => seed(use.database.dataSource, ROOT));

  /** Opens exactly the README's page. The browser sends its requests to the service of this test instead. */
  async function open() {
    const [html = ''] = await blocksOf('README.md', 'html');
    const page = await browser.newPage();
    await page.route(`${SERVICE}/**`, async (route) => {
      const url = route.request().url().replace(SERVICE, use.service.url);
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    await page.route('http://site.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: html }),
    );
    await page.goto('http://site.example/');
    await page.getByLabel('First name').waitFor();
    return { html, page };
  }

  const submissions = () => use.database.dataSource.query('select uuid, status from submissions');

  it('has less than 40 lines', async () => {
    const [html = ''] = await blocksOf('README.md', 'html');
    expect(html.trim().split('\n').length).toBeLessThan(40);
    expect((await readFile(path.join(ROOT, 'README.md'), 'utf8')).split('\n').length).toBeLessThanOrEqual(
      201,
    );
  });

  it('is filled in and sent by a visitor without a token', async () => {
    const { page } = await open();
    browser.forgive(/status of 422|The first_name is required/);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').filter({ hasText: 'The first_name is required.' }).waitFor();
    expect(await submissions()).toMatchObject([{ status: 'draft' }]);

    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Last name').fill('Lovelace');
    await page.getByLabel('Email address').fill('ada@example.org');
    expect(await page.getByLabel('Title of your talk').isVisible()).toBe(false);
    await page.getByLabel('I am registering as').selectOption('speaker');
    await page.getByLabel('Title of your talk').fill('Engines');
    await page.getByLabel('How will you take part?').selectOption('online');
    await page.getByLabel('On which days?').selectOption(['day_1', 'day_2']);
    await page.getByLabel(/photo/i).selectOption('no');
    await page.getByLabel(/terms/i).selectOption('yes');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you.').waitFor();

    await eventually('it is completed', async () => (await submissions())[0].status === 'completed');
    const values = await use.database.dataSource.query(
      `select f.code, v.value from submission_values v join fields f on f.id = v.field_id where v.value <> ''`,
    );
    expect(
      Object.fromEntries(values.map(({ code, value }: { code: string; value: string }) => [code, value])),
    ).toEqual({
      ...{ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.org' },
      ...{ attendee_type: 'speaker', talk_title: 'Engines', attendance_mode: 'online', days: 'day_1,day_2' },
      ...{ photo_consent: 'no', terms_accepted: 'yes' },
    });
  });
});
