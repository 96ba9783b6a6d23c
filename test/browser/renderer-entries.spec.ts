import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { filesFolder, PDF } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { BUCKET, s3Server } from '../support/s3-server.js';
import { startService, withServiceOn } from '../support/service.js';
import { expectUsable, picture } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { FillIn } from './support/fill-in.js';
import { expectFocus, Questions } from './support/form-page.js';
import { type BegunDraft, EXAMPLE_FORMS, hold, REFUSED, useRenderer } from './support/use-renderer.js';

const TODAY = new Date().toISOString().slice(0, 10);
const CLAIM = EXAMPLE_FORMS.find(({ slug }) => slug === 'travel-expense-claim')!;
const CONTENT = /\/files\/[^/]+\/content$/;

const pdf = (name: string, buffer: Buffer = PDF) => ({ name, mimeType: 'application/pdf', buffer });

describeInBrowser('the example renderer, with repeating groups and files,', () => {
  const { use, browser, begin, visit, address } = useRenderer();

  /** The group of inputs of one entry. */
  const entry = ({ form }: BegunDraft, name: string) => form.page.getByRole('group', { name, exact: true });
  const within = (draft: BegunDraft, name: string) => new Questions(entry(draft, name));
  const button = ({ form }: BegunDraft, name: string) => form.page.getByRole('button', { name, exact: true });
  const edit = (draft: BegunDraft, name: string) => button(draft, `Edit ${name}`).click();

  const read = async ({ client, path }: BegunDraft) => (await client.get(path)).body.data;
  const valuesIn = async (draft: BegunDraft, recordId: number | null): Promise<Record<string, string>> => {
    const { values } = await read(draft);
    const found = values.filter(({ entity_record_id }: any) => entity_record_id === recordId);
    return Object.fromEntries(found.map(({ field_code, value }: any) => [field_code, value]));
  };
  const filesOf = async ({ client, path }: BegunDraft) =>
    (await client.get(`${path}/files`)).body.data as { name: string; state: string; value: string }[];

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

  it('fills in a claim with three receipts that are dropped at once, and one expense in dollars', async () => {
    browser.forgive(REFUSED);
    const draft = await begin(CLAIM.name);
    const { form } = draft;
    const { page } = form;
    const filling = await FillIn.of(draft, CLAIM.uuid, {
      ...{ employee_number: '104482', cost_centre: '4711', trip_purpose: 'other' },
    });
    await filling.answerSteps(filling.schema.steps[1]);
    await expectUsable(page, 'step');
    // This screenshot is docs/renderer.png.
    await picture(page, 'renderer', false);
    await form.press('Next');
    await form.heading('Expenses').waitFor();
    // The group needs an entry, so the page has opened the first one. The person can remove it again.
    await page.getByText('At least 1', { exact: true }).waitFor();
    await within(draft, 'Expense 1').field('Currency of the payment').waitFor();
    await form.saved();
    expect((await read(draft)).records).toHaveLength(1);
    await button(draft, 'Remove Expense 1').click();
    await entry(draft, 'Expense 1').waitFor({ state: 'detached' });
    expect(await valuesIn(draft, null)).toEqual(filling.answers);
    expect((await read(draft)).records).toEqual([]);
    await form.press('Next');
    await form.problems.getByRole('link', { name: /^Expense: Add at least 1 entry/ }).waitFor();
    await button(draft, 'Add an expense').click();
    await expectFocus(entry(draft, 'Expense 1'));

    const names = ['taxi.pdf', 'hotel.pdf', 'dinner.pdf'];
    await drop(within(draft, 'Expense 1').field('Receipt'), names);
    const fill = async (number: number, amount: string) => {
      const receipt = within(draft, `Expense ${number}`);
      await receipt.field('Date of the expense').fill(TODAY);
      await receipt.field('Category').selectOption({ label: 'Meals' });
      await receipt.field('Paid to').fill(`Restaurant ${number}`);
      await receipt.field('Amount (EUR)').fill(amount);
    };
    for (const [index, name] of names.entries()) {
      await entry(draft, `Expense ${index + 1}`)
        .filter({ hasText: name })
        .waitFor();
      if (index > 0) await edit(draft, `Expense ${index + 1}`);
      await fill(index + 1, '60');
    }
    // Only the last entry is open; the others are rows with their main answers.
    expect(await form.field('Paid to').count()).toBe(1);
    await entry(draft, 'Expense 2')
      .getByText(/^.*20\d\d.* · Meals · Restaurant 2$/)
      .waitFor();
    await button(draft, 'Add an expense').click();
    await expectFocus(entry(draft, 'Expense 4'));
    const dollars = within(draft, 'Expense 4');
    await fill(4, '86.50');
    const original = 'Amount in the original currency';
    expect(await form.field(original).count()).toBe(0);
    await dollars.field('Currency of the payment').selectOption({ label: 'US dollar' });
    await dollars.field(original).fill('92.40 USD');
    // The receipt is required only in an entry with an amount above 50.
    for (const [amount, isRequired] of [
      ['86.50', true],
      ['7', false],
    ] as const) {
      await dollars.field('Amount (EUR)').fill(amount);
      await eventually(`the receipt of ${amount}`, async () => {
        const required = await dollars.field('Receipt').getAttribute('required');
        return (required !== null) === isRequired;
      });
    }
    await form.saved();
    await expectUsable(page, 'entries');

    await form.press('Next');
    await form.heading('Payment and declaration').waitFor();
    await form.choice('Did you receive an advance for this trip?', 'No').check();
    await form.choice('How should we pay you?', 'With my next salary').check();
    await form.group('Declaration').getByRole('checkbox').check();
    await form.press('Check your answers');
    await form.heading('Check your answers').waitFor();
    for (const name of names) await page.getByRole('definition').filter({ hasText: name }).waitFor();
    await form.press('Submit');
    await form.heading('Thank you').waitFor();
    expect(await page.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(
      [1, 2, 3, 4].map((number) => `Expense ${number}`),
    );

    const { status, records } = await read(draft);
    expect([status, records.length]).toEqual(['completed', 4]);
    expect(await valuesIn(draft, null)).toEqual({
      ...filling.answers,
      ...{ advance_received: 'no', payment_method: 'salary', declaration: 'yes' },
    });
    for (const [index, { id }] of (records as { id: number }[]).entries()) {
      expect(await valuesIn(draft, id)).toEqual({
        ...{ expense_date: TODAY, category: 'meals', supplier: `Restaurant ${index + 1}` },
        ...(index < 3
          ? { amount: '60', currency: 'EUR', receipt: expect.stringMatching(/^file:/) as string }
          : { amount: '7', currency: 'USD', original_amount: '92.40 USD' }),
      });
    }
    expect(await filesOf(draft)).toMatchObject(
      names.map((name, index) => ({ name, state: 'stored', entity_record_id: records[index].id })),
    );
  });

  /** Begins a form with a repeating group of children on its only step. */
  const beginFamily = (bounds: { minRecords?: number; maxRecords?: number } = {}) =>
    begin({
      form: { completion: 'strict' },
      steps: [
        {
          child: { label: 'Name', isRepeatable: true, isRequired: true },
          mail: { type: 'email', label: 'Email address', isRepeatable: true },
          nickname: { label: 'Nicknames', isRepeatable: true },
        },
      ],
      entities: [{ name: 'a child', label: 'Child', isRepeatable: true, of: ['child', 'mail'], ...bounds }],
    });

  it('adds entries up to the maximum and removes one, sets the focus and announces each change', async () => {
    const draft = await beginFamily({ maxRecords: 2 });
    const { form } = draft;
    const { page } = form;
    const add = button(draft, 'Add a child');
    // A repeatable field without an entity is a single input.
    expect(await form.field('Nicknames').count()).toBe(1);
    await add.click();
    await page.getByText('Child 1 added').waitFor({ state: 'attached' });
    await within(draft, 'Child 1').field('Name').fill('Ada');
    await add.click();
    await page.getByText('Child 2 added').waitFor({ state: 'attached' });
    await expectFocus(entry(draft, 'Child 2'));
    await within(draft, 'Child 2').field('Name').waitFor();
    expect(await add.count()).toBe(0);

    await button(draft, 'Remove Child 1').click();
    await form.dialog.getByRole('heading', { name: 'Remove Child 1?' }).waitFor();
    await form.answer('Cancel');
    await expectFocus(button(draft, 'Remove Child 1'));
    await button(draft, 'Remove Child 1').click();
    await form.answer('Remove');
    await page.getByText('Child 1 removed').waitFor({ state: 'attached' });
    await expectFocus(add);
    expect(await entry(draft, 'Child 1').getByLabel('Name').inputValue()).toBe('');
    // After the open entry is removed, the last one is open.
    await add.click();
    await button(draft, 'Remove Child 2').click();
    // While an entry is being added, nothing is asked, because nothing could be removed.
    await within(draft, 'Child 1').field('Name').fill('Grace');
    await form.saved();
    const letGo = await hold(page, /\/records$/);
    await add.click();
    await button(draft, 'Remove Child 1').dispatchEvent('click');
    expect(await form.dialog.count()).toBe(0);
    letGo();
    await button(draft, 'Remove Child 2').click();
    await within(draft, 'Child 1').field('Name').fill('');
    await form.saved();
    // The remaining entry has no values, so its removal needs no confirmation.
    await button(draft, 'Remove Child 1').click();
    await eventually('none is left', async () => (await read(draft)).records.length === 0);

    await form.press('Check your answers');
    await form.heading('Check your answers').waitFor();
    expect(await page.locator('dd:not(.change)').allInnerTexts()).toEqual(['None added', 'Not answered']);
    await page.getByRole('link', { name: 'Change Child' }).click();
    await expectFocus(add);
  });

  it('shows an error at a group with too few entries, and the other errors in their entries', async () => {
    browser.forgive(REFUSED);
    const draft = await beginFamily({ minRecords: 2 });
    const { form } = draft;
    const add = button(draft, 'Add a child');
    await form.press('Check your answers');
    await form.problems.getByRole('link', { name: /^Child: Add at least 2 entries/ }).click();
    await expectFocus(add);
    const errorId = (await add.getAttribute('aria-describedby')) ?? '';
    expect(await form.page.locator(`[id="${errorId}"]`).innerText()).toContain('at least 2 entries');
    for (const [index, name] of ['', 'Grace'].entries()) {
      await add.click();
      await within(draft, `Child ${index + 1}`)
        .field('Name')
        .fill(name);
    }
    await within(draft, 'Child 2').field('Email address').fill('not an address');
    await form.press('Check your answers');
    await form.problems
      .getByRole('link', {
        name: 'Child 2: Email address: Enter an email address, such as name@example.org.',
      })
      .click();
    const mail = within(draft, 'Child 2').field('Email address');
    await expectFocus(mail);
    await mail.fill('grace@example.org');
    await form.press('Check your answers');
    // The entry with the error opens. If the user opens another one, its row says what is wrong.
    await within(draft, 'Child 1').field('Name').waitFor();
    await edit(draft, 'Child 2');
    await entry(draft, 'Child 1').getByText('Enter the name.').waitFor();
    await expectUsable(form.page, 'entries-errors');
    // The link opens the folded entry.
    await form.problems.getByRole('link', { name: 'Child 1: Enter the name.' }).click();
    const name = within(draft, 'Child 1').field('Name');
    await expectFocus(name);
    expect(await within(draft, 'Child 2').field('Name').count()).toBe(0);
    await name.fill('Ada');
    await form.submit();
    expect((await read(draft)).status).toBe('completed');
  });

  it('follows entries that are added and removed elsewhere, and saves the answers to the others', async () => {
    browser.forgive(REFUSED);
    const draft = await beginFamily({ maxRecords: 2 });
    const { form, client, path } = draft;
    const name = (number: number) => within(draft, `Child ${number}`).field('Name');
    await button(draft, 'Add a child').click();
    await name(1).fill('Ada');
    await form.saved();
    await client.post(`${path}/records`, { entity: 'a child' });
    await button(draft, 'Add a child').click();
    await form.problems.getByRole('link', { name: 'Child: There can be at most 2 entries here.' }).waitFor();
    await entry(draft, 'Child 2').waitFor();

    const [first, second] = (await read(draft)).records;
    await client.delete(`${path}/records/${first.id}`);
    const letGo = await hold(form.page, /\/values\?/);
    await name(1).fill('Ada Lovelace');
    await edit(draft, 'Child 2');
    await name(2).fill('Grace');
    letGo();
    await form.page.getByText('These answers were changed in another window').waitFor();
    await form.saved();
    expect(await name(1).inputValue()).toBe('Grace');
    expect(await entry(draft, 'Child 2').count()).toBe(0);
    expect(await valuesIn(draft, second.id)).toEqual({ child: 'Grace' });
  });

  /** Begins a form with two file fields on its only step. */
  const beginFiles = (options: BrowserContextOptions = {}, service = use.service) => {
    const types = { accept: 'application/pdf, .docx', maxBytes: 2_097_152 };
    const cv = { type: 'file', label: 'CV', isRequired: true, ...types };
    return begin({ steps: [{ cv, photo: { type: 'file', label: 'Photograph' } }] }, options, service);
  };
  const row = (page: Page, name: string) => page.locator('.file').filter({ hasText: name });
  const heard = (page: Page, text: string) =>
    page.locator('[aria-live=polite]').filter({ hasText: text }).first().waitFor({ state: 'attached' });

  it('loads the code for files again if that failed, and then opens the form', async () => {
    browser.forgive(/ERR_FAILED/);
    const { form: withFiles } = await buildForm(use.database.dataSource, {
      steps: [{ cv: { type: 'file', label: 'CV' } }],
    });
    const { form } = await visit();
    const { page } = form;
    const part = /\/files-[^/]+\.js$/;
    await page.route(part, (route) => route.abort());
    await page.goto(address(`/forms/${withFiles.uuid}`));
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute(part);
    // The renderer also retries without a click.
    await form.field('CV').waitFor();
  });

  it('shows the state of each file, and why it rejects a file', async () => {
    browser.forgive(REFUSED);
    const draft = await beginFiles();
    const { form } = draft;
    const { page } = form;
    const letGo = await hold(page, CONTENT);
    await page.getByText('PDF, DOCX, up to 2 MB').waitFor();
    const longName = 'holiday on the island of a very long file name, twice.pdf';
    await form.field('Photograph').setInputFiles(pdf(longName, Buffer.alloc(2_000_000)));
    await form.field('CV').setInputFiles(pdf('long.pdf', Buffer.alloc(2_097_153)));
    await page.getByText('long.pdf is too large. It may have at most 2 MB.').first().waitFor();
    await heard(page, 'long.pdf is too large');
    await page.getByRole('progressbar', { name: /^Uploading holiday/ }).waitFor();
    await heard(page, 'Uploading holiday');
    // Not "Saved", beside an upload and a rejected file.
    await form.status.filter({ hasText: /^Uploading…$/ }).waitFor();
    await expectUsable(page, 'files');

    // The error summary links to the file's input.
    await page.getByRole('link', { name: 'CV: long.pdf is too large. It may have at most 2 MB.' }).click();
    await expectFocus(form.field('CV'));
    await form.field('CV').setInputFiles({ ...pdf('cv.txt'), mimeType: 'text/plain' });
    await page.getByText('cv.txt is not a PDF or a DOCX.').first().waitFor();
    await page.getByRole('button', { name: 'Remove cv.txt' }).click();
    await expectFocus(form.field('CV'));
    expect(await form.problems.count()).toBe(0);

    letGo();
    // Only the service detects content that does not match the type.
    await form.field('CV').setInputFiles(pdf('cv.pdf', Buffer.from('<!doctype html><p>Not a PDF</p>')));
    await page.getByText('cv.pdf is not a PDF or a DOCX.').first().waitFor();
    await form.status.filter({ hasText: /^Some answers are not saved$/ }).waitFor();
    // A field for one file takes the first one.
    await drop(form.field('CV'), ['cv.pdf', 'two.pdf', 'three.pdf']);
    await page.getByRole('alert').filter({ hasText: 'Not uploaded: two.pdf, three.pdf.' }).waitFor();
    await heard(page, 'cv.pdf is uploaded');
    await form.saved();
    await expectUsable(page, 'files-done');
    await form.submit();
    expect((await filesOf(draft)).map(({ name }) => name).sort()).toEqual(['cv.pdf', longName]);
  });

  it('shows the progress of an upload, which the keyboard can cancel, like it can remove a file', async () => {
    const draft = await beginFiles();
    const { form } = draft;
    const { page } = form;
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 500_000 };
    await network.send('Network.emulateNetworkConditions', slow);
    await form.field('Photograph').setInputFiles(pdf('slow.pdf', Buffer.alloc(5_000_000)));
    const bar = page.getByRole('progressbar', { name: 'Uploading slow.pdf' });
    const seen = new Set<number>();
    await eventually('it moves', async () => {
      const value = Number(await bar.getAttribute('value'));
      if (value > 0 && value < 5_000_000) seen.add(value);
      return seen.size > 1;
    });
    // The upload must not end before the keyboard reaches the button.
    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: 1 });
    await form.field('Photograph').focus();
    await page.keyboard.press('Tab');
    await expectFocus(page.getByRole('button', { name: 'Cancel slow.pdf' }));
    await page.keyboard.press('Enter');
    await row(page, 'slow.pdf').waitFor({ state: 'detached' });
    await expectFocus(form.field('Photograph'));
    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
    await eventually('nothing is kept', async () => (await filesOf(draft)).length === 0);

    await form.field('Photograph').setInputFiles(pdf('me.pdf'));
    await heard(page, 'me.pdf is uploaded');
    // The service deletes a file without a value only after a day (U7), so wait until the value is stored.
    await eventually('it is stored', async () => 'photo' in (await valuesIn(draft, null)));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await eventually('nothing is kept', async () => (await filesOf(draft)).length === 0);
    expect(await valuesIn(draft, null)).toMatchObject({ photo: '' });
  });

  it('waits for an upload before Next, retries it when the connection is back, and shows its name after a reload', async () => {
    browser.forgive(/^Failed to load resource: net::ERR_/);
    const draft = await beginFiles();
    const { form } = draft;
    const { page } = form;
    const letGo = await hold(page, CONTENT);
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
  });

  it('shows that a file is being scanned, and then that it is clean or infected', async () => {
    browser.forgive(REFUSED);
    const scanned = filesFolder();
    // Nothing listens at CLAMD_URL, because the test itself sets the results of the scan.
    const variables = { FILES_URL: scanned.url, CLAMD_URL: 'tcp://127.0.0.1:1' };
    await withServiceOn(use.database, variables, async (service) => {
      const { form, uuid } = await beginFiles({}, service);
      const { page } = form;
      for (const label of ['CV', 'Photograph']) await form.field(label).setInputFiles(pdf(`${label}.pdf`));
      await page.getByText('Being checked for viruses').nth(1).waitFor();
      await form.saved();
      await use.database.dataSource.query(
        `update files set state = case name when 'CV.pdf' then 'clean' else 'infected' end where submission_uuid = $1`,
        [uuid],
      );
      const sentence = 'Photograph: A virus was found in Photograph.pdf. Choose another file.';
      await page.getByRole('link', { name: sentence }).waitFor();
      await row(page, 'Photograph.pdf').getByText('Infected').waitFor();
      await heard(page, 'CV.pdf is uploaded');
      await expectUsable(page, 'files-infected');
    });
    await scanned.remove();
  });

  it('uploads directly to S3, which is another origin, without the token', async () => {
    const s3 = await s3Server();
    const variables = { FILES_URL: `s3://${BUCKET}/browser`, ...s3.variables };
    const service = await startService(use.database, variables);
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
      const url = `${service.url}${draft.path}/files/${file?.value.replace('file:', '')}/content`;
      const content = await page.evaluate(
        async ([url, token]) => (await fetch(url, { headers: { Authorization: `Bearer ${token}` } })).text(),
        [url, draft.token] as const,
      );
      expect(content).toBe(PDF.toString());
      expect(await (await redirected).headerValue('Origin')).toBe('null');
    } finally {
      await service.close();
      await s3.remove();
    }
  });
});
