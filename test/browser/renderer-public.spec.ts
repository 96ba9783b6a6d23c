import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { issuePreviewToken } from '../../src/respondents/issue-preview-token.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { client } from '../support/client.js';
import { withServiceOn } from '../support/service.js';
import { expectAccessible } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { FillIn, type Step } from './support/fill-in.js';
import { expectFocus, FormPage } from './support/form-page.js';
import { REFUSED, useRenderer } from './support/use-renderer.js';

const PUBLIC = JSON.parse(
  readFileSync(path.resolve(__dirname, '../../examples/forms/event-registration.json'), 'utf8'),
) as { uuid: string; name: string };
const FORM = `/forms/${PUBLIC.uuid}`;
const FIRST_STEP = /^(Next|Check your answers)$/;

describeInBrowser('the example renderer for a visitor without a token', () => {
  const { use, browser, address, visit: signIn, letTokensEnd } = useRenderer();

  async function visit(fragment = FORM): Promise<FormPage> {
    const page = await browser.newPage();
    await page.goto(address(use.service, fragment));
    await page.getByRole('heading', { level: 1, name: PUBLIC.name }).waitFor();
    return new FormPage(page);
  }

  async function begin(): Promise<FormPage> {
    const form = await visit();
    await form.page.getByRole('button', { name: 'Begin', exact: true }).click();
    // The first answer begins it.
    await form.field('First name').fill('A');
    await form.saved();
    await form.page.waitForURL((url) => !url.hash.includes('/new'));
    return form;
  }

  /** Stores a first name on one device, and makes a code there. */
  async function beginWithCode() {
    const form = await begin();
    await form.field('First name').fill('Ada');
    await form.page.getByRole('button', { name: 'Continue on another device' }).click();
    await expectFocus(form.page.getByRole('region', { name: 'Continue on another device' }));
    const code = await form.page.locator('.reference strong').innerText();
    const link = await form.page.getByRole('link', { name: code }).getAttribute('href');
    await form.page.setViewportSize({ width: 360, height: 740 });
    expect(await form.page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(form.page);
    return { form, code, link: link!, submission: submissionIn(form.page) };
  }

  /** The visitor's own requests, with the token that the browser holds. */
  async function apiOf(page: Page) {
    const items = await page.evaluate<string>('JSON.stringify({ ...sessionStorage })');
    const [, token] = /\\"token\\":\\"(ftr_[^\\]+)/.exec(items) ?? [];
    return client(use.service.url, { Authorization: `Bearer ${token}` });
  }

  /** Stores a first name, and ends the token. `before` is the UUID of the submission. */
  async function beginAndLoseToken() {
    browser.forgive(REFUSED);
    const form = await begin();
    await form.field('First name').fill('Ada');
    await form.saved();
    await letTokensEnd(await apiOf(form.page));
    return { form, before: submissionIn(form.page) };
  }

  it('begins, fills in, reviews and submits a public form', async () => {
    const form = await begin();
    const { page } = form;
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
    await expectAccessible(page);
    const { body } = await use.service.anyone.get(`/api/v1/forms/${PUBLIC.uuid}/schema`);
    const submission = `/api/v1/submissions/${submissionIn(page)}`;
    const api = await apiOf(page);
    const filling = new FillIn(form, api, submission, {}, body.data.entities);
    const steps: Step[] = body.data.steps;
    for (const step of steps) {
      if (!(await filling.shownSteps()).includes(step.step_number)) continue;
      await form.heading(step.title).waitFor();
      await filling.answerStep(step);
      if (step.step_number !== (await filling.shownSteps()).at(-1)) await form.press('Next');
    }
    await form.submit();
    await filling.stored();
    expect((await api.get(submission)).body.data.status).toBe('completed');

    browser.forgive(REFUSED);
    await page.getByRole('button', { name: 'End on this device' }).click();
    await form.heading(PUBLIC.name).waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('ftr_');
    await eventually('the token is rejected', async () => (await api.get(submission)).status === 401);
  });

  it('asks before it begins a second draft: continues the first, begins another, or does neither', async () => {
    const form = await visit();
    const { page } = form;
    const beginAgain = async () => {
      await page.goto(address(use.service, FORM));
      await page.getByRole('button', { name: 'Begin', exact: true }).click();
    };
    // Looking at the first step begins nothing.
    await beginAgain();
    await form.field('First name').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await beginAgain();
    await form.field('First name').fill('Ada');
    await form.saved();
    await page.waitForURL((url) => !url.hash.includes('/new'));
    const first = submissionIn(page);
    const api = await apiOf(page);

    await beginAgain();
    await form.dialog.getByText('This browser has a draft of this form.').waitFor();
    await expectAccessible(page);
    await form.answer('Cancel');
    await expectFocus(form.heading(PUBLIC.name));
    await beginAgain();
    await form.answer('Continue');
    expect(await form.field('First name').inputValue()).toBe('Ada');
    await beginAgain();
    await form.answer('Begin a new one');
    await form.field('First name').waitFor();
    expect(await form.field('First name').inputValue()).toBe('');
    await form.field('First name').fill('Grace');
    await form.saved();
    await page.waitForURL((url) => !url.hash.includes('/new'));
    // The respondent is the same, so the first draft can still be opened.
    const { body } = await api.get('/api/v1/submissions?status=draft');
    const drafts: string[] = body.data.map(({ uuid }: { uuid: string }) => uuid);
    expect(drafts).toEqual([submissionIn(page), first]);
  });

  it('ends on this device after a confirmation, and then has neither the token nor any answer', async () => {
    browser.forgive(REFUSED);
    const form = await begin();
    const { page } = form;
    const kept = () =>
      page.evaluate<string>('JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage })');
    const end = page.getByRole('button', { name: 'End on this device' });
    await form.field('First name').fill('Ada');
    await end.click();
    await form.dialog.getByText(/^This device forgets your answers/).waitFor();
    await form.answer('Cancel');
    expect(await kept()).toContain('ftr_');
    // The service rejects it, so it stays on the device.
    await form.field('Last name').fill('x'.repeat(65_536));
    await end.click();
    await form.dialog.getByText('Some answers or files are not saved. They will be deleted.').waitFor();
    await form.answer('End');
    await form.heading(PUBLIC.name).waitFor();
    expect(await kept()).toBe('{}{}');
  });

  it('goes on with the draft on another device by the link, whose code leaves the address', async () => {
    const { link, code, submission } = await beginWithCode();
    const page = await browser.newPage();
    await page.goto(link);
    const other = new FormPage(page);
    await other.heading(PUBLIC.name).waitFor();
    expect(page.url()).not.toContain(code);
    expect(await other.field('Resume code').inputValue()).toBe(code);
    await expectAccessible(page);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await page.getByRole('button', { name: 'Continue with the code' }).click();
    await other.page.getByRole('button', { name: FIRST_STEP }).waitFor();
    expect(submissionIn(page)).toBe(submission);
    expect(await other.field('First name').inputValue()).toBe('Ada');
    expect(page.url()).not.toContain(code);
  });

  it('goes on with the draft on another device by the code, once', async () => {
    browser.forgive(REFUSED);
    const { code, submission } = await beginWithCode();
    const other = await visit();
    await other.field('Resume code').fill(code.toLowerCase());
    await other.page.getByRole('button', { name: 'Continue with the code' }).click();
    await other.page.getByRole('button', { name: FIRST_STEP }).waitFor();
    expect(submissionIn(other.page)).toBe(submission);
    expect(await other.field('First name').inputValue()).toBe('Ada');

    const late = await visit();
    await late.field('Resume code').fill(code);
    await late.page.getByRole('button', { name: 'Continue with the code' }).click();
    await late.page.getByRole('alert').filter({ hasText: 'This code does not work.' }).waitFor();
    expect(await late.field('Resume code').inputValue()).toBe(code);
    await expectFocus(late.field('Resume code'));
    await expectAccessible(late.page);
  });

  it('keeps what was typed when the token ends, and begins again with it', async () => {
    const { form, before } = await beginAndLoseToken();
    const { page } = form;
    await form.field('Last name').fill('Lovelace');
    await form.heading('Continue your draft').waitFor();
    await expectAccessible(page);
    browser.forgive(/ERR_FAILED/);
    const respondents = /\/respondents$/;
    await page.route(respondents, (route) => route.abort());
    const failed = page.waitForEvent('requestfailed');
    await page.getByRole('button', { name: 'Begin again' }).click();
    await failed;
    await form.heading('Continue your draft').waitFor();
    expect(await form.field('Resume code').getAttribute('aria-invalid')).toBe('false');
    await page.unroute(respondents);
    await page.getByRole('button', { name: 'Begin again' }).click();
    await page.getByRole('button', { name: FIRST_STEP }).waitFor();
    await eventually('the address names the new draft', () => submissionIn(page) !== before);
    await form.saved();
    expect(await form.field('First name').inputValue()).toBe('Ada');
    expect(await form.field('Last name').inputValue()).toBe('Lovelace');
  });

  it('begins again on the start page when the token of the last visit has ended', async () => {
    const { form, before } = await beginAndLoseToken();
    const { page } = form;
    await page.goto(address(use.service, FORM));
    await page.getByRole('button', { name: 'Begin', exact: true }).click();
    await page.getByRole('button', { name: FIRST_STEP }).waitFor();
    expect(submissionIn(page)).not.toBe(before);
    await form.field('First name').fill('Grace');
    await form.saved();
  });

  it('asks for a code where the browser has no token for the draft', async () => {
    browser.forgive(REFUSED);
    const { code, submission } = await beginWithCode();
    const page = await browser.newPage();
    await page.goto(address(use.service, `${FORM}/${submission}/1`));
    const other = new FormPage(page);
    await other.heading('Continue your draft').waitFor();
    await other.field('Resume code').fill('WRONG');
    await page.getByRole('button', { name: 'Continue with the code' }).click();
    await page.getByRole('alert').filter({ hasText: 'This code does not work.' }).waitFor();
    expect(await other.field('Resume code').inputValue()).toBe('WRONG');
    await other.field('Resume code').fill(code);
    await page.getByRole('button', { name: 'Continue with the code' }).click();
    await page.getByRole('button', { name: FIRST_STEP }).waitFor();
    expect(await other.field('First name').inputValue()).toBe('Ada');
  });

  it('asks for a token for another form, and lists the public forms', async () => {
    const { form: other } = await buildForm(use.database.dataSource, { form: { access: 'token' } });
    const page = await browser.newPage();
    await page.goto(address(use.service, `/forms/${other.uuid}`));
    await page.getByRole('textbox', { name: 'Access token' }).waitFor();
    await page.getByRole('link', { name: PUBLIC.name }).click();
    await page.getByRole('button', { name: 'Begin', exact: true }).waitFor();
  });

  it('lists the public forms, and opens one, if the token of a user has expired', async () => {
    browser.forgive(REFUSED);
    const { form, client: api } = await signIn();
    const { page } = form;
    // Otherwise the page itself removes the token, and the reload has none.
    await page.getByRole('heading', { name: 'Begin a form' }).waitFor();
    await letTokensEnd(api);
    await page.reload();
    await form.heading('Please sign in again').waitFor();
    await page.getByRole('link', { name: PUBLIC.name }).click();
    await page.getByRole('button', { name: 'Begin', exact: true }).click();
    await page.getByRole('button', { name: FIRST_STEP }).waitFor();
  });

  it('asks a user with a token to sign out before a code is used', async () => {
    const { link, code, submission } = await beginWithCode();
    const {
      form: { page },
    } = await signIn();
    await page.goto(link);
    const other = new FormPage(page);
    await other.heading('You are signed in').waitFor();
    expect(page.url()).not.toContain(code);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign out and continue' }).click();
    await page.getByRole('button', { name: 'Continue with the code' }).click();
    await page.getByRole('button', { name: FIRST_STEP }).waitFor();
    expect(submissionIn(page)).toBe(submission);
  });

  it('tries forms that are not active with the tokens of previews, each in its tab, beside the own token', async () => {
    const {
      form: { page: own },
    } = await signIn();
    const preview = async () => {
      const { form } = await buildForm(use.database.dataSource, {
        form: { access: 'public', isActive: false },
        steps: [{ name: { label: 'Name' } }],
      });
      const { plainToken } = await issuePreviewToken(use.database.dataSource.manager, { formId: form.id });
      const page = await own.context().newPage();
      await page.goto(address(use.service, `token=${plainToken}/forms/${form.uuid}`));
      return { page, plainToken };
    };
    const previews = [await preview(), await preview()];
    for (const { page, plainToken } of previews) {
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
    const key = randomBytes(32).toString('base64');
    await withServiceOn(use.database, { CHALLENGE_KEY: key }, async (service) => {
      const page = await browser.newPage();
      await page.goto(address(service, `/forms/${form.uuid}`));
      await page.evaluate(`new MutationObserver(() => {
        const { seen = [] } = window;
        if (document.querySelector('.status progress')) seen.push(document.querySelector('main input').value);
        window.seen = seen;
      }).observe(document.body, { childList: true, subtree: true })`);
      await page.getByRole('button', { name: 'Begin', exact: true }).click();
      await page.getByLabel(/^Name/).waitFor();
      expect(await page.evaluate('window.seen')).toEqual([]);
      await page.getByLabel(/^Name/).fill('Ada');
      await new FormPage(page).saved();
      expect(await page.evaluate('[...new Set(window.seen)]')).toEqual(['Ada']);
    });
  });
});

/** UUID of the submission in the address. */
function submissionIn(page: Page): string {
  return /#\/forms\/[\w-]+\/([\w-]+)/.exec(page.url())![1]!;
}
