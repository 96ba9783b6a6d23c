import path from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { filesFolder, PDF } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { BUCKET, s3Server } from '../support/s3-server.js';
import { startService, withServiceOn } from '../support/service.js';
import { expectAccessible } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { expectFocus, Questions } from './support/form-page.js';
import { type BegunDraft, REFUSED, useRenderer } from './support/use-renderer.js';

const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
];
const PICTURES = process.env['SCREENSHOTS'] || undefined;

const pdf = (name: string, buffer: Buffer = PDF) => ({ name, mimeType: 'application/pdf', buffer });
const CONTENT = /\/files\/[^/]+\/content$/;
const TODAY = new Date().toISOString().slice(0, 10);

describeInBrowser('the example renderer, with file fields,', () => {
  const { use, browser, begin, visit, address } = useRenderer();

  let forms = 0;
  /** Begins a form with two file fields on its only step. */
  async function beginFiles(options: BrowserContextOptions = {}, service = use.service): Promise<BegunDraft> {
    forms += 1;
    const { form } = await buildForm(use.database.dataSource, {
      form: { name: `Files ${forms}` },
      steps: [
        {
          cv: {
            type: 'file',
            label: 'CV',
            isRequired: true,
            accept: 'application/pdf, .docx',
            maxBytes: 2_097_152,
          },
          photo: { type: 'file', label: 'Photograph' },
        },
      ],
    });
    return begin(form.name, options, service);
  }

  const filesOf = async ({ client, path: submission }: BegunDraft) =>
    (await client.get(`${submission}/files`)).body.data as { name: string; state: string; value: string }[];
  const valuesOf = async ({ client, path: submission }: BegunDraft) =>
    (await client.get(submission)).body.data.values as { field_code: string; value: string }[];
  const row = (page: Page, name: string) => page.locator('.file').filter({ hasText: name });
  const heard = (page: Page, text: string) =>
    page.locator('[aria-live=polite]').filter({ hasText: text }).first().waitFor({ state: 'attached' });

  /** Delays uploads until the returned function is called. */
  async function hold(page: Page) {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route(CONTENT, async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    return letGo;
  }

  /** Drops files on the input, like a user who drags them from a folder. */
  async function drop(input: Locator, names: readonly string[]) {
    const transfer = await input.page().evaluateHandle(`(() => {
      const dropped = new DataTransfer();
      for (const name of ${JSON.stringify(names)})
        dropped.items.add(new File(['%PDF-1.7 ' + name], name, { type: 'application/pdf' }));
      return dropped;
    })()`);
    for (const type of ['dragenter', 'dragover', 'drop'])
      await input.dispatchEvent(type, { dataTransfer: transfer });
  }

  it('loads the code for files again if that failed, and then opens the form', async () => {
    browser.forgive(/ERR_FAILED/);
    const { form } = await visit();
    const { form: withFiles } = await buildForm(use.database.dataSource, {
      steps: [{ cv: { type: 'file', label: 'CV' } }],
    });
    const { page } = form;
    const part = /\/files-[^/]+\.js$/;
    await page.route(part, (route) => route.abort());
    await page.goto(address(use.service, `/forms/${withFiles.uuid}`));
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute(part);
    // The renderer also retries without a click.
    await form.field('CV').waitFor();
  });

  it('uploads three receipts that are dropped at once, each in its own entry, and completes the claim', async () => {
    const draft = await begin('Travel expense claim');
    const { form, client, path: submission } = draft;
    const { page } = form;
    await fillBeforeExpenses(draft);
    const entry = (number: number) => page.getByRole('group', { name: `Expense ${number}`, exact: true });
    await entry(1).waitFor();
    // After a reload, the entry is open because it is the last one. It stays open when others are added.
    await page.reload();
    const names = ['taxi.pdf', 'hotel.pdf', 'dinner.pdf'];
    await drop(new Questions(entry(1)).field('Receipt'), names);
    for (const [index, name] of names.entries()) {
      const receipt = new Questions(entry(index + 1));
      await entry(index + 1)
        .filter({ hasText: name })
        .waitFor();
      if (index > 0)
        await page.getByRole('button', { name: `Edit Expense ${index + 1}`, exact: true }).click();
      await receipt.field('Date of the expense').fill(TODAY);
      await receipt.field('Category').selectOption({ label: 'Meals' });
      await receipt.field('Paid to').fill(`Somebody ${index + 1}`);
      await receipt.field('Amount (EUR)').fill('60');
    }
    await form.saved();
    await expectAccessible(page);
    await form.press('Next');
    await form.choice('Did you receive an advance for this trip?', 'No').check();
    await form.choice('How should we pay you?', 'With my next salary').check();
    await form.group('Declaration').getByRole('checkbox').check();
    await form.press('Check your answers');
    await form.heading('Check your answers').waitFor();
    for (const name of names) await page.getByRole('definition').filter({ hasText: name }).waitFor();
    await form.press('Submit');
    await form.heading('Thank you').waitFor();

    const { status, records } = (await client.get(submission)).body.data;
    expect([status, records.length]).toEqual(['completed', 3]);
    expect(await filesOf(draft)).toMatchObject(
      names.map((name, index) => ({ name, state: 'stored', entity_record_id: records[index].id })),
    );
  });

  it.each(LOOKS)(
    'shows the state of each file, and why it rejects a file, in the look "%s"',
    async (look, options) => {
      browser.forgive(REFUSED);
      const draft = await beginFiles(options);
      const { form } = draft;
      const { page } = form;
      const letGo = await hold(page);
      await page.getByText('PDF, DOCX, up to 2 MB').waitFor();
      await form
        .field('Photograph')
        .setInputFiles(
          pdf('holiday on the island of a very long file name, twice.pdf', Buffer.alloc(2_000_000)),
        );
      await form.field('CV').setInputFiles(pdf('long.pdf', Buffer.alloc(2_097_153)));
      await page.getByText('long.pdf is too large. It may have at most 2 MB.').first().waitFor();
      await heard(page, 'long.pdf is too large');
      await page.getByRole('progressbar', { name: /^Uploading holiday/ }).waitFor();
      await heard(page, 'Uploading holiday');
      // Not "Saved", beside an upload and a rejected file.
      await form.status.filter({ hasText: /^Uploading…$/ }).waitFor();
      if (PICTURES !== undefined)
        await page.screenshot({ path: path.join(PICTURES, `files-${look}.png`), fullPage: true });
      await expectAccessible(page);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);

      // The error summary links to the file's input.
      await page.getByRole('link', { name: 'CV: long.pdf is too large. It may have at most 2 MB.' }).click();
      await expectFocus(form.field('CV'));
      await form
        .field('CV')
        .setInputFiles({ name: 'cv.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
      await page.getByText('cv.txt is not a PDF or a DOCX.').first().waitFor();
      await page.getByRole('button', { name: 'Remove cv.txt' }).click();
      await expectFocus(form.field('CV'));
      expect(await form.problems.count()).toBe(0);

      letGo();
      // Only the service detects content that does not match the type.
      await form.field('CV').setInputFiles(pdf('cv.pdf', Buffer.from('<!doctype html><p>Not a PDF</p>')));
      await page.getByText('cv.pdf is not a PDF or a DOCX.').first().waitFor();
      await form.status.filter({ hasText: /^Some answers are not saved$/ }).waitFor();
      await form.field('CV').setInputFiles(pdf('cv.pdf'));
      await heard(page, 'cv.pdf is uploaded');
      await form.saved();
      if (PICTURES !== undefined)
        await page.screenshot({ path: path.join(PICTURES, `files-done-${look}.png`), fullPage: true });
      await expectAccessible(page);
      await form.submit();
      expect((await filesOf(draft)).map(({ name }) => name).sort()).toEqual([
        'cv.pdf',
        expect.stringContaining('holiday'),
      ]);
    },
  );

  it('uploads one file to a field for one file, and names the others', async () => {
    const draft = await beginFiles();
    const { page } = draft.form;
    await drop(draft.form.field('CV'), ['one.pdf', 'two.pdf', 'three.pdf']);
    await page.getByRole('alert').filter({ hasText: 'Not uploaded: two.pdf, three.pdf.' }).waitFor();
    await row(page, 'one.pdf').waitFor();
    await draft.form.saved();
    expect(await filesOf(draft)).toHaveLength(1);
  });

  it('lets users cancel an upload and remove a file with the keyboard alone', async () => {
    const draft = await beginFiles();
    const { form } = draft;
    const { page } = form;
    const letGo = await hold(page);
    await form.field('Photograph').setInputFiles(pdf('holiday.pdf'));
    await page.getByRole('progressbar', { name: 'Uploading holiday.pdf' }).waitFor();
    await form.field('Photograph').focus();
    await page.keyboard.press('Tab');
    await expectFocus(page.getByRole('button', { name: 'Cancel holiday.pdf' }));
    await page.keyboard.press('Enter');
    await row(page, 'holiday.pdf').waitFor({ state: 'detached' });
    await expectFocus(form.field('Photograph'));
    letGo();
    await eventually('nothing is kept', async () => (await filesOf(draft)).length === 0);

    await form.field('Photograph').setInputFiles(pdf('me.pdf'));
    await heard(page, 'me.pdf is uploaded');
    // The service deletes a file without a value only after a day (U7), so wait until the value is stored.
    await eventually('it is stored', async () => (await valuesOf(draft)).some(({ value }) => value !== ''));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await eventually('nothing is kept', async () => (await filesOf(draft)).length === 0);
    expect(await valuesOf(draft)).toMatchObject([{ field_code: 'photo', value: '' }]);
  });

  it('shows the progress of an upload', async () => {
    const draft = await beginFiles();
    const { page } = draft.form;
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 500_000 };
    await network.send('Network.emulateNetworkConditions', slow);
    await draft.form.field('Photograph').setInputFiles(pdf('slow.pdf', Buffer.alloc(2_000_000)));
    const bar = page.getByRole('progressbar', { name: 'Uploading slow.pdf' });
    const seen = new Set<number>();
    await eventually(
      'it moves',
      async () => {
        const value = Number(await bar.getAttribute('value'));
        if (value > 0 && value < 2_000_000) seen.add(value);
        return seen.size > 1;
      },
      15_000,
    );
    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
    await heard(page, 'slow.pdf is uploaded');
    await draft.form.saved();
  });

  it('waits for an upload before Next, retries it when the connection is back, and shows its name after a reload', async () => {
    browser.forgive(/^Failed to load resource: net::ERR_/);
    const draft = await beginFiles();
    const { form } = draft;
    const { page } = form;
    const letGo = await hold(page);
    await form.field('CV').setInputFiles(pdf('cv.pdf'));
    await page.getByRole('progressbar', { name: 'Uploading cv.pdf' }).waitFor();
    await form.press('Check your answers');
    await page.getByRole('button', { name: 'Uploading…' }).waitFor();
    await page.context().setOffline(true);
    letGo();
    await page.getByText('The connection was lost. The upload restarts automatically.').first().waitFor();
    await page.unroute(CONTENT);
    await page.context().setOffline(false);
    await row(page, 'cv.pdf').getByRole('button', { name: 'Remove' }).waitFor();
    await form.saved();
    await page.reload();
    await row(page, 'cv.pdf').waitFor();
    await form.submit();
    expect(await filesOf(draft)).toMatchObject([{ name: 'cv.pdf', state: 'stored' }]);
  });

  it('shows that a file is being scanned, and then that it is clean or infected', async () => {
    browser.forgive(REFUSED);
    const { dataSource } = use.database;
    // Nothing listens at CLAMD_URL, because the test itself sets the results of the scan.
    const scanned = filesFolder();
    await withServiceOn(
      use.database,
      { FILES_URL: scanned.url, CLAMD_URL: 'tcp://127.0.0.1:1' },
      async (service) => {
        const draft = await beginFiles({}, service);
        const { page } = draft.form;
        for (const label of ['CV', 'Photograph'])
          await draft.form.field(label).setInputFiles(pdf(`${label}.pdf`));
        await page.getByText('Being checked for viruses').nth(1).waitFor();
        await draft.form.saved();
        await dataSource.query(
          `update files set state = case name when 'CV.pdf' then 'clean' else 'infected' end where submission_uuid = $1`,
          [draft.uuid],
        );
        await page
          .getByRole('link', {
            name: 'Photograph: A virus was found in Photograph.pdf. Choose another file.',
          })
          .waitFor();
        await row(page, 'Photograph.pdf').getByText('Infected').waitFor();
        await heard(page, 'CV.pdf is uploaded');
        await expectAccessible(page);
      },
    );
    await scanned.remove();
  });

  it('uploads directly to S3, which is another origin, without the token', async () => {
    const s3 = await s3Server();
    const service = await startService(use.database, {
      FILES_URL: `s3://${BUCKET}/browser`,
      ...s3.variables,
    });
    try {
      const draft = await beginFiles({}, service);
      const { page } = draft.form;
      const sent: (string | undefined)[][] = [];
      page.on('request', (request) => {
        if (request.method() === 'PUT')
          sent.push([new URL(request.url()).origin, request.headers()['authorization']]);
      });
      await draft.form.field('CV').setInputFiles(pdf('cv.pdf'));
      await heard(page, 'cv.pdf is uploaded');
      await draft.form.submit();
      expect(sent).toEqual([[s3.variables.AWS_ENDPOINT_URL_S3, undefined]]);
      const [file] = await filesOf(draft);
      expect(file).toMatchObject({ name: 'cv.pdf', state: 'stored' });

      // Page, service and S3 have three different origins, so the redirected request has the origin `null`.
      const redirected = page.waitForRequest((request) => request.redirectedFrom() !== null);
      const content = await page.evaluate(
        async ([url, token]) => (await fetch(url, { headers: { Authorization: `Bearer ${token}` } })).text(),
        [
          `${service.url}${draft.path}/files/${file?.value.replace('file:', '')}/content`,
          draft.token,
        ] as const,
      );
      expect(content).toBe(PDF.toString());
      expect(await (await redirected).headerValue('Origin')).toBe('null');
    } finally {
      await service.close();
      await s3.remove();
    }
  });

  async function fillBeforeExpenses({ form }: BegunDraft) {
    await form.field('Full name').fill('Ada Lovelace');
    await form.field('Employee number').fill('104482');
    await form.field('Work email address').fill('ada@example.org');
    await form.field('Department').selectOption({ index: 2 });
    await form.field('Cost centre').fill('4711');
    await form.field("Line manager's email address").fill('charles@example.org');
    await form.press('Next');
    await form.field('Purpose of the trip').selectOption({ label: 'Customer visit' });
    await form.field('Name of the customer').fill('Analytical Engines Ltd');
    await form.field('Destination').fill('Vienna, Austria');
    await form.field('Date of departure').fill(TODAY);
    await form.field('Date of return').fill(TODAY);
    await form.field('Number of nights away').fill('0');
    await form.choice('Means of transport', 'Train').check();
    await form.press('Next');
    await form.heading('Expenses').waitFor();
  }
});
