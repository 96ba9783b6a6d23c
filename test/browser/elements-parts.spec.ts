import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { buildForm, type FormPlan } from '../support/forms.js';
import { newUser } from '../support/service.js';
import { expectUsable } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { expectFocus } from './support/focus.js';
import {
  heading,
  hold,
  press,
  saved,
  set,
  summaryOn,
  tokenScript,
  told,
  useElement,
} from './support/use-element.js';

describeInBrowser('the parts of <formtrail-form> that only some pages load:', () => {
  const { use, browser, open, begin } = useElement();

  const outlineOn = (page: Page) => page.getByRole('navigation', { name: 'Steps' });
  const partsOf = (page: Page) =>
    page.evaluate<string[]>(
      `performance.getEntriesByType('resource').flatMap(({ name }) => /(list|outline|address)-[^/]+js$/.exec(name)?.[1] ?? [])`,
    );

  describe('the outline', () => {
    const talk: FormPlan = {
      form: { name: 'Talk', completion: 'strict' },
      steps: [
        {
          name: { label: 'Name', isRequired: true },
          more: { type: 'radio', label: 'More', options: ['yes', 'no'] },
        },
        { extra: { label: 'Extra' }, day: { label: 'Day', type: 'date' } },
        { end: { label: 'End', type: 'date' } },
      ],
      stepConditions: { 2: [['more', 'equals', 'no', 'hide']] },
    };

    it('leads to the steps that the person has reached, and shows and hides steps', async () => {
      const { page, read } = await begin(talk, { attributes: 'outline' });
      browser.forgive(/status of 422/);
      const outline = outlineOn(page);
      await outline.getByText('Step 1 of 3').waitFor();
      expect(await partsOf(page)).toEqual(['outline']);
      const items = async () =>
        (await outline.getByRole('listitem').allInnerTexts()).map((text) => text.trim());
      expect(await items()).toEqual(['Step 1', 'Step 2', 'Step 3', 'Check your answers']);
      expect(await outline.getByRole('button').count()).toBe(0);
      await page.getByLabel('Name').fill('Ada');
      await press(page, 'Next');
      await heading(page, 'Step 2').waitFor();
      await page.getByLabel('Day').pressSequentially('0630');
      await press(page, 'Back');
      await heading(page, 'Step 1').waitFor();
      await expectUsable(page, 'element-outline', 320);

      // An answer hides the step whose button has the focus.
      const second = outline.getByRole('button', { name: 'Step 2' });
      const focusSecond = await second.evaluateHandle((element) => () => element.focus());
      await page.getByLabel('no', { exact: true }).evaluate((input, focus) => {
        input.click();
        focus();
      }, focusSecond);
      await second.waitFor({ state: 'detached' });
      await expectFocus(outline);
      await outline.getByText('Step 1 of 2').waitFor();
      await page.getByLabel('yes', { exact: true }).check();
      await second.waitFor();
      await expectFocus(page.getByLabel('yes', { exact: true }));

      // Errors stop the way forward.
      await page.getByLabel('Name').fill('');
      await second.click();
      await summaryOn(page).getByRole('link', { name: 'Enter your name.' }).waitFor();
      await heading(page, 'Step 1').waitFor();
      await page.getByLabel('Name').fill('Ada');
      await second.click();
      await expectFocus(heading(page, 'Step 2'));
      // Half of a date does too.
      await page.getByLabel('Day').pressSequentially('0630');
      await press(page, 'Next');
      await expectFocus(summaryOn(page));
      await page.getByLabel('Day').fill('2030-06-30');
      await press(page, 'Next');
      await press(page, 'Check your answers');
      await heading(page, 'Check your answers').waitFor();
      await outline.getByRole('button', { name: 'Step 2 (done)' }).click();
      await heading(page, 'Step 2').waitFor();
      await outline.getByRole('button', { name: 'Check your answers' }).click();
      await expectFocus(heading(page, 'Check your answers'));
      await press(page, 'Back');
      await page.getByLabel('End').pressSequentially('0630');
      await outline.getByRole('button', { name: 'Check your answers' }).click();
      await expectFocus(summaryOn(page));
      await page.getByLabel('End').fill('2030-06-30');
      await outline.getByRole('button', { name: 'Check your answers' }).click();
      await expectFocus(heading(page, 'Check your answers'));
      await press(page, 'Submit');
      await heading(page, 'Thank you').waitFor();
      expect((await read()).status).toBe('completed');
    });

    it('is missing, and the form works, if its script cannot be loaded', async () => {
      browser.forgive(/ERR_FAILED/);
      const { form } = await buildForm(use.database.dataSource, { ...talk, form: { access: 'public' } });
      const page = await open('', { attributes: 'outline' });
      await page.route(/\/outline-/, (route) => route.abort());
      await page.reload();
      await set(page, 'form', form.slug);
      await page.getByText('Step 1 of 3').waitFor();
      await eventually('it is told', async () => (await told(page)).some(([name]) => name === 'error'));
      expect(await outlineOn(page).count()).toBe(0);
    });
  });

  describe('the address', () => {
    const trip: FormPlan = {
      form: { name: 'Trip', access: 'public' },
      steps: [{ name: { label: 'Name' } }, { city: { label: 'City' } }],
    };
    const place = (page: Page) => page.evaluate<string>('location.hash');

    it('has the place in the form, so that reloads, links and the browser lead there', async () => {
      const { form, steps } = await buildForm(use.database.dataSource, trip);
      const page = await open(form.slug, { attributes: 'address' });
      const [first, second] = steps.map(({ id }) => `step-${id}`);
      await heading(page, 'Step 1').waitFor();
      const begun = `#/forms/${form.slug}`;
      await eventually('a new draft', async () => (await place(page)) === `${begun}/new/${first}`);
      await page.getByLabel('Name').pressSequentially('A');
      await saved(page);
      const [, { submission }] = (await told(page)).find(([name]) => name === 'open')!;
      expect(await place(page)).toBe(`${begun}/${submission}/${first}`);
      // The person types on.
      await expectFocus(page.getByLabel('Name'));
      await press(page, 'Next');
      await heading(page, 'Step 2').waitFor();
      expect(await place(page)).toBe(`${begun}/${submission}/${second}`);
      await page.goBack();
      await heading(page, 'Step 1').waitFor();
      await page.goForward();
      await heading(page, 'Step 2').waitFor();
      await press(page, 'Check your answers');
      await heading(page, 'Check your answers').waitFor();
      expect(await place(page)).toBe(`${begun}/${submission}/review`);
      await page.reload();
      await heading(page, 'Check your answers').waitFor();
      await page.evaluate(`location.hash = ${JSON.stringify(`${begun}/${submission}/${first}`)}`);
      await heading(page, 'Step 1').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('A');
      // Other fragments belong to the page.
      await page.evaluate(`location.hash = '#about'`);
      await page.getByLabel('Name').pressSequentially('b');
      await saved(page);
      // The draft is not open yet.
      const letGo = await hold(page, /\/schema\b/);
      await page.evaluate(`location.hash = ${JSON.stringify(`${begun}/${submission}/${second}`)}`);
      const asked = page.waitForRequest(/\/schema\b/);
      await page.reload();
      await asked;
      await page.goBack();
      letGo();
      await heading(page, 'Step 1').waitFor();
      // A step that the form does not have.
      await page.evaluate(`location.hash = ${JSON.stringify(`${begun}/${submission}/step-1234567890`)}`);
      await eventually('the address of the shown step', async () => (await place(page)).endsWith(first!));
    });

    it('of a link to another device names the form too', async () => {
      const { form } = await buildForm(use.database.dataSource, trip);
      const page = await open(form.slug, { attributes: 'address' });
      await page.getByLabel('Name').fill('Ada');
      await press(page, 'Continue on another device');
      const link = await page.getByRole('link').innerText();
      const other = await open('', { attributes: 'address list' });
      await heading(other, 'Forms').waitFor();
      const requests: string[] = [];
      other.on('request', (request) => requests.push(request.url()));
      await other.evaluate(`location.hash = ${JSON.stringify(new URL(link).hash)}`);
      await expectFocus(heading(other, 'Continue your draft'));
      // Only the script that asks for the code.
      expect(requests).toEqual([expect.stringMatching(/\/device-[\w-]+\.js$/)]);
      expect(await other.evaluate('location.hash')).not.toContain('resume');
      await press(other, 'Continue with the code');
      await eventually('it is open', async () => (await other.getByLabel('Name').inputValue()) === 'Ada');
    });
  });

  describe('the list', () => {
    const region = (page: Page, name: string) => page.getByRole('region', { name });
    const rows = (page: Page, name: string) => region(page, name).getByRole('listitem');

    it('has the drafts with their time and step, the forms, and submitted forms to read', async () => {
      browser.forgive(/status of 401/);
      const { dataSource } = use.database;
      const { form } = await buildForm(dataSource, {
        form: { name: 'Claim' },
        steps: [{ name: { label: 'Name' } }, { city: { label: 'City' } }],
      });
      const { client, plainToken } = await newUser(use);
      const post = async () =>
        (await client.post('/api/v1/submissions', { form_uuid: form.uuid })).body.data.uuid as string;
      const done = await post();
      await client.post(`/api/v1/submissions/${done}/values`, {
        values: [{ field_code: 'name', value: 'Ada' }],
      });
      await client.patch(`/api/v1/submissions/${done}`, { status: 'completed' });
      const draft = await post();
      const page = await open('', { attributes: 'list', before: tokenScript(plainToken) });
      await heading(page, 'Forms').waitFor();
      expect(await partsOf(page)).toEqual(['list']);
      const drafts = rows(page, 'Continue where you left off');
      await drafts.getByText('Last changed now, at “Step 1”').waitFor();
      await expectUsable(page, 'element-list', 320);

      // Read a submitted form, without the thanks of the page.
      await rows(page, 'Submitted').getByText(done.slice(-4).toUpperCase()).waitFor();
      await press(region(page, 'Submitted'), 'Show the answers');
      await heading(page, 'Thank you').waitFor();
      expect(await page.locator('dd').allInnerTexts()).toEqual(['Ada']);
      await press(page, 'All forms');
      await expectFocus(heading(page, 'Forms'));

      // A second draft is begun only after a question.
      const begin = rows(page, 'Begin a form')
        .filter({ hasText: 'Claim' })
        .getByRole('button', { name: 'Begin' });
      await begin.click();
      await page.getByText('You have a draft of this form, last changed now.').waitFor();
      await expectFocus(page.getByRole('button', { name: 'Cancel' }));
      await press(page, 'Cancel');
      await expectFocus(begin);
      await begin.click();
      await press(page, 'Begin a new one');
      await expectFocus(heading(page, 'Step 1'));
      await page.getByLabel('Name').fill('Grace');
      await saved(page);
      // After signing out and in again, the page shows the new draft, not another one.
      await page.evaluate(`document.querySelector('formtrail-form').token = undefined`);
      await set(page, 'token', plainToken);
      await heading(page, 'Step 1').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
      await press(page, 'All forms');
      await eventually('two drafts', async () => (await drafts.count()) === 2);
      await begin.click();
      await region(page, 'Begin a form').getByRole('button', { name: 'Continue', exact: true }).click();
      await heading(page, 'Step 1').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
      await press(page, 'All forms');

      // Deleting asks first.
      await drafts.nth(1).getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Delete your answers to “Claim”? This cannot be undone.').waitFor();
      await expectFocus(page.getByRole('button', { name: 'Cancel' }));
      expect((await client.get(`/api/v1/submissions/${draft}`)).status).toBe(200);
      await expectUsable(page, 'element-list-question', 320);
      await press(page.getByRole('group'), 'Delete');
      await eventually('one draft', async () => (await drafts.count()) === 1);
      await expectFocus(heading(page, 'Forms'));
      expect((await client.get(`/api/v1/submissions/${draft}`)).status).toBe(404);
      await press(drafts, 'Continue');
      await heading(page, 'Step 1').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
    });

    it('has more of each on request, says why an action failed, and can be loaded again after a failure', async () => {
      browser.forgive(/ERR_FAILED|status of 4/);
      const { form } = await buildForm(use.database.dataSource, { form: { name: 'Many' } });
      const { client, plainToken } = await newUser(use);
      for (let count = 0; count < 3; count += 1)
        await client.post('/api/v1/submissions', { form_uuid: form.uuid });
      const page = await open('', { before: tokenScript(plainToken) });
      await page.route(/\/list-/, (route) => route.abort());
      await page.evaluate(`document.querySelector('formtrail-form').list = true`);
      await heading(page, 'The form could not be opened').waitFor();
      await page.unroute(/\/list-/);
      const submissions = /\/submissions\?/;
      await page.route(submissions, (route) => route.abort());
      await press(page, 'Try again');
      await page.getByText('The connection was lost.').waitFor();
      await expectFocus(heading(page, 'The form could not be opened'));
      await page.unroute(submissions);
      await page.route(submissions, (route) =>
        route.continue({ url: `${route.request().url()}&per_page=1` }),
      );
      await press(page, 'Try again');
      await expectFocus(heading(page, 'Forms'));
      const drafts = rows(page, 'Continue where you left off');
      for (const count of [1, 2]) {
        await drafts.nth(count - 1).waitFor();
        expect(await drafts.count()).toBe(count);
        await press(region(page, 'Continue where you left off'), 'Show more');
        await expectFocus(drafts.nth(count));
      }
      expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
      await page.route(/\/submissions\/[^/]+$/, (route) => route.abort());
      await drafts.first().getByRole('button', { name: 'Delete' }).click();
      await press(page.getByRole('group'), 'Delete');
      await page.getByRole('alert').filter({ hasText: 'The connection was lost.' }).waitFor();
    });

    it('has the public forms for visitors, and asks to sign in for the others', async () => {
      browser.forgive(/status of 401/);
      const { dataSource } = use.database;
      await buildForm(dataSource, {
        form: { name: 'For all', access: 'public' },
        steps: [{ name: { label: 'Name' } }],
      });
      await buildForm(dataSource, { form: { name: 'For users' } });
      const page = await open('', {
        attributes: 'list',
        children: '<p slot="sign-in"><a href="/login">Log in</a></p>',
      });
      await page.getByRole('link', { name: 'Log in' }).waitFor();
      const forms = rows(page, 'Begin a form');
      await forms.filter({ hasText: 'For all' }).waitFor();
      expect(await forms.filter({ hasText: 'For users' }).count()).toBe(0);
      await set(page, 'token', 'expired');
      await eventually('it is told', async () => (await told(page)).some(([name]) => name === 'error'));
      await page.getByRole('link', { name: 'Log in' }).waitFor();
      const { plainToken } = await newUser(use);
      await page.getByRole('link', { name: 'Log in' }).focus();
      await set(page, 'token', plainToken);
      await expectFocus(heading(page, 'Forms'));
      await forms.filter({ hasText: 'For users' }).waitFor();
      await page.evaluate(`document.querySelector('formtrail-form').token = undefined`);
      await forms.filter({ hasText: 'For users' }).waitFor({ state: 'detached' });
      await forms.filter({ hasText: 'For all' }).getByRole('button', { name: 'Begin' }).click();
      await page.getByLabel('Name').fill('Ada');
      await saved(page);

      // The first page has no form for visitors.
      await page.route(/\/forms\?/, (route) =>
        route.continue({ url: `${route.request().url()}&per_page=1` }),
      );
      await press(page, 'All forms');
      await forms.first().waitFor();
    });

    it('does not lead away from a form that was opened while it asked for drafts of another one', async () => {
      const { dataSource } = use.database;
      const [slow] = await Promise.all(
        ['Slow', 'Fast'].map((name) =>
          buildForm(dataSource, { form: { name }, steps: [{ name: { label: name } }] }),
        ),
      );
      const page = await open('', {
        attributes: 'list',
        before: tokenScript((await newUser(use)).plainToken),
      });
      const query = `form_uuid=${slow!.form.uuid}&status=draft`;
      const letGo = await hold(page, new RegExp(query));
      const beginOn = (name: string) =>
        rows(page, 'Begin a form').filter({ hasText: name }).getByRole('button', { name: 'Begin' }).click();
      await beginOn('Slow');
      await beginOn('Fast');
      await page.getByLabel('Fast').waitFor();
      const answer = page.waitForResponse((response) => response.url().includes(query));
      letGo();
      await answer;
      await page.getByLabel('Fast').fill('Ada');
      await saved(page);
    });
  });
});
