import { Field, issueToken, SubmissionValue } from '../../src/entities.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { withServiceOn } from '../support/service.js';
import { expectAccessible } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { hasFocus } from './support/form-page.js';
import { type BegunDraft, REFUSED, useRenderer } from './support/use-renderer.js';

/** Maximum length of a value in characters. The service rejects longer values. */
const LONGEST_VALUE = 65_535;

describeInBrowser('the example renderer, in case of errors,', () => {
  const { use, browser, begin } = useRenderer();

  const storedIn = async ({ client, path }: BegunDraft): Promise<Record<string, string>> => {
    const { body } = await client.get(path);
    return Object.fromEntries(
      body.data.values.map((entry: SubmissionValue & { field_code: string }) => [
        entry.field_code,
        entry.value,
      ]),
    );
  };

  it('keeps answers while it is offline, and sends them when it is online again', async () => {
    browser.forgive(/ERR_INTERNET_DISCONNECTED/);
    const draft = await begin('Job application');
    const { form } = draft;
    const { page } = form;
    await form.field('First name').fill('Ada');
    await form.saved();
    await page.context().setOffline(true);
    await form.field('Last name').fill('Lovelace');
    await form.choice('Do you need a work permit for this job?', 'Yes').check();
    await form.status.filter({ hasText: 'You are offline; your answers are kept on this device' }).waitFor();
    await form.field('Phone number').fill('+44 20 7946 0000');
    await form.press('Next');
    await page.getByRole('alert').filter({ hasText: 'You are offline. Your answers are kept' }).waitFor();
    expect(await form.heading('Personal details').count()).toBe(1);
    expect(await storedIn(draft)).toEqual({ first_name: 'Ada' });

    await page.context().setOffline(false);
    await form.field('Work permit number').waitFor();
    await form.saved();
    const all = {
      first_name: 'Ada',
      last_name: 'Lovelace',
      needs_work_permit: 'yes',
      phone: '+44 20 7946 0000',
    };
    expect(await storedIn(draft)).toEqual(all);
  });

  it('keeps unsent answers when the page is closed, and sends them on the next visit', async () => {
    browser.forgive(/ERR_FAILED/);
    const draft = await begin('Job application');
    const { page } = draft.form;
    const context = page.context();
    const values = /\/values\?/;
    await context.route(values, (route) => route.abort());
    await draft.form.field('First name').fill('Ada');
    await draft.form.status.filter({ hasText: 'You are offline' }).waitFor();
    const address = page.url();
    // Check before closing, because the closing page sends a last request that the browser may not block.
    expect(await storedIn(draft)).toEqual({});
    await page.close({ runBeforeUnload: false });
    await context.unroute(values);

    const another = await context.newPage();
    await another.goto(address.split('#')[0]!);
    await another.getByRole('link', { name: 'Continue' }).click();
    expect(await another.getByLabel('First name').inputValue()).toBe('Ada');
    await eventually('it is stored', async () => (await storedIn(draft))['first_name'] === 'Ada');
  });

  it('shows that it waits after too many requests, and continues automatically', async () => {
    browser.forgive(REFUSED);
    const draft = await begin('Job application');
    const { form } = draft;
    let refusals = 0;
    await form.page.route(/\/values\?/, async (route) => {
      refusals += 1;
      if (refusals > 1) return route.continue();
      const headers = {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': 'Retry-After',
        'Retry-After': '2',
      };
      await route.fulfill({ status: 429, headers, json: { message: 'Too many requests; try again later.' } });
    });
    await form.field('First name').fill('Ada');
    await form.status.filter({ hasText: 'Too many requests. Continuing in 2 s' }).waitFor();
    await form.saved();
    expect(refusals).toBe(2);
    expect(await storedIn(draft)).toEqual({ first_name: 'Ada' });
  });

  it('shows how long the rate limit of the service makes a user wait', async () => {
    browser.forgive(REFUSED);
    // The requests that open the form use up the limit.
    await withServiceOn(use.database, { THROTTLE_USER_LIMIT: '3' }, async (service) => {
      const { form } = await begin('Job application', {}, service);
      await form.field('First name').fill('Ada');
      await form.status.filter({ hasText: /^Too many requests\. Continuing in \d+ s$/ }).waitFor();
    });
  });

  it('shows that the form has changed, and the answer to a question that is gone', async () => {
    const { form, uuid } = await begin('Job application');
    await form.field('First name').fill('Ada');
    await form.field('Phone number').fill('+44 20 7946 0000');
    await form.saved();
    const [phone] = await use.database.dataSource.query<{ id: number }[]>(
      `select fields.id from fields join submissions using (form_id) where submissions.uuid = $1 and code = 'phone'`,
      [uuid],
    );
    const retire = (retiredAt: Date | null) =>
      use.service.hearing(() => use.database.dataSource.manager.update(Field, phone!.id, { retiredAt }));
    await retire(new Date());
    try {
      await form.field('Last name').fill('Lovelace');
      const notice = form.page.locator('.notice');
      await notice.filter({ hasText: 'This form has changed while you were filling it in' }).waitFor();
      expect(await notice.textContent()).toContain('Phone number+44 20 7946 0000');
      expect(await form.field('Phone number').count()).toBe(0);
      expect(await form.field('First name').inputValue()).toBe('Ada');
      await expectAccessible(form.page);
    } finally {
      await retire(null);
    }
  });

  it('shows beside a field why its value was rejected, and stores the others', async () => {
    browser.forgive(REFUSED);
    const draft = await begin('Job application');
    const { form } = draft;
    await form.field('First name').fill('Ada');
    await form.field('Phone number').fill('1'.repeat(LONGEST_VALUE + 1));
    await form.status.filter({ hasText: 'Saved, except for the marked answers' }).waitFor();
    const phone = form.field('Phone number');
    expect(await phone.getAttribute('aria-invalid')).toBe('true');
    expect(await descriptionOf(draft, 'Phone number')).toMatch(/^Error: .*65535/);
    expect(await storedIn(draft)).toEqual({ first_name: 'Ada' });

    await phone.fill('12');
    await form.saved();
    expect(await phone.getAttribute('aria-invalid')).not.toBe('true');
    expect(await storedIn(draft)).toEqual({ first_name: 'Ada', phone: '12' });
  });

  it('links to the answer that completion rejects after a change of the form', async () => {
    browser.forgive(REFUSED);
    const { form: built, fields } = await buildForm(use.database.dataSource, {
      form: { name: 'Strict form', completion: 'strict' },
      steps: [{ note: { label: 'Note' } }, { topic: { label: 'Topic' } }],
    });
    const draft = await begin(built.name);
    const { form } = draft;
    await form.press('Next');
    await form.heading('Step 2').waitFor();
    await form.press('Check your answers');
    await form.heading('Check your answers').waitFor();
    await use.database.dataSource.manager.update(Field, { id: fields['note']!.id }, { isRequired: true });
    await form.press('Submit');

    await form.heading('Step 1').waitFor();
    await form.problems.getByRole('link', { name: 'Note: Enter an answer.' }).click();
    expect(await hasFocus(form.field('Note'))).toBe(true);
    expect(await descriptionOf(draft, 'Note')).toBe('Error: Enter an answer.');
    await form.field('Note').fill('Now there is one');
    await form.press('Next');
    await form.heading('Step 2').waitFor();
    await form.submit();
  });

  it('shows both answers if another window has changed the same one, and keeps the chosen one', async () => {
    browser.forgive(REFUSED);
    const draft = await begin('Job application');
    const { form, client, path } = draft;
    await form.field('First name').fill('Ada');
    await form.saved();
    const elsewhere = (first_name: string) =>
      client.post(`${path}/values`, { values: [{ field_code: 'first_name', value: first_name }] });
    const versions = form.page.getByRole('group', { name: 'Two answers: First name' });

    await elsewhere('Augusta Ada');
    await form.field('First name').fill('Ada Byron');
    await versions.waitFor();
    expect(await versions.locator('.answer').allInnerTexts()).toEqual(['Ada Byron', 'Augusta Ada']);
    expect(await storedIn(draft)).toEqual({ first_name: 'Augusta Ada' });
    await versions.getByRole('button', { name: 'Keep this answer: Here' }).click();
    await form.saved();
    expect(await storedIn(draft)).toEqual({ first_name: 'Ada Byron' });

    await elsewhere('Augusta Ada King');
    await form.field('First name').fill('Ada Lovelace');
    await versions.getByRole('button', { name: 'Keep this answer: Elsewhere' }).click();
    await versions.waitFor({ state: 'detached' });
    expect(await form.field('First name').inputValue()).toBe('Augusta Ada King');
    expect(await storedIn(draft)).toEqual({ first_name: 'Augusta Ada King' });
  });

  it('asks for another token when its token is revoked, and loses no answers', async () => {
    browser.forgive(REFUSED);
    const draft = await begin('Job application');
    const { form, userId } = draft;
    const { manager } = use.database.dataSource;
    await manager.query('update api_tokens set revoked_at = now() where user_id = $1', [userId]);
    await form.field('First name').fill('Ada');
    await form.field('Access token').waitFor();
    expect(await form.page.getByRole('heading', { level: 1 }).innerText()).toBe('Please sign in again');
    await expectAccessible(form.page);

    const { plainToken } = await issueToken(manager, { userId });
    await form.field('Access token').fill(plainToken);
    await form.page.getByRole('button', { name: 'Continue' }).click();
    await form.heading('Personal details').waitFor();
    expect(await form.field('First name').inputValue()).toBe('Ada');
    await form.saved();
    const { values } = await stored(draft.uuid);
    expect(values).toEqual(['Ada']);
  });

  it('is signed in in every tab, and signs out of all tabs', async () => {
    const { form } = await begin('Job application');
    const another = await form.page.context().newPage();
    await another.goto(form.page.url().split('#')[0]!);
    await another.getByRole('heading', { level: 1, name: 'Forms' }).waitFor();
    await another.getByRole('button', { name: 'Sign out' }).click();
    await form.page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
  });

  it('offers to begin again if the draft was deleted', async () => {
    browser.forgive(REFUSED);
    const { form, uuid } = await begin('Job application');
    await use.database.dataSource.query('delete from submissions where uuid = $1', [uuid]);
    await form.field('First name').fill('Ada');
    const again = form.page.getByRole('button', { name: 'Begin again' });
    await again.waitFor();
    await expectAccessible(form.page);
    await again.click();
    await form.heading('Personal details').waitFor();
  });

  async function stored(uuid: string) {
    const { manager } = use.database.dataSource;
    const values = await manager.findBy(SubmissionValue, { submissionUuid: uuid });
    return { values: values.map(({ value }) => value) };
  }
});

/** Returns the description that assistive technology reads out after the label. */
async function descriptionOf({ form }: BegunDraft, label: string): Promise<string> {
  const ids = (await form.field(label).getAttribute('aria-describedby')) ?? '';
  const texts = ids.split(' ').map((id) => form.page.locator(`[id="${id}"]`).innerText());
  return (await Promise.all(texts)).at(-1)?.replaceAll(/\s+/g, ' ').trim() ?? '';
}
