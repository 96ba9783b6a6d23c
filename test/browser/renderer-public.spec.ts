import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { issuePreviewToken } from '../../src/respondents/issue-preview-token.js';
import { client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { newUser } from '../support/service.js';
import { expectUsable } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { FillIn } from './support/fill-in.js';
import { expectFocus, FormPage } from './support/form-page.js';
import { serveFolder } from './support/static-server.js';
import { EXAMPLE_FORMS, FIRST_STEP, REFUSED, useRenderer } from './support/use-renderer.js';

const PUBLIC = EXAMPLE_FORMS.find(({ slug }) => slug === 'event-registration')!;
const FORM = `/forms/${PUBLIC.uuid}`;
/** These answers hide the step "Payment". */
const WISHES = {
  attendee_type: 'speaker',
  days: 'day_1,day_2',
  workshop: 'accessible_design',
  workshop_expectations: 'How to test with a keyboard',
  brings_guests: 'yes',
  guest_dietary_requirements: 'None',
  dietary_requirements: 'vegan,other',
  needs_hotel: 'yes',
  newsletter: 'yes',
};
const BUILD = path.join(__dirname, 'support/build-with-sign-in.mjs');

describeInBrowser('the example renderer for a visitor without a token', () => {
  const { use, browser, address, visit: signIn, letTokensEnd } = useRenderer();

  async function visit(): Promise<FormPage> {
    const page = await browser.newPage();
    await page.goto(address(FORM));
    await page.getByRole('heading', { level: 1, name: PUBLIC.name }).waitFor();
    return new FormPage(page);
  }

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const stored = (page: Page) =>
    page.evaluate<string>('JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage })');

  /** Types the first name, which begins the draft. */
  async function answer(form: FormPage, name: string): Promise<void> {
    await form.field('First name').fill(name);
    await form.saved();
    await form.page.waitForURL((url) => !url.hash.includes('/new'));
  }

  async function begin(name = 'Ada'): Promise<FormPage> {
    const form = await visit();
    await press(form.page, 'Begin');
    await answer(form, name);
    return form;
  }

  /** The visitor's own requests, with the token that the browser holds. */
  async function apiOf(page: Page) {
    const [, token] = /\\"token\\":\\"(ftr_[^\\]+)/.exec(await stored(page)) ?? [];
    return client(use.service.url, { Authorization: `Bearer ${token}` });
  }

  async function useCode(form: FormPage, code?: string): Promise<void> {
    if (code !== undefined) await form.field('Resume code').fill(code);
    await press(form.page, 'Continue with the code');
  }

  it('begins, fills in, reviews and submits a public form, and leaves nothing on the device', async () => {
    browser.forgive(REFUSED);
    const form = await visit();
    const { page } = form;
    // Looking at the first step begins nothing.
    await press(page, 'Begin');
    await form.field('First name').waitFor();
    expect(await stored(page)).toBe('{}{}');
    await answer(form, 'A');
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
    const api = await apiOf(page);
    const draft = { form, client: api, path: `/api/v1/submissions/${submissionIn(page)}` };
    const filling = await FillIn.of(draft, PUBLIC.uuid, WISHES);
    const titles = filling.schema.steps.map(({ title }) => title);
    expect(await filling.answerSteps()).toEqual(titles.filter((title) => title !== 'Payment'));
    await form.submit();
    await filling.stored();
    expect(filling.answers).toMatchObject(WISHES);
    expect((await api.get(draft.path)).body.data.status).toBe('completed');

    await press(page, 'End on this device');
    await form.heading(PUBLIC.name).waitFor();
    expect(await stored(page)).not.toContain('ftr_');
    await eventually('the token is rejected', async () => (await api.get(draft.path)).status === 401);
  });

  it('asks before it begins a second draft, and before it ends on this device with answers that are not saved', async () => {
    browser.forgive(REFUSED);
    const form = await begin();
    const { page } = form;
    const first = submissionIn(page);
    const api = await apiOf(page);
    const beginAgain = async () => {
      await page.goto(address(FORM));
      await press(page, 'Begin');
      await form.dialog.getByText('This browser has a draft of this form.').waitFor();
    };
    await beginAgain();
    await form.answer('Cancel');
    await expectFocus(form.heading(PUBLIC.name));
    await beginAgain();
    await form.answer('Continue');
    expect(await form.field('First name').inputValue()).toBe('Ada');
    await beginAgain();
    await form.answer('Begin a new one');
    await form.field('First name').waitFor();
    expect(await form.field('First name').inputValue()).toBe('');
    await answer(form, 'Grace');
    // The respondent is the same, so the first draft can still be opened.
    const { body } = await api.get('/api/v1/submissions?status=draft');
    const drafts: string[] = body.data.map(({ uuid }: { uuid: string }) => uuid);
    expect(drafts).toEqual([submissionIn(page), first]);

    await press(page, 'End on this device');
    await form.dialog.getByText(/^This device forgets your answers/).waitFor();
    await form.answer('Cancel');
    expect(await stored(page)).toContain('ftr_');
    // The service rejects it, so it stays on the device.
    await form.field('Last name').fill('x'.repeat(65_536));
    await press(page, 'End on this device');
    await form.dialog.getByText('Some answers or files are not saved. They will be deleted.').waitFor();
    await form.answer('End');
    await form.heading(PUBLIC.name).waitFor();
    expect(await stored(page)).toBe('{}{}');
  });

  it('goes on with the draft on another device by a link or a code, which works once', async () => {
    browser.forgive(REFUSED);
    const form = await begin();
    const submission = submissionIn(form.page);
    let code = '';
    const newCode = async () => {
      await press(form.page, 'Continue on another device');
      await expectFocus(form.page.getByRole('region', { name: 'Continue on another device' }));
      code = await eventually('a new code', async () => {
        const shown = await form.page.locator('.reference strong').innerText();
        return shown !== code && shown;
      });
      return (await form.page.getByRole('link', { name: code }).getAttribute('href'))!;
    };
    const expectContinued = async (other: FormPage) => {
      await other.page.getByRole('button', { name: FIRST_STEP }).waitFor();
      expect([submissionIn(other.page), await other.field('First name').inputValue()]).toEqual([
        submission,
        'Ada',
      ]);
    };

    let link = await newCode();
    await expectUsable(form.page, 'another-device');
    const byLink = new FormPage(await browser.newPage());
    await byLink.page.goto(link);
    await byLink.heading(PUBLIC.name).waitFor();
    expect(byLink.page.url()).not.toContain(code);
    expect(await byLink.field('Resume code').inputValue()).toBe(code);
    expect(await stored(byLink.page)).toBe('{}{}');
    await useCode(byLink);
    await expectContinued(byLink);
    expect(byLink.page.url()).not.toContain(code);

    await newCode();
    const byCode = await visit();
    await useCode(byCode, code.toLowerCase());
    await expectContinued(byCode);
    const late = await visit();
    await useCode(late, code);
    await late.page.getByRole('alert').filter({ hasText: 'This code does not work.' }).waitFor();
    expect(await late.field('Resume code').inputValue()).toBe(code);
    await expectFocus(late.field('Resume code'));
    await expectUsable(late.page, 'code');

    // The address of the draft asks for a code where the browser has no token.
    await newCode();
    await late.page.goto(address(`${FORM}/${submission}/1`));
    await late.heading('Continue your draft').waitFor();
    await useCode(late, 'WRONG');
    await late.page.getByRole('alert').filter({ hasText: 'This code does not work.' }).waitFor();
    expect(await late.field('Resume code').inputValue()).toBe('WRONG');
    await useCode(late, code);
    await expectContinued(late);

    // A user with a token has to sign out first.
    link = await newCode();
    const { form: user } = await signIn();
    await user.page.goto(link);
    await user.heading('You are signed in').waitFor();
    expect(user.page.url()).not.toContain(code);
    await expectUsable(user.page, 'signed-in');
    await press(user.page, 'Sign out and continue');
    await useCode(user);
    await expectContinued(user);
  });

  it('keeps what was typed when the token ends, and begins again with it, or on the start page', async () => {
    browser.forgive(REFUSED);
    const form = await begin();
    const { page } = form;
    const before = submissionIn(page);
    await letTokensEnd(await apiOf(page));
    await form.field('Last name').fill('Lovelace');
    await form.heading('Continue your draft').waitFor();
    await expectUsable(page, 'expired');
    browser.forgive(/ERR_FAILED/);
    const respondents = /\/respondents$/;
    await page.route(respondents, (route) => route.abort());
    const failed = page.waitForEvent('requestfailed');
    await press(page, 'Begin again');
    await failed;
    await form.heading('Continue your draft').waitFor();
    expect(await form.field('Resume code').getAttribute('aria-invalid')).toBe('false');
    await page.unroute(respondents);
    await press(page, 'Begin again');
    await page.getByRole('button', { name: FIRST_STEP }).waitFor();
    await eventually('the address names the new draft', () => submissionIn(page) !== before);
    await form.saved();
    expect(await form.field('First name').inputValue()).toBe('Ada');
    expect(await form.field('Last name').inputValue()).toBe('Lovelace');

    const second = submissionIn(page);
    await letTokensEnd(await apiOf(page));
    await page.goto(address(FORM));
    await press(page, 'Begin');
    await page.getByRole('button', { name: FIRST_STEP }).waitFor();
    expect(submissionIn(page)).not.toBe(second);
    await answer(form, 'Grace');
  });

  it('asks for a token for other forms, and lists the public forms, also after the token has expired', async () => {
    browser.forgive(REFUSED);
    const { form: other } = await buildForm(use.database.dataSource, { form: { access: 'token' } });
    const form = new FormPage(await browser.newPage());
    const { page } = form;
    await page.goto(address(`/forms/${other.uuid}`));
    await form.heading('Welcome').waitFor();
    await press(page, 'Continue');
    await page.getByRole('alert').waitFor();
    await expectUsable(page, 'token-missing');
    await page.getByRole('link', { name: PUBLIC.name }).click();
    await page.getByRole('button', { name: 'Begin', exact: true }).waitFor();

    const { client: user, plainToken } = await newUser(use);
    await page.goto(address(`token=${plainToken}`));
    await form.heading('Forms').waitFor();
    expect(page.url()).not.toContain(plainToken);
    // Otherwise the page itself removes the token, and the reload has none.
    await page.getByRole('heading', { name: 'Begin a form' }).waitFor();
    await letTokensEnd(user);
    await page.reload();
    await form.heading('Please sign in again').waitFor();
    await page.getByRole('link', { name: PUBLIC.name }).click();
    await press(page, 'Begin');
    await page.getByRole('button', { name: FIRST_STEP }).waitFor();
  });

  it("gets the token from the host's server with the sign-in of its README, and asks again when it is revoked", async () => {
    browser.forgive(REFUSED);
    const folder = await mkdtemp(path.join(tmpdir(), 'formtrail-sign-in-'));
    await promisify(execFile)(process.execPath, [BUILD, folder]);
    const site = await serveFolder(folder);
    const { plainToken, client: user } = await newUser(use);
    const page = await browser.newPage();
    await page.route('**/forms-token', (route) => route.fulfill({ body: plainToken }));
    await page.goto(`${site.url}/?api=${use.service.url}`);
    await press(page, 'Sign in');
    await page.getByRole('heading', { level: 1, name: 'Forms' }).waitFor();
    expect(await page.getByText('Access token').count()).toBe(0);
    // The lists are loaded: a request for them after the revocation would ask for the sign-in before the reload.
    await page.getByRole('button', { name: 'Begin' }).first().waitFor();
    await letTokensEnd(user);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in again' }).waitFor();
    await site.close();
    await rm(folder, { recursive: true });
  });

  it('tries forms that are not active with the tokens of previews, each in its tab, beside the own token', async () => {
    const { page: own } = (await signIn()).form;
    const preview = async () => {
      const { form } = await buildForm(use.database.dataSource, {
        form: { access: 'public', isActive: false },
        steps: [{ name: { label: 'Name' } }],
      });
      const { plainToken } = await issuePreviewToken(use.database.dataSource.manager, { formId: form.id });
      const page = await own.context().newPage();
      await page.goto(address(`token=${plainToken}/forms/${form.uuid}`));
      return { page, plainToken };
    };
    for (const { page, plainToken } of [await preview(), await preview()]) {
      await page.reload();
      // A preview shows the form at once.
      await page.getByLabel(/^Name/).waitFor();
      await page.waitForURL((url) => !url.hash.includes('/new'));
      expect(page.url()).not.toContain(plainToken);
      const api = client(use.service.url, { Authorization: `Bearer ${plainToken}` });
      expect((await api.get(`/api/v1/submissions/${submissionIn(page)}`)).body.data.is_test).toBe(true);
    }
    await own.reload();
    await own.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  it('does a proof of work, and shows its progress', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      form: { access: 'public', proofOfWork: 20_000 },
      steps: [{ name: { label: 'Name' } }],
    });
    const page = await browser.newPage();
    await page.goto(address(`/forms/${form.uuid}`));
    await page.evaluate(`new MutationObserver(() => {
      const { seen = [] } = window;
      if (document.querySelector('.status progress')) seen.push(document.querySelector('main input').value);
      window.seen = seen;
    }).observe(document.body, { childList: true, subtree: true })`);
    await press(page, 'Begin');
    await page.getByLabel(/^Name/).waitFor();
    expect(await page.evaluate('window.seen')).toEqual([]);
    await page.getByLabel(/^Name/).fill('Ada');
    await new FormPage(page).saved();
    expect(await page.evaluate('[...new Set(window.seen)]')).toEqual(['Ada']);
  });
});

/** UUID of the submission in the address. */
function submissionIn(page: Page): string {
  return /#\/forms\/[\w-]+\/([\w-]+)/.exec(page.url())![1]!;
}
