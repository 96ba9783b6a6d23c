import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { issueToken } from '../../src/entities.js';
import { seed } from '../../src/capabilities/definitions/seed.js';
import { issuePreviewToken } from '../../src/capabilities/respondents/issue-preview-token.js';
import { type Client, client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { filesFolder } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { blocksOf } from '../support/panel.js';
import { letAllTokensExpire } from '../support/respondents.js';
import { newUser, useService } from '../support/service.js';
import { expectUsable, picture } from './support/accessibility.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';
import { type ExamplePage, startExamplePage } from './support/example-page.js';
import { type Answers, fillIn } from './support/fill-in.js';
import { heading, press, REFUSED, saved } from './support/use-element.js';

const ROOT = path.resolve(__dirname, '../..');
const FORMS = readdirSync(path.join(ROOT, 'examples/forms'))
  .sort()
  .map((file) => JSON.parse(readFileSync(path.join(ROOT, 'examples/forms', file), 'utf8')))
  .map(({ uuid, slug, name }) => ({ uuid, slug, name }));
const [REGISTRATION, APPLICATION] = FORMS;

/** Answers other than the first option, so that conditions apply, and the titles of the steps that they hide. */
const WISHES: Readonly<Record<string, Answers>> = {
  'event-registration': {
    ...{ attendee_type: 'speaker', days: 'day_1,day_2', workshop: 'accessible_design', newsletter: 'yes' },
    ...{ workshop_expectations: 'How to test with a keyboard', brings_guests: 'yes', needs_hotel: 'yes' },
    ...{ guest_dietary_requirements: 'None', dietary_requirements: 'vegan,other' },
  },
  'job-application': {
    ...{ needs_work_permit: 'yes', date_of_birth: '1985-12-10', position: 'speculative' },
    ...{ employment_type: 'part_time', weekly_hours: '22.5', earlier_contact: 'none' },
    ...{ years_of_experience: '0.5', learning_goals: 'Everything', education_level: 'master' },
    ...{ languages: 'english,other', motivation_format: 'write' },
  },
  'patient-intake': {
    ...{ preferred_contact: 'email', interpreter_needed: 'yes', insurance_type: 'self_pay' },
    ...{ medical_conditions: 'asthma,other', had_surgery: 'yes', takes_medication: 'no', pain_level: '4' },
    ...{ phone: '+44 1632 960123', emergency_contact_phone: '+44 1632 960456', has_allergies: 'yes' },
    smoking_status: 'daily',
  },
  'travel-expense-claim': {
    ...{ employee_number: '104482', cost_centre: '4711', trip_purpose: 'other' },
    ...{ amount: '1200.50', cost_reason: 'A conference fee' },
  },
};
const HIDDEN = ['Payment', 'Insurance'];
/** The answers that the service computes from those above. */
const COMPUTED: Readonly<Record<string, [code: string, value: string][]>> = {
  'travel-expense-claim': [
    ['trip_days', '1'],
    ['total', '1200.5'],
  ],
};

describeInBrowser('the example page', () => {
  const storage = filesFolder();
  const use = useService({ FILES_URL: storage.url });
  const browser = useBrowser();
  let example: ExamplePage;

  beforeAll(async () => {
    await seed(use.database.dataSource, ROOT);
    example = await startExamplePage(use.service.url);
  }, 300_000);
  afterAll(() => Promise.all([example.close(), storage.remove()]));

  const stored = (page: Page) =>
    page.evaluate<string>('JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage })');
  const lead = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  const begin = (page: Page, name: string) =>
    press(page.getByRole('listitem').filter({ hasText: name }), 'Begin');

  async function signIn(token: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(`${example.url}/#token=${token}`);
    await page.getByRole('region', { name: 'Begin a form' }).waitFor();
    expect(page.url()).not.toContain(token);
    return page;
  }

  /** Lets all tokens expire. Returns when the service, which keeps valid tokens in memory, rejects the token. */
  async function expire(token: string): Promise<void> {
    await letAllTokensExpire(use.database);
    const api = client(use.service.url, { Authorization: `Bearer ${token}` });
    await eventually(
      'the token is rejected',
      async () => (await api.get('/api/v1/submissions')).status === 401,
    );
  }

  /** Fills in the draft that the page shows from its first step, and submits it. */
  async function fillInAll(page: Page, api: Client, { slug, uuid }: (typeof FORMS)[number]): Promise<void> {
    const [, submission] = /forms\/[\w-]+\/([\w-]+)/.exec(page.url())!;
    const draft = { page, client: api, path: `/api/v1/submissions/${submission}` };
    const titles = await fillIn(draft, uuid, WISHES[slug]!);
    const { steps } = (await api.get(`/api/v1/forms/${uuid}/schema`)).body.data;
    const all: string[] = steps.map(({ title }: { title: string }) => title);
    expect(titles).toEqual(all.filter((title) => !HIDDEN.includes(title)));
  }

  it.each(FORMS.filter(({ slug }) => slug !== 'event-registration'))(
    'fills in $slug to the end, and the service has exactly these answers',
    async (form) => {
      const { client: api, plainToken } = await newUser(use);
      const { body } = await api.post('/api/v1/submissions', { form_uuid: form.uuid });
      const page = await signIn(plainToken);
      await lead(page, `#/forms/${form.uuid}/${body.data.uuid}`);
      if (form.slug === 'travel-expense-claim') {
        await page.getByText('Step 1 of').waitFor();
        await expectUsable(page, 'example-step');
      }
      await fillInAll(page, api, form);
      const { computed = [] } = (await api.get(`/api/v1/submissions/${body.data.uuid}`)).body.data;
      expect(computed.map(({ field_code, value }: any) => [field_code, value])).toEqual(
        COMPUTED[form.slug] ?? [],
      );
    },
  );

  it('lets a visitor fill in a public form, and leaves nothing on the device after "End this form here"', async () => {
    browser.forgive(REFUSED);
    const page = await browser.newPage();
    await page.goto(example.url);
    await page.getByLabel('Access token').waitFor();
    await expectUsable(page, 'example-visitor');
    await begin(page, REGISTRATION!.name);
    await page.getByLabel('First name').fill('Ada');
    await saved(page);
    await page.getByLabel('I am registering as').selectOption('speaker');
    await page.getByLabel('Title of your talk').waitFor();
    // This picture is docs/example.png.
    await page.getByLabel('Title of your talk').scrollIntoViewIfNeeded();
    await picture(page, 'example', false);
    const [, token = ''] = /\\"token\\":\\"(ftr_[^\\]+)/.exec(await stored(page)) ?? [];
    const api = client(use.service.url, { Authorization: `Bearer ${token}` });
    await fillInAll(page, api, REGISTRATION!);
    expect(await page.title()).toBe('Thank you – Formtrail');

    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      return questions.length === 1 ? dialog.dismiss() : dialog.accept();
    });
    await page.getByRole('link', { name: 'Formtrail' }).click();
    await page.getByRole('button', { name: 'End this form here' }).waitFor({ state: 'hidden' });
    expect(await page.title()).toBe('Formtrail');
    await begin(page, REGISTRATION!.name);
    await page.getByLabel('First name').fill('Ada');
    await saved(page);
    await press(page, 'End this form here');
    expect(await stored(page)).toContain('ftr_');
    // The service rejects it, so it stays on the device.
    await page.getByLabel('Last name').fill('x'.repeat(65_536));
    await press(page, 'End this form here');
    await heading(page, 'Forms').waitFor();
    expect(questions).toEqual([
      expect.stringMatching(/^This device forgets/),
      expect.stringMatching(/^Some answers or files are not saved\./),
    ]);
    expect(await stored(page)).toBe('{}{}');
    await eventually('the token ends', async () => (await api.get('/api/v1/submissions')).status === 401);
  });

  it('asks for another token when its token has expired, keeps what was typed, and signs out of all tabs', async () => {
    browser.forgive(REFUSED);
    const { id: userId, plainToken } = await newUser(use);
    const page = await signIn(plainToken);
    await begin(page, APPLICATION!.name);
    await page.getByLabel('First name').fill('Ada');
    await saved(page);
    await expire(plainToken);
    await page.getByLabel('First name').fill('Augusta Ada');
    await page.getByText('Your access token is invalid or has expired.').waitFor();
    await expectUsable(page, 'example-expired');
    const { plainToken: next } = await issueToken(use.database.dataSource.manager, { userId });
    await page.getByLabel('Access token').fill(next);
    await press(page, 'Continue');
    await saved(page);
    expect(await page.getByLabel('First name').inputValue()).toBe('Augusta Ada');

    const other = await page.context().newPage();
    await other.goto(example.url);
    await other.getByText('at “Personal details”').waitFor();
    await press(other, 'Sign out');
    await page.getByLabel('Access token').waitFor();
    expect(await stored(other)).not.toContain(next);

    // Each tab says that the token has expired. Then the list has the public forms.
    const { plainToken: last } = await issueToken(use.database.dataSource.manager, { userId });
    await expire(last);
    await lead(other, `#token=${last}`);
    for (const tab of [page, other])
      await tab.getByText('Your access token is invalid or has expired.').waitFor();
    await begin(other, REGISTRATION!.name);
    await heading(other, 'Your details').waitFor();
  });

  it('tries forms that are not active with the tokens of previews, each in its tab, beside the own token', async () => {
    const own = await signIn((await newUser(use)).plainToken);
    for (let count = 0; count < 2; count += 1) {
      const { form } = await buildForm(use.database.dataSource, {
        form: { access: 'public', isActive: false },
        steps: [{ name: { label: 'Name' } }],
      });
      const { plainToken } = await issuePreviewToken(use.database.dataSource.manager, { formId: form.id });
      const page = await own.context().newPage();
      await page.goto(`${example.url}/#token=${plainToken}/forms/${form.uuid}`);
      await page.getByLabel('Name').waitFor();
      await page.reload();
      await page.getByLabel('Name').fill('Ada');
      await saved(page);
      expect(page.url()).not.toContain(plainToken);
      const api = client(use.service.url, { Authorization: `Bearer ${plainToken}` });
      const [, submission] = /forms\/[\w-]+\/([\w-]+)/.exec(page.url())!;
      expect((await api.get(`/api/v1/submissions/${submission}`)).body.data.is_test).toBe(true);
    }
    await own.reload();
    await own.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  it("serves the element for the two lines of the project's README, which are opened from an empty folder", async () => {
    const [html = ''] = await blocksOf('README.md', 'html');
    expect(html.trim().split('\n')).toHaveLength(2);
    const folder = await mkdtemp(path.join(tmpdir(), 'formtrail-page-'));
    const file = path.join(folder, 'page.html');
    const servers = { 'http://127.0.0.1:3000': use.service.url, 'http://127.0.0.1:5173': example.url };
    await writeFile(
      file,
      Object.entries(servers).reduce((text, [from, to]) => text.replace(from, to), html),
    );
    const page = await browser.newPage();
    await page.goto(pathToFileURL(file).href);
    const choose = (question: RegExp, option: string) =>
      page.getByRole('group', { name: question }).getByLabel(option, { exact: true }).check();
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Last name').fill('Lovelace');
    await page.getByLabel('Email address').fill('ada@example.org');
    await page.getByLabel('I am registering as').selectOption('attendee');
    await press(page, 'Next');
    await choose(/take part/, 'On site');
    await choose(/which days/, 'First day');
    await choose(/bringing guests/, 'Yes');
    // The group opens its first entry, and leaves the focus where it is.
    await page.getByText('At least 1', { exact: true }).waitFor();
    const guest = page.getByRole('group', { name: 'Guest 1', exact: true }).getByLabel('Name of the guest');
    await guest.fill('Charles Babbage');
    await saved(page);
    // An answer hides the group, and another one shows it again.
    await choose(/bringing guests/, 'No');
    await guest.waitFor({ state: 'detached' });
    await choose(/bringing guests/, 'Yes');
    expect(await guest.inputValue()).toBe('Charles Babbage');
    await rm(folder, { recursive: true });
  });
});
