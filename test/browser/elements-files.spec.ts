import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { filesFolder } from '../support/files.js';
import { buildForm, type FormPlan } from '../support/forms.js';
import { BUCKET, s3Server } from '../support/s3-server.js';
import { startService, withServiceOn } from '../support/service.js';
import { expectUsable } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { expectFocus } from './support/focus.js';
import {
  heading,
  hold,
  pdf,
  press,
  REFUSED,
  saved,
  status,
  summaryOn,
  useElement,
} from './support/use-element.js';

const CONTENT = /\/files\/[^/]+\/content$/;

describeInBrowser('groups and files of <formtrail-form>', () => {
  const { use, browser, open, begin } = useElement();

  type Begun = Awaited<ReturnType<typeof begin>>;
  const entry = (page: Page, name: string) => page.getByRole('group', { name, exact: true });
  const add = (page: Page) => page.getByRole('button', { name: 'Add a child' });
  const valuesIn = async (
    { read }: Begun,
    recordId: number | null = null,
  ): Promise<Record<string, string>> => {
    const { values } = await read();
    const found = values.filter(({ entity_record_id }: any) => entity_record_id === recordId);
    return Object.fromEntries(found.map(({ field_code, value }: any) => [field_code, value]));
  };
  const filesOf = async ({ client, path }: Begun) =>
    (await client.get(`${path}/files`)).body.data as { name: string; state: string; value: string }[];
  const row = (page: Page, name: string) => page.locator('[part=file]').filter({ hasText: name });
  const heard = (page: Page, text: string) =>
    page.locator('[aria-live=polite]').filter({ hasText: text }).first().waitFor({ state: 'attached' });

  const family = (bounds: { minRecords?: number; maxRecords?: number }): FormPlan => ({
    form: { completion: 'strict' },
    steps: [
      {
        child: { label: 'Name', isRepeatable: true, isRequired: true },
        mail: { type: 'email', label: 'Email address', isRepeatable: true },
        photo: { type: 'file', label: 'Photograph', isRepeatable: true, accept: 'application/pdf' },
        nickname: { label: 'Nicknames', isRepeatable: true },
      },
      { end: {} },
    ],
    entities: [
      { name: 'a child', label: 'Child', isRepeatable: true, of: ['child', 'mail', 'photo'], ...bounds },
    ],
  });

  it('adds entries up to the maximum, announces each change, and removes an entry without answers at once', async () => {
    const begun = await begin(family({ maxRecords: 2 }));
    const { page, read } = begun;
    // A repeatable field without an entity is a single input.
    expect(await page.getByLabel('Nicknames').count()).toBe(1);
    for (const name of ['Child 1', 'Child 2']) {
      await add(page).click();
      await heard(page, `${name} added`);
      await expectFocus(entry(page, name).locator('summary'));
    }
    expect(await add(page).count()).toBe(0);
    await press(page, 'Remove Child 2');
    await heard(page, 'Child 2 removed');
    await expectFocus(add(page));
    await press(page, 'Remove Child 1');
    await eventually('none is left', async () => (await read()).records.length === 0);
    await press(page, 'Next');
    await press(page, 'Check your answers');
    await heading(page, 'Check your answers').waitFor();
    await page.getByText('All 2 steps done').waitFor();
    // The first step leaves out an optional question without an answer. The second one has no other question.
    expect(await page.locator('dt').allInnerTexts()).toEqual(['Child', 'Not answered']);
    await page.getByText('None added', { exact: true }).waitFor();
    await press(page, 'Change Step 2');
    await expectFocus(page.getByLabel('end'));
    await press(page, 'Check your answers');
    await heading(page, 'Check your answers').waitFor();
    await press(page, 'Change Child');
    await expectFocus(add(page));
  });

  it('follows entries that are added and removed elsewhere, and saves the answers to the others', async () => {
    browser.forgive(REFUSED);
    const begun = await begin(family({ maxRecords: 2 }));
    const { page, client, path, read } = begun;
    const name = (number: number) => entry(page, `Child ${number}`).getByLabel('Name');
    await add(page).click();
    await name(1).fill('Ada');
    await saved(page);
    await client.post(`${path}/records`, { entity: 'a child' });
    await add(page).click();
    await summaryOn(page)
      .getByRole('link', { name: 'Child: There can be at most 2 entries here.' })
      .waitFor();
    await entry(page, 'Child 2').waitFor();

    const [first, second] = (await read()).records;
    await client.delete(`${path}/records/${first.id}`);
    const letGo = await hold(page, /\/values\?/);
    await entry(page, 'Child 1').locator('summary').click();
    await name(1).fill('Ada Lovelace');
    await entry(page, 'Child 2').locator('summary').click();
    await name(2).fill('Grace');
    letGo();
    await page.getByText('These answers were changed in another window').waitFor();
    await saved(page);
    expect(await name(1).inputValue()).toBe('Grace');
    expect(await entry(page, 'Child 2').count()).toBe(0);
    expect(await valuesIn(begun, second.id)).toEqual({ child: 'Grace' });
  });

  it('opens the first entry of a group with a minimum with the first answer, and shows the answers of each entry together', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      ...family({ minRecords: 1 }),
      form: { access: 'public' },
    });
    const page = await open(form.slug);
    await page.getByText('At least 1', { exact: true }).waitFor();
    expect(await entry(page, 'Child 1').count()).toBe(0);
    await page.getByLabel('Nicknames').pressSequentially('A');
    const name = (number: number) => entry(page, `Child ${number}`).getByLabel('Name');
    await name(1).waitFor();
    await expectFocus(page.getByLabel('Nicknames'));
    await name(1).fill('Ada');
    await add(page).click();
    await name(2).fill('Bob');
    await entry(page, 'Child 2').getByLabel('Email address').fill('bob@example.org');
    await press(page, 'Next');
    await press(page, 'Check your answers');
    await heading(page, 'Check your answers').waitFor();
    expect(await page.locator('h4').allInnerTexts()).toEqual(['Child 1', 'Child 2']);
    expect(await page.locator('[part=entry-answers] dt').allInnerTexts()).toEqual([
      'Name',
      'Name',
      'Email address',
    ]);
    await expectUsable(page, 'element-entries-review', 320);
    await press(page, 'Change Child 2 Email address');
    await expectFocus(entry(page, 'Child 2').getByLabel('Email address'));
  });

  it('takes several files at once, each for an entry of its own, and says for which there is no room', async () => {
    const begun = await begin(family({ maxRecords: 3 }));
    const { page, read } = begun;
    await add(page).click();
    const photo = entry(page, 'Child 1').getByLabel('Photograph');
    await dropped(photo, ['one.pdf', 'two.pdf', 'three.pdf', 'four.pdf']);
    for (const [index, name] of ['one.pdf', 'two.pdf', 'three.pdf'].entries())
      await entry(page, `Child ${index + 1}`)
        .locator('[part=file]')
        .filter({ hasText: name })
        .waitFor({ state: 'attached' });
    await expectFocus(photo);
    await page.getByRole('alert').filter({ hasText: 'Not uploaded: four.pdf.' }).waitFor();
    await expectUsable(page, 'element-entries', 320);
    await saved(page);
    const { records } = await read();
    expect(await filesOf(begun)).toMatchObject(
      ['one.pdf', 'two.pdf', 'three.pdf'].map((name, index) => ({
        name,
        entity_record_id: records[index].id,
      })),
    );
    // A question without a group takes one file.
    expect(await photo.evaluate((input) => (input as unknown as { multiple: boolean }).multiple)).toBe(false);
  });

  const files: FormPlan = {
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
      { end: { label: 'End' } },
    ],
  };

  it('shows the state of each file, and why it rejects a file', async () => {
    browser.forgive(REFUSED);
    const begun = await begin(files);
    const { page } = begun;
    const letGo = await hold(page, CONTENT);
    await page.getByText('PDF, DOCX, up to 2 MB').waitFor();
    const longName = 'holiday on the island of a very long file name, twice.pdf';
    await page.getByLabel('Photograph').setInputFiles(pdf(longName, Buffer.alloc(2_000_000)));
    await page.getByLabel('CV').setInputFiles(pdf('long.pdf', Buffer.alloc(2_097_153)));
    await heard(page, 'long.pdf is too large. It may have at most 2 MB.');
    await page.getByRole('progressbar', { name: /^Uploading holiday/ }).waitFor();
    await heard(page, 'Uploading holiday');
    // Not "Saved", beside an upload and a rejected file.
    await status(page, /^Uploading…$/);
    await expectUsable(page, 'element-files', 320);
    // The error summary links to the file's input.
    await page.getByRole('link', { name: 'CV: long.pdf is too large. It may have at most 2 MB.' }).click();
    await expectFocus(page.getByLabel('CV'));
    await page.getByLabel('CV').setInputFiles({ ...pdf('cv.txt'), mimeType: 'text/plain' });
    await page.getByText('cv.txt is not a PDF or a DOCX.').first().waitFor();
    await press(page, 'Remove cv.txt');
    await expectFocus(page.getByLabel('CV'));
    expect(await summaryOn(page).count()).toBe(0);
    letGo();
    // Only the service detects content that does not match the type.
    await page.getByLabel('CV').setInputFiles(pdf('cv.pdf', Buffer.from('<!doctype html><p>Not a PDF</p>')));
    await page.getByText('cv.pdf is not a PDF or a DOCX.').first().waitFor();
    await status(page, /^Saved, except for the marked answers$/);
    await page.getByLabel('CV').setInputFiles(pdf('cv.pdf'));
    await heard(page, 'cv.pdf is uploaded');
    await saved(page);
    expect((await filesOf(begun)).map(({ name }) => name).sort()).toEqual(['cv.pdf', longName]);
  });

  it('shows the progress of an upload, which the keyboard can cancel, like it can remove a file', async () => {
    const begun = await begin(files);
    const { page } = begun;
    const letGo = await hold(page, /\/commit$/);
    await page.getByLabel('Photograph').setInputFiles(pdf('slow.pdf', Buffer.alloc(5_000_000)));
    const bar = page.getByRole('progressbar', { name: 'Uploading slow.pdf' });
    await eventually('it is full', async () => (await bar.getAttribute('value')) === '5000000');
    expect(await bar.getAttribute('max')).toBe('5000000');
    await page.getByLabel('Photograph').focus();
    await page.keyboard.press('Tab');
    await expectFocus(page.getByRole('button', { name: 'Cancel slow.pdf' }));
    await page.keyboard.press('Enter');
    await row(page, 'slow.pdf').waitFor({ state: 'detached' });
    await expectFocus(page.getByLabel('Photograph'));
    letGo();
    await eventually('nothing is kept', async () => (await filesOf(begun)).length === 0);

    await page.getByLabel('Photograph').setInputFiles(pdf('me.pdf'));
    await heard(page, 'me.pdf is uploaded');
    // The service deletes a file without a value only after a day (U7), so wait until the value is stored.
    await eventually('it is stored', async () => 'photo' in (await valuesIn(begun)));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await eventually('nothing is kept', async () => (await filesOf(begun)).length === 0);
    expect(await valuesIn(begun)).toMatchObject({ photo: '' });
  });

  it('waits for an upload before Next, repeats it when the connection is back, and shows its name after a reload', async () => {
    browser.forgive(/^Failed to load resource: net::ERR_/);
    const { page } = await begin(files);
    const letGo = await hold(page, CONTENT);
    await page.getByLabel('CV').setInputFiles(pdf('cv.pdf'));
    await page.getByRole('progressbar', { name: 'Uploading cv.pdf' }).waitFor();
    await press(page, 'Next');
    await page.getByRole('button', { name: 'Uploading…' }).waitFor();
    await page.context().setOffline(true);
    letGo();
    await page.getByText('Interrupted. The upload restarts automatically.').first().waitFor();
    await page.unroute(CONTENT);
    await page.context().setOffline(false);
    await row(page, 'cv.pdf').getByRole('button', { name: 'Remove' }).waitFor();
    await saved(page);
    await page.reload();
    await row(page, 'cv.pdf').waitFor();
  });

  it('shows that a file is being scanned, and then that it is clean or infected', async () => {
    browser.forgive(REFUSED);
    const scanned = filesFolder();
    // Nothing listens at CLAMD_URL, because the test itself sets the results of the scan.
    const variables = { FILES_URL: scanned.url, CLAMD_URL: 'tcp://127.0.0.1:1' };
    await withServiceOn(use.database, variables, async (service) => {
      const { page, uuid } = await begin(files, { service });
      for (const label of ['CV', 'Photograph'])
        await page.getByLabel(label).setInputFiles(pdf(`${label}.pdf`));
      await row(page, 'CV.pdf').getByText('Being checked for viruses').waitFor();
      await row(page, 'Photograph.pdf').getByText('Being checked for viruses').waitFor();
      await saved(page);
      await use.database.dataSource.query(
        `update files set state = case name when 'CV.pdf' then 'clean' else 'infected' end where submission_uuid = $1`,
        [uuid],
      );
      const sentence = 'Photograph: A virus was found in Photograph.pdf. Choose another file.';
      await page.getByRole('link', { name: sentence }).waitFor();
      await row(page, 'Photograph.pdf').getByText('Infected').waitFor();
      await heard(page, 'CV.pdf is uploaded');
    });
    await scanned.remove();
  });

  it('stores the name of a file if the service stores no files', async () => {
    browser.forgive(REFUSED);
    await withServiceOn(use.database, { FILES_URL: '' }, async (service) => {
      const begun = await begin(files, { service });
      await begun.page.getByLabel('CV').setInputFiles(pdf('cv.pdf'));
      await eventually('it is stored', async () => (await valuesIn(begun))['cv'] === 'cv.pdf');
    });
  });

  it('uploads directly to S3, which is another origin, without the token', async () => {
    const s3 = await s3Server();
    const service = await startService(use.database, {
      FILES_URL: `s3://${BUCKET}/browser`,
      ...s3.variables,
    });
    try {
      const begun = await begin(files, { service });
      const { page, token, path } = begun;
      const sent: (string | undefined)[][] = [];
      page.on('request', (request) => {
        if (request.method() === 'PUT')
          sent.push([new URL(request.url()).origin, request.headers()['authorization']]);
      });
      await page.getByLabel('CV').setInputFiles(pdf('cv.pdf'));
      await heard(page, 'cv.pdf is uploaded');
      expect(sent).toEqual([[s3.variables.AWS_ENDPOINT_URL_S3, undefined]]);
      const [file] = await filesOf(begun);
      expect(file).toMatchObject({ name: 'cv.pdf', state: 'stored' });

      // Page, service and S3 have three different origins, so the redirected request has the origin `null`.
      const redirected = page.waitForRequest((request) => request.redirectedFrom() !== null);
      const url = `${service.url}${path}/files/${file?.value.replace('file:', '')}/content`;
      const content = await page.evaluate(
        async ([url, token]) => (await fetch(url, { headers: { Authorization: `Bearer ${token}` } })).text(),
        [url, token] as const,
      );
      expect(content).toBe(pdf('cv.pdf').buffer.toString());
      expect(await (await redirected).headerValue('Origin')).toBe('null');
    } finally {
      await service.close();
      await s3.remove();
    }
  });
});

/** Lets a user drop files on the input. */
function dropped(input: Locator, names: readonly string[]): Promise<void> {
  return input.setInputFiles(names.map((name) => pdf(name, Buffer.from(`%PDF-1.7 ${name}`))));
}
