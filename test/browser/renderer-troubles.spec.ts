import { Field, FieldType, issueToken } from '../../src/entities.js';
import { buildForm } from '../support/forms.js';
import { withServiceOn } from '../support/service.js';
import { expectUsable } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { expectFocus } from './support/form-page.js';
import { type BegunDraft, hold, REFUSED, useRenderer } from './support/use-renderer.js';

describeInBrowser('the example renderer, in case of errors,', () => {
  const { use, browser, begin, letTokensEnd } = useRenderer();

  const storedIn = async ({ client, path }: BegunDraft): Promise<Record<string, string>> => {
    const { values } = (await client.get(path)).body.data;
    return Object.fromEntries(values.map(({ field_code, value }: any) => [field_code, value]));
  };

  it('keeps answers while it is offline, and sends them when it is online again', async () => {
    browser.forgive(/ERR_INTERNET_DISCONNECTED/);
    const draft = await begin('Job application');
    const { form } = draft;
    const { page } = form;
    await page.context().setOffline(true);
    await form.field('Last name').fill('Lovelace');
    await form.choice('Do you need a work permit for this job?', 'Yes').check();
    await form.status.filter({ hasText: 'You are offline; your answers are kept on this device' }).waitFor();
    await form.press('Next');
    await page.getByRole('alert').filter({ hasText: 'You are offline. Your answers are kept' }).waitFor();
    await expectUsable(page, 'offline');
    expect(await form.heading('Personal details').count()).toBe(1);
    expect(await storedIn(draft)).toEqual({});
    await page.context().setOffline(false);
    await form.field('Work permit number').waitFor();
    await form.saved();
    expect(await storedIn(draft)).toEqual({ last_name: 'Lovelace', needs_work_permit: 'yes' });
  });

  it('shows how long the rate limit of the service makes a user wait', async () => {
    browser.forgive(REFUSED);
    // The requests that begin and open the form use up the limit.
    await withServiceOn(use.database, { THROTTLE_USER_LIMIT: '2' }, async (service) => {
      const { form } = await begin('Job application', {}, service);
      await form.field('First name').fill('Ada');
      await form.status.filter({ hasText: /^Too many requests\. Continuing in \d+ s$/ }).waitFor();
    });
  });

  it('shows that Next waits for the service, without moving anything', async () => {
    const { form } = await begin('Travel expense claim', { viewport: { width: 390, height: 844 } });
    const { page } = form;
    const letGo = await hold(page, /\/advance\?/);
    const boxes = () =>
      Promise.all(['form .buttons', '.primary'].map((one) => page.locator(one).boundingBox()));
    await page.locator('.primary').scrollIntoViewIfNeeded();
    const before = await boxes();
    // The second click must not end the waiting.
    await page.getByRole('button', { name: 'Next', exact: true }).dblclick();
    const waiting = page.getByRole('button', { name: 'Checking…', exact: true });
    await waiting.waitFor();
    expect(await waiting.getAttribute('aria-busy')).toBe('true');
    await page.locator('[aria-live=polite]').filter({ hasText: 'Checking…' }).waitFor({ state: 'attached' });
    expect(await boxes()).toEqual(before);
    await expectUsable(page, 'checking');
    browser.forgive(REFUSED);
    letGo();
    await form.problems.waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).waitFor();
  });

  it('shows an error when the user leaves an input, beside it only, and not for an empty or an unvisited one', async () => {
    browser.forgive(REFUSED);
    const { form } = await begin('Job application');
    const { page } = form;
    const mail = form.field('Email address');
    const error = page.getByText('Enter an email address, such as name@example.org.');
    await form.field('First name').focus();
    await form.field('Last name').focus();
    await mail.fill('nonsense');
    await form.field('Phone number').fill('12');
    await error.first().waitFor();
    expect(await mail.getAttribute('aria-invalid')).toBe('true');
    const announcement = page.locator('[aria-live=polite]').filter({ hasText: 'Email address: Enter an' });
    await announcement.waitFor({ state: 'attached' });
    // Not the phone number, which has the focus, nor the names, which are empty.
    expect(await page.locator('.has-error').count()).toBe(1);
    expect(await form.problems.count()).toBe(0);
    await mail.fill('ada@example.org');
    await error.first().waitFor({ state: 'detached' });
    await page.getByText('Enter a phone number, such as +44 20 7946 0018.').first().waitFor();
    await form.press('Next');
    await form.problems.getByRole('link', { name: 'Enter your first name.' }).waitFor();
    await form.problems.getByRole('link', { name: /^Phone number: Enter a phone number/ }).waitFor();
  });

  it.each([
    ['a step on a wide page', 1280, '/1', 'Step 1'],
    ['a step on a phone', 390, '/1', 'Step 1'],
    ['the answers on a wide page', 1280, '/review', 'Check your answers'],
    ['a submitted form on a wide page', 1280, '/submitted', 'Thank you'],
  ])('loads %s without moving anything', async (_, width, place, title) => {
    const plan = { steps: [{ note: { label: 'Note' } }] };
    const { form, client, path } = await begin(plan, { viewport: { width, height: 800 } });
    const { page } = form;
    if (place === '/submitted') {
      await client.post(`${path}/values`, { values: [{ field_code: 'note', value: 'Vegan' }] });
      await client.patch(path, { status: 'completed' });
    }
    await page.addInitScript({
      content: `globalThis.shifts = 0;
        new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (shifts += value)))
          .observe({ type: 'layout-shift', buffered: true });`,
    });
    const letGo = await hold(page, /\/schema$/);
    const address = page.url().replace(/(#\/forms\/[\w-]+\/[\w-]+).*$/, `$1${place}`);
    // The open page would lead to the step of the draft that it knows.
    await page.goto('about:blank');
    await page.goto(address);
    await page.locator('.skeleton h1').waitFor();
    const corners = () =>
      page
        .locator('main, main h1:not(.visually-hidden), .progress progress, .reference, .answers')
        .evaluateAll((elements) =>
          elements.map((element) => {
            const { x, y } = element.getBoundingClientRect();
            return [x, y];
          }),
        );
    const before = await corners();
    letGo();
    await form.heading(title).waitFor();
    expect(await corners()).toEqual(before);
    expect(await page.evaluate('shifts')).toBe(0);
  });

  it('shows that the form has changed, and the answer to a question that is gone', async () => {
    const { dataSource } = use.database;
    const { form: built, fields } = await buildForm(dataSource, {
      steps: [{ name: { label: 'Name' }, phone: { label: 'Phone' }, city: { label: 'City' } }],
    });
    const draft = await begin(built.name);
    const { form } = draft;
    await form.field('Name').fill('Ada');
    await form.field('Phone').fill('+44 20 7946 0000');
    await form.saved();
    const { id: longText } = await dataSource.manager.findOneByOrFail(FieldType, {
      component: 'textarea-input',
    });
    await use.service.hearing(() =>
      dataSource.transaction(async (manager) => {
        await manager.update(Field, fields['phone']!.id, { retiredAt: new Date() });
        await manager.update(Field, fields['name']!.id, { fieldTypeId: longText });
      }),
    );
    await form.field('City').fill('London');
    const notice = form.page.locator('.notice');
    await notice.filter({ hasText: 'This form has changed while you were filling it in' }).waitFor();
    expect(await notice.textContent()).toContain('Phone+44 20 7946 0000');
    expect(await form.field('Phone').count()).toBe(0);
    expect(await form.field('Name').inputValue()).toBe('Ada');
    expect(await descriptionOf(draft, 'Name')).toBe('This question has changed. Check your answer.');
    await expectUsable(form.page, 'changed');
  });

  it('links to the answer that completion rejects after a change of the form', async () => {
    browser.forgive(REFUSED);
    const { form: built, fields } = await buildForm(use.database.dataSource, {
      form: { completion: 'strict' },
      steps: [{ note: { label: 'Note' } }, { topic: { label: 'Topic' } }],
    });
    const draft = await begin(built.name);
    const { form } = draft;
    await form.press('Next');
    await form.heading('Step 2').waitFor();
    await form.press('Check your answers');
    await form.heading('Check your answers').waitFor();
    await use.database.dataSource.manager.update(Field, fields['note']!.id, { isRequired: true });
    await form.press('Submit');
    await form.heading('Step 1').waitFor();
    await form.problems.getByRole('link', { name: 'Note: Enter an answer.' }).click();
    await expectFocus(form.field('Note'));
    expect(await descriptionOf(draft, 'Note')).toBe('Error: Enter an answer.');
  });

  it('shows both answers if another window has changed the same one, and keeps the chosen one', async () => {
    browser.forgive(REFUSED);
    const draft = await begin('Job application');
    const { form, client, path } = draft;
    const elsewhere = (first_name: string) =>
      client.post(`${path}/values`, { values: [{ field_code: 'first_name', value: first_name }] });
    const versions = form.page.getByRole('group', { name: 'Two answers: First name' });
    await elsewhere('Augusta Ada');
    await form.field('First name').fill('Ada Byron');
    await versions.waitFor();
    await form.status.filter({ hasText: 'Some answers are not saved' }).waitFor();
    expect(await versions.locator('.answer').allInnerTexts()).toEqual(['Ada Byron', 'Augusta Ada']);
    expect(await storedIn(draft)).toEqual({ first_name: 'Augusta Ada' });
    await expectUsable(form.page, 'conflict');
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

  it('asks for another token when its token is revoked, and signs out of all tabs', async () => {
    browser.forgive(REFUSED);
    const draft = await begin('Job application');
    const { form, userId } = draft;
    const { page } = form;
    await letTokensEnd(draft.client);
    await form.field('First name').fill('Ada');
    await form.heading('Please sign in again').waitFor();
    await expectUsable(page, 'expired-token');
    const { plainToken } = await issueToken(use.database.dataSource.manager, { userId });
    await form.field('Access token').fill(plainToken);
    await page.getByRole('button', { name: 'Continue' }).click();
    await form.heading('Personal details').waitFor();
    expect(await form.field('First name').inputValue()).toBe('Ada');
    await form.saved();
    expect(
      await use.database.dataSource.query('select value from submission_values where submission_uuid = $1', [
        draft.uuid,
      ]),
    ).toEqual([{ value: 'Ada' }]);

    const another = await page.context().newPage();
    await another.goto(page.url().split('#')[0]!);
    await another.getByRole('heading', { level: 1, name: 'Forms' }).waitFor();
    await another.getByRole('button', { name: 'Sign out' }).click();
    await form.heading('Welcome').waitFor();
  });

  it('offers to begin again if the draft was deleted', async () => {
    browser.forgive(REFUSED);
    const { form, client, path } = await begin('Job application');
    await client.delete(path);
    await form.field('First name').fill('Ada');
    const again = form.page.getByRole('button', { name: 'Begin again' });
    await again.waitFor();
    await expectUsable(form.page, 'deleted');
    await again.click();
    await form.heading('Personal details').waitFor();
  });
});

/** Returns the description that assistive technology reads out after the label. */
async function descriptionOf({ form }: BegunDraft, label: string): Promise<string> {
  const ids = (await form.field(label).getAttribute('aria-describedby')) ?? '';
  const texts = ids.split(' ').map((id) => form.page.locator(`[id="${id}"]`).innerText());
  return (await Promise.all(texts)).at(-1)?.replaceAll(/\s+/g, ' ').trim() ?? '';
}
