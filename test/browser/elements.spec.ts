import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { buildForm, type FormPlan } from '../support/forms.js';
import { letAllTokensExpire } from '../support/respondents.js';
import { newUser, withServiceOn } from '../support/service.js';
import { expectUsable } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { expectFocus, hasFocus } from './support/focus.js';
import {
  heading,
  pdf,
  press,
  REFUSED,
  saved,
  set,
  status,
  summaryOn,
  told,
  tokenScript,
  useElement,
} from './support/use-element.js';

/** The narrowest page on which the element has to fit. */
const NARROW = 320;

describeInBrowser('the element <formtrail-form>', () => {
  const element = useElement();
  const { use, browser, open, query } = element;

  const everyField = () =>
    buildForm(use.database.dataSource, {
      form: { access: 'public', completion: 'strict', name: 'Registration' },
      steps: [
        {
          about: { type: 'heading', label: 'About you' },
          hello: { type: 'paragraph', label: 'Tell us who you are.' },
          name: {
            label: 'Name',
            isRequired: true,
            description: 'As in your passport',
            rules: { max_length: '20' },
          },
          email: { label: 'Email', type: 'email', placeholder: 'name@example.org' },
          phone: { label: 'Phone', meta: { autocomplete: 'tel', inputmode: 'tel' } },
          age: { label: 'Age', type: 'number', rules: { min: '18' } },
          day: { label: 'Day', type: 'date' },
          role: { label: 'Role', type: 'radio', options: ['visitor', 'speaker'] },
          title: {
            label: 'Title of the talk',
            isRequired: true,
            conditions: [['role', 'equals', 'speaker', 'show']],
          },
          diet: { label: 'Diet', type: 'checkbox', options: ['vegan', 'halal, no pork', ' none'] },
          room: { label: 'Room', type: 'select', options: ['single', 'double'] },
          notes: {
            label: 'Notes',
            type: 'textarea',
            rules: { max_length: '500' },
            meta: { inputmode: 'search' },
          },
          terms: { label: 'I accept the terms', type: 'checkbox', isRequired: true },
        },
        { never: { label: 'Never', conditions: [['role', 'equals', 'never', 'show']] } },
        { comment: { label: 'Comment' } },
      ],
    });

  it('is filled in and submitted by a visitor, with a strict content security policy', async () => {
    const { form } = await everyField();
    const page = await open(form.slug);
    await heading(page, 'Step 1').waitFor();
    await page.getByText('Step 1 of 2').waitFor();
    expect(await page.getByLabel('Phone').getAttribute('type')).toBe('tel');
    expect(await page.getByLabel('Phone').getAttribute('autocomplete')).toBe('tel');
    expect(await page.getByLabel('Email').getAttribute('placeholder')).toBe('name@example.org');
    expect(await page.getByLabel('Notes').getAttribute('inputmode')).toBe('search');
    expect(await page.getByText('Title of the talk').count()).toBe(0);

    // Errors of answers appear beside them when the focus leaves, and in the summary after Next.
    browser.forgive(/status of 422/);
    await page.getByLabel('Email').fill('ada');
    await page.getByLabel('Email').press('Tab');
    await page.getByText('Enter an email address').first().waitFor();
    expect(await page.getByLabel('Email').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByText('There is a problem').count()).toBe(0);

    // Errors: a summary with the focus, which leads to the fields.
    await page.getByRole('radio', { name: 'speaker' }).check();
    await page.getByLabel('Title of the talk').waitFor();
    await expectUsable(page, 'element-step', NARROW);
    await page.getByLabel('Age').fill('17');
    // Nothing is checked between press and release, because an error would move the button away.
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.getByRole('button', { name: 'Next', exact: true }).hover();
    await page.mouse.down();
    await saved(page);
    expect(requests.filter((url) => url.includes('/validation'))).toEqual([]);
    await page.mouse.up();
    const summary = page.getByRole('alert').filter({ hasText: 'There is a problem' });
    await summary.getByText('Email: Enter an email address').waitFor();
    await expectFocus(summary);
    await expectUsable(page, 'element-mistakes', NARROW);
    await summary.getByRole('link', { name: /name/i }).first().click();
    expect(await hasFocus(page.getByLabel('Name'))).toBe(true);
    expect(await page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');

    await page.getByLabel('Name').fill('Ada');
    await page.getByText('17 characters left').waitFor();
    // Not for the notes, which are far from their maximum length.
    expect(await page.getByText('characters left').count()).toBe(1);
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('Phone').fill('+43 1');
    await page.getByLabel('Age').fill('36');
    await page.getByLabel('Day').fill('2030-01-05');
    await page.getByLabel('Title of the talk').fill('Engines');
    const diet = (name: string) =>
      page.getByRole('group', { name: 'Diet' }).getByLabel(name, { exact: true });
    for (const name of ['none', 'halal, no pork', 'vegan']) await diet(name).check();
    await page.getByLabel('Room').selectOption('double');
    await page.getByLabel('Notes').fill('First line\nSecond line');
    await page.getByLabel('I accept the terms').check();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/advance?*', (route) => released.then(() => route.continue()));
    await page.getByRole('button', { name: 'Next', exact: true }).dblclick();
    // Renders the page once more, while the first click is still being executed.
    await page.evaluate(`document.querySelector('formtrail-form').sentences = {}`);
    await page.getByRole('button', { name: 'Checking…', exact: true }).waitFor();
    release();
    await heading(page, 'Step 3').waitFor();
    await page.unroute('**/advance?*');
    await expectFocus(heading(page, 'Step 3'));
    await press(page, 'Back');
    await heading(page, 'Step 1').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    await diet('vegan').uncheck();
    await press(page, 'Continue on another device');
    await page.getByText('On the other device').waitFor();
    await press(page, 'Next');
    await heading(page, 'Step 3').waitFor();
    // The code is secret, so it is shown only until the visitor goes on.
    expect(await page.getByText('On the other device').count()).toBe(0);
    await press(page, 'Check your answers');

    await heading(page, 'Check your answers').waitFor();
    await page.getByText('5 January 2030').or(page.getByText('January 5, 2030')).waitFor();
    await press(page, 'Continue on another device');
    await page.getByText('On the other device').waitFor();
    await press(page, 'Continue with a code');
    await page.getByLabel('Resume code').fill('wrong');
    await press(page, 'Continue with the code');
    const refusal = page.getByRole('alert').filter({ hasText: 'This code does not work.' });
    await refusal.waitFor();
    // Beside the code only, not beside "Submit".
    expect(await refusal.count()).toBe(1);
    await expectUsable(page, 'element-review', NARROW);
    await press(page, 'Change Name');
    await expectFocus(page.getByLabel('Name'));
    await page.getByLabel('Name').fill('Ada Lovelace');
    await press(page, 'Next');
    await heading(page, 'Step 3').waitFor();
    await press(page, 'Check your answers');
    await page.getByText('Ada Lovelace').waitFor();
    await press(page, 'Submit');
    await heading(page, 'Thank you').waitFor();
    await expectFocus(page.locator('[part=completed]'));
    await expectUsable(page, 'element-completed', NARROW);

    const [submission] = await query('select uuid, status from submissions where form_id = $1', form.id);
    expect(submission.status).toBe('completed');
    const values = await query(
      `select f.code, v.value from submission_values v join fields f on f.id = v.field_id where f.form_id = $1 and v.value <> ''`,
      form.id,
    );
    expect(Object.fromEntries(values.map(({ code, value }: any) => [code, value]))).toEqual({
      ...{ name: 'Ada Lovelace', email: 'ada@example.org', phone: '+43 1', age: '36', day: '2030-01-05' },
      ...{ role: 'speaker', title: 'Engines', diet: 'halal, no pork, none', room: 'double', terms: 'true' },
      notes: 'First line\nSecond line',
    });
    const events = await told(page);
    expect(events[0]).toEqual(['step', { number: 1, count: 2, title: 'Step 1' }]);
    // The first answer, or the first "Next", begins the draft.
    expect(events[1]).toEqual(['open', { submission: submission.uuid, form: form.uuid }]);
    expect(events.at(-1)).toEqual(['complete', { submission: submission.uuid }]);
    // The review stayed after the wrong code. "Change" led to the first step, which the third one follows.
    const shown = events.filter(([name]) => name === 'step' || name === 'review');
    expect(shown.slice(-4).map(([name, { title }]) => [name, title])).toEqual([
      ['review', 'Check your answers'],
      ['step', 'Step 1'],
      ['step', 'Step 3'],
      ['review', 'Check your answers'],
    ]);
  });

  describe('for a signed-in user', () => {
    const claim: FormPlan = {
      form: { name: 'Claim' },
      steps: [
        {
          purpose: { label: 'Purpose' },
          city: { label: 'City' },
          receipt: { label: 'Receipt', type: 'file', isRepeatable: true, accept: 'application/pdf' },
          amount: { label: 'Amount', type: 'number', isRepeatable: true },
          cv: { label: 'CV', type: 'file', maxBytes: 1000 },
        },
      ],
      entities: [
        { name: 'expense', label: 'Expense', isRepeatable: true, of: ['receipt', 'amount'], minRecords: 1 },
      ],
    };
    const begin = () => element.begin(claim);

    it('adds and removes entries of a group, and uploads files', async () => {
      const { page, client, path: submission } = await begin();
      browser.forgive(/status of 422/);
      await press(page, 'Submit');
      await page.getByText('At least 1', { exact: true }).waitFor();
      await page
        .getByRole('alert')
        .getByRole('link', { name: /Expense: Add at least 1 entry/ })
        .click();
      expect(await hasFocus(page.getByRole('button', { name: 'Add an expense' }))).toBe(true);

      await press(page, 'Add an expense');
      const entry = (number: number) => page.getByRole('group', { name: `Expense ${number}`, exact: true });
      await entry(1).waitFor();
      await expectFocus(entry(1).locator('summary'));
      await entry(1).getByLabel('Amount').fill('12.50');
      await entry(1).getByLabel('Receipt').setInputFiles(pdf('taxi.pdf'));
      await entry(1).getByRole('button', { name: 'Remove taxi.pdf' }).waitFor();
      await press(page, 'Add an expense');
      await entry(2).getByLabel('Amount').fill('seven');
      // Only the new entry is open. A row stands for the other one.
      await entry(1).getByText('taxi.pdf · 12.50').waitFor();
      expect(await entry(1).getByLabel('Amount').isVisible()).toBe(false);
      await entry(1).locator('summary').click();
      // The row says what is wrong, and in which question.
      const row = entry(2).locator('summary').getByText('Amount: Enter a number');
      await row.waitFor();
      expect(await entry(2).getByLabel('Amount').isVisible()).toBe(false);
      await press(page, 'Submit');
      // The entry with the mistake opens, and its row need not say the same.
      await entry(2).getByLabel('Amount').waitFor();
      expect(await row.isVisible()).toBe(false);
      await entry(1).locator('summary').click();
      await page
        .getByRole('alert')
        .getByRole('link', { name: /^Expense 2: Amount/ })
        .click();
      expect(await hasFocus(entry(2).getByLabel('Amount'))).toBe(true);
      await press(page, 'Remove Expense 2');
      await press(page, 'Cancel');
      expect(await hasFocus(page.getByRole('button', { name: 'Remove Expense 2' }))).toBe(true);
      await press(page, 'Remove Expense 2');
      await page.getByText('Remove Expense 2 with the answers in it?').waitFor();
      expect(await hasFocus(page.getByRole('button', { name: 'Cancel' }))).toBe(true);
      await press(page, 'Remove');
      await entry(2).waitFor({ state: 'detached' });
      await expectFocus(page.getByRole('button', { name: 'Add an expense' }));

      await page.getByLabel('CV').setInputFiles(pdf('long.pdf', Buffer.alloc(1001)));
      await page.getByText('long.pdf is too large').first().waitFor();
      await expectUsable(page, 'element-group', NARROW);
      await press(page, 'Remove long.pdf');
      await page.getByLabel('CV').setInputFiles(pdf('cv.pdf'));
      await page.getByRole('button', { name: 'Remove cv.pdf' }).waitFor();
      await press(page, 'Submit');
      await heading(page, 'Thank you').waitFor();

      const { data } = (await client.get(submission)).body;
      expect(data).toMatchObject({ status: 'completed', records: [{ entity: 'expense' }] });
      const files = (await client.get(`${submission}/files`)).body.data;
      expect(files.map(({ name }: { name: string }) => name).sort()).toEqual(['cv.pdf', 'taxi.pdf']);
    });

    it('keeps the caret when another window changes an answer, and shows both if it changes the same one', async () => {
      const { page, client, path: submission } = await begin();
      browser.forgive(/status of 412/);
      const purpose = page.getByLabel('Purpose');
      const city = page.getByLabel('City');
      await purpose.fill('Conference');
      await purpose.press('Home');
      await purpose.press('ArrowRight');
      await page.keyboard.type('A');
      await saved(page);
      const elsewhere = (value: string) =>
        client.post(`${submission}/values`, { values: [{ field_code: 'city', value }] });
      // The next save reads it.
      await elsewhere('Graz');
      await page.keyboard.type('B');
      await eventually('the other answer is shown', async () => (await city.inputValue()) === 'Graz');
      await page.keyboard.type('C');
      expect(await purpose.inputValue()).toBe('CABConference');
      expect(await hasFocus(purpose)).toBe(true);
      await page.getByText('These answers were changed in another window').waitFor();

      await saved(page);
      await elsewhere('Wien');
      await city.fill('Linz');
      const versions = page.getByRole('group', { name: /City/ });
      await versions.getByText('Wien').waitFor();
      await versions.getByRole('button', { name: /^Keep this answer\s+\(Elsewhere\)/ }).click();
      await eventually('it is shown', async () => (await city.inputValue()) === 'Wien');
      expect(await hasFocus(city)).toBe(true);

      await elsewhere('Salzburg');
      await city.fill('Linz');
      await status(page, 'Saved, except for the marked answers');
      await expectUsable(page, 'element-conflict', NARROW);
      await versions.getByRole('button', { name: /^Keep this answer\s+\(Here\)/ }).click();
      await saved(page);
      expect(await city.inputValue()).toBe('Linz');
      expect((await client.get(submission)).body.data.values.map(({ value }: any) => value)).toContain(
        'Linz',
      );
    });

    it('asks for a token, keeps what was typed after a 401, and continues with another token', async () => {
      const { form } = await buildForm(use.database.dataSource, claim);
      const { plainToken, client } = await newUser(use);
      browser.forgive(/status of 401/);
      const page = await open(form.slug, { children: '<p slot="sign-in"><a href="/login">Log in</a></p>' });
      const logIn = page.getByRole('link', { name: 'Log in' });
      await page.getByText('Sign in to fill in this form.').or(logIn).first().waitFor();
      await set(page, 'token', plainToken);
      await heading(page, 'Step 1').waitFor();
      await set(page, 'token', 'expired');
      await page.getByLabel('Purpose').fill('Conference');
      await logIn.waitFor();
      expect(await page.getByLabel('Purpose').inputValue()).toBe('Conference');
      expect((await told(page)).map(([name]) => name)).toContain('error');
      await set(page, 'token', plainToken);
      await saved(page);
      await logIn.waitFor({ state: 'hidden' });
      const [{ uuid }] = (await client.get('/api/v1/submissions')).body.data;
      expect((await client.get(`/api/v1/submissions/${uuid}`)).body.data.values).toMatchObject([
        { value: 'Conference' },
      ]);
    });

    it('opens the submission that the attribute names, instead of the newest draft', async () => {
      const { page, form, client, path: submission, token } = await begin();
      await page.getByLabel('Purpose').fill('Conference');
      await saved(page);
      await client.post('/api/v1/submissions', { form_uuid: form.uuid });
      const other = await open(form.slug, {
        before: `document.querySelector('formtrail-form').token = '${token}';`,
        attributes: `submission="${submission.split('/').at(-1)}"`,
      });
      await other.getByLabel('Purpose').waitFor();
      expect(await other.getByLabel('Purpose').inputValue()).toBe('Conference');

      // After the draft is deleted, the person can begin again, on a page that shows the draft, and after a reload.
      browser.forgive(/status of 404/);
      await client.delete(submission);
      await other.getByLabel('Purpose').fill('Fair');
      for (const reload of [false, true]) {
        if (reload) await other.reload();
        await other.getByText('These answers were deleted').waitFor();
        if (!reload) expect((await told(other)).at(-1)).toMatchObject(['gone', {}]);
      }
      await press(other, 'Begin again');
      await expectFocus(heading(other, 'Step 1'));
      expect(await other.getByLabel('Purpose').inputValue()).toBe('');
    });

    it('reports changes of the form, and leads to the answer that completion then rejects', async () => {
      browser.forgive(REFUSED);
      const { form, page } = await element.begin({
        form: { completion: 'strict' },
        steps: [
          { name: { label: 'Name' }, note: { label: 'Note' }, city: { label: 'City' } },
          { topic: { label: 'Topic' } },
        ],
      });
      await page.getByLabel('City').fill('Graz');
      await page.getByLabel('Name').fill('Ada');
      await saved(page);
      await use.service.hearing(() =>
        query(
          `update fields set retired_at = case code when 'city' then now() end,
             field_type_id = case code when 'name' then (select id from field_types where component = 'textarea-input')
                             else field_type_id end
           where form_id = $1 and code in ('city', 'name')`,
          form.id,
        ),
      );
      await page.getByLabel('Note').fill('None');
      await page.getByText('This form has changed while you were filling it in.').waitFor();
      await page.getByText('Graz').waitFor();
      expect(await page.getByLabel('City').count()).toBe(0);
      expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
      await page.getByText('This question has changed. Check your answer.').waitFor();
      await expectUsable(page, 'element-changed', NARROW);

      await page.getByLabel('Note').fill('');
      await press(page, 'Next');
      await press(page, 'Check your answers');
      await heading(page, 'Check your answers').waitFor();
      await query(`update fields set is_required = true where form_id = $1 and code = 'note'`, form.id);
      await press(page, 'Submit');
      await heading(page, 'Step 1').waitFor();
      await summaryOn(page).getByRole('link', { name: 'Note: Enter an answer.' }).click();
      await expectFocus(page.getByLabel('Note'));
    });

    it('names a question that is new, and marks it if it is required', async () => {
      browser.forgive(REFUSED);
      const { fields, page } = await element.begin({ steps: [{ name: { label: 'Name' } }, { note: {} }] });
      await page.getByLabel('Name').fill('Ada');
      await press(page, 'Next');
      await press(page, 'Check your answers');
      await heading(page, 'Check your answers').waitFor();
      await use.service.hearing(() =>
        query(
          `insert into fields (form_id, step_id, field_type_id, code, label, is_required, "order")
           select form_id, step_id, field_type_id, 'town', 'Town', true, 2 from fields where id = $1`,
          fields['name']!.id,
        ),
      );
      await press(page, 'Submit');
      await page.getByText('These questions are new:').waitFor();
      await page.getByRole('listitem').filter({ hasText: 'Town' }).waitFor();
      await page.getByText('Still needs an answer', { exact: true }).waitFor();
      await expectUsable(page, 'element-new-question', NARROW);
      await press(page, 'Change Town');
      await expectFocus(page.getByLabel('Town'));
    });

    it('keeps answers while it is offline, and sends them when it is online again', async () => {
      browser.forgive(/ERR_INTERNET_DISCONNECTED/);
      const { page, read } = await element.begin({
        steps: [{ name: { label: 'Name' } }, { end: { label: 'End' } }],
      });
      await page.context().setOffline(true);
      await page.getByLabel('Name').fill('Ada');
      await status(page, 'You are offline; your answers are kept on this device');
      await press(page, 'Next');
      await page.getByRole('alert').filter({ hasText: 'The connection was lost.' }).waitFor();
      await heading(page, 'Step 1').waitFor();
      expect((await read()).values).toEqual([]);
      await page.context().setOffline(false);
      await saved(page);
      expect((await read()).values).toMatchObject([{ value: 'Ada' }]);
    });

    it('says how long the rate limit of the service makes a person wait', async () => {
      browser.forgive(REFUSED);
      const { form } = await buildForm(use.database.dataSource, { steps: [{ name: { label: 'Name' } }] });
      await withServiceOn(use.database, { THROTTLE_USER_LIMIT: '2' }, async (service) => {
        const { plainToken } = await newUser({ ...use, service });
        const waits = (page: Page) => status(page, /^Too many requests\. Continuing in \d+ seconds?$/);
        const page = await open(form.slug, { before: tokenScript(plainToken), service });
        await page.getByLabel('Name').fill('Ada');
        await waits(page);
        // The next page waits before it shows the form.
        await waits(await open(form.slug, { before: tokenScript(plainToken), service }));
      });
    });

    it('can be used with the keyboard alone', async () => {
      browser.forgive(REFUSED);
      const { page, read } = await element.begin({
        form: { completion: 'strict' },
        steps: [
          {
            name: { label: 'Name', isRequired: true },
            permit: { label: 'Permit', type: 'radio', options: ['yes', 'no'] },
            number: { label: 'Number', isRequired: true, conditions: [['permit', 'equals', 'yes', 'show']] },
          },
          { end: { label: 'End' } },
        ],
      });
      const { keyboard } = page;
      for (const key of ['Tab', 'Tab', 'Space']) await keyboard.press(key);
      await page.getByLabel('Number').waitFor();
      // The button that clears the choice comes first.
      for (const key of ['Tab', 'Tab']) await keyboard.press(key);
      await expectFocus(page.getByLabel('Number'));
      await keyboard.press('Enter');
      await expectFocus(summaryOn(page));
      expect(await summaryOn(page).getByRole('link').allInnerTexts()).toEqual([
        'Enter your name.',
        'Enter your number.',
      ]);
      for (const key of ['Tab', 'Enter']) await keyboard.press(key);
      await expectFocus(page.getByLabel('Name'));
      await keyboard.type('Ada');
      await page.getByLabel('Number').focus();
      await keyboard.type('WP-1');
      await summaryOn(page).waitFor({ state: 'detached' });
      // An error that appears while somebody types does not take the focus.
      await page.getByLabel('Number').fill('1'.repeat(65_536));
      await summaryOn(page).waitFor();
      await expectFocus(page.getByLabel('Number'));
      await page.getByLabel('Number').fill('WP-1');
      await summaryOn(page).waitFor({ state: 'detached' });
      await page.getByLabel('no', { exact: true }).focus();
      for (const key of ['Tab', 'Enter']) await keyboard.press(key);
      await expectFocus(page.getByLabel('yes', { exact: true }));
      await page.getByLabel('Name').press('Enter');
      await heading(page, 'Step 2').waitFor();
      expect((await read()).values.map(({ value }: { value: string }) => value)).toEqual(['Ada', '', 'WP-1']);
    });
  });

  describe('the inputs', () => {
    const publicForm = (...steps: NonNullable<FormPlan['steps']>) =>
      buildForm(use.database.dataSource, { form: { access: 'public', completion: 'strict' }, steps });
    const valueOf = async ({ form }: Awaited<ReturnType<typeof publicForm>>, code: string) => {
      const found = await query(
        'select value from submission_values v join fields f on f.id = v.field_id where f.form_id = $1 and code = $2',
        ...[form.id, code],
      );
      return found[0]?.value as string | undefined;
    };

    it('say if a date is no date, keep the stored one, and do not go on', async () => {
      const built = await publicForm(
        { day: { label: 'Day', type: 'date' }, name: { label: 'Name' } },
        { end: {} },
      );
      const page = await open(built.form.slug);
      const day = page.getByLabel('Day');
      const message = page
        .locator('[part~=error]')
        .filter({ hasText: 'Enter a whole date that exists, with a year of four digits.' });
      const summary = page.getByRole('alert').filter({ hasText: 'There is a problem' });
      const goOn = async () => {
        await press(page, 'Next');
        await expectFocus(summary);
        await heading(page, 'Step 1').waitFor();
        expect(await day.getAttribute('aria-invalid')).toBe('true');
      };
      // Without a year. The question says so when the focus leaves it, and the summary only after "Next".
      await day.pressSequentially('1231');
      await page.getByLabel('Name').fill('Ada');
      await message.waitFor();
      expect(await summary.count()).toBe(0);
      await goOn();
      expect(await valueOf(built, 'day')).toBeUndefined();
      await summary.getByRole('link', { name: 'Day: Enter a whole date' }).click();
      expect(await hasFocus(day)).toBe(true);

      // A whole date removes the mistake. Without its year, the stored one stays, but the page does not go on.
      await day.fill('2024-06-15');
      await message.waitFor({ state: 'detached' });
      await saved(page);
      await day.focus();
      for (const key of ['ArrowRight', 'ArrowRight', 'Backspace']) await day.press(key);
      await page.getByLabel('Name').fill('Ada Lovelace');
      await page.getByText('Saved, except for the marked answers').waitFor();
      await goOn();
      expect(await valueOf(built, 'day')).toBe('2024-06-15');

      // An empty input is an answer: none.
      await day.focus();
      for (const key of ['Backspace', 'ArrowRight', 'Backspace', 'ArrowRight', 'Backspace'])
        await day.press(key);
      await press(page, 'Next');
      await heading(page, 'Step 2').waitFor();
      expect(await valueOf(built, 'day')).toBe('');
    });

    it('are text inputs for components that the element does not know, whatever their names', async () => {
      const names = ['__proto__', 'signature-input'];
      for (const [index, component] of names.entries())
        await query('insert into field_types (name, component) values ($1, $2)', `new-${index}`, component);
      const fields = names.map(
        (name, index) => [`f${index}`, { label: name, type: `new-${index}` }] as const,
      );
      const built = await publicForm(Object.fromEntries(fields));
      const page = await open(built.form.slug);
      for (const name of names) {
        expect(await page.getByLabel(name).getAttribute('type')).toBe('text');
        await page.getByLabel(name).fill(`of ${name}`);
      }
      await press(page, 'Submit');
      await heading(page, 'Thank you').waitFor();
      expect(await valueOf(built, 'f0')).toBe('of __proto__');
    });
  });

  describe('for a visitor', () => {
    const contact = (more: object = {}) =>
      buildForm(use.database.dataSource, {
        form: { access: 'public', name: 'Contact', ...more },
        steps: [{ name: { label: 'Name' } }],
      });
    const count = async (table: 'respondents' | 'submissions', formId: number): Promise<number> =>
      (await query(`select count(*)::int as count from ${table} where form_id = $1`, formId))[0].count;

    /** Lets the token of the page expire, and types a name, which the service then rejects. */
    async function expire(page: Page, name: string): Promise<void> {
      const items = await page.evaluate<string>('JSON.stringify(sessionStorage)');
      const [token = ''] = /ftr_[\w-]+/.exec(items) ?? [];
      await letAllTokensExpire(use.database);
      browser.forgive(/status of 401/);
      await eventually('the service rejects the token', async () => {
        const headers = { Authorization: `Bearer ${token}` };
        return (await fetch(`${use.service.url}/api/v1/submissions`, { headers })).status === 401;
      });
      await page.getByLabel('Name').fill(name);
      await heading(page, 'Continue your draft').waitFor();
    }

    it('computes a proof of work in a worker', async () => {
      const { form } = await contact({ proofOfWork: 50_000 });
      const before = `window.Worker = class extends Worker {
        constructor(...args) {
          super(...args);
          this.addEventListener('message', ({ data }) => told.push(['worker', data]));
        }
      };`;
      const page = await open(form.slug, { before });
      // Looking begins nothing.
      await page.getByLabel('Name').focus();
      await page.waitForLoadState('networkidle');
      expect((await told(page)).map(([name]) => name)).toEqual(['step']);
      expect(await page.locator('[part=status]').innerText()).toBe('');
      expect([await page.evaluate('sessionStorage.length'), await count('respondents', form.id)]).toEqual([
        0, 0,
      ]);
      await page.getByLabel('Name').fill('Ada');
      await saved(page);
      expect(await told(page)).toContainEqual(['worker', { number: expect.any(Number) }]);
      expect(await count('respondents', form.id)).toBe(1);
    });

    it('continues after a 401 with a resume code, or begins again', async () => {
      const { form } = await contact();
      const page = await open(form.slug, { timezoneId: 'America/Los_Angeles' });
      await page.route('**/resume-codes', async (route) => {
        const response = await route.fetch();
        const { data } = (await response.json()) as { data: object };
        const json = { data: { ...data, expires_at: '2031-12-04T02:00:00.000Z' } };
        await route.fulfill({ response, json });
      });
      await page.getByLabel('Name').waitFor();
      await press(page, 'Continue on another device');
      await page.getByText('It works once, until December 3, 2031.').waitFor();
      const code = await page.getByText(/^(\w{4,6}-)+\w+$/).innerText();
      const link = await page.getByRole('link').innerText();
      expect(link).toBe(`${page.url()}#resume=${code}`);
      await expire(page, 'Ada');
      await expectUsable(page, 'element-expired', NARROW);
      expect(await page.getByText('Something is wrong').count()).toBe(0);
      browser.forgive(/status of 422/);
      await press(page, 'Continue with the code');
      await page.getByText('Enter the code.').waitFor();
      await page.getByLabel('Resume code').fill(code);
      await press(page, 'Continue with the code');
      await page.getByLabel('Name').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
      await saved(page);
      expect([await count('respondents', form.id), await count('submissions', form.id)]).toEqual([1, 1]);

      // Opened on another device, the link asks before it uses the code.
      await press(page, 'Continue on another device');
      const other = await browser.newPage();
      await other.goto(await page.getByRole('link').innerText());
      await heading(other, 'Continue your draft').waitFor();
      expect(other.url()).toBe(page.url());
      await press(other, 'Continue with the code');
      await eventually(
        'the draft is open',
        async () => (await other.getByLabel('Name').inputValue()) === 'Ada',
      );
      await other.close();

      await expire(page, 'Grace');
      await press(page, 'Begin again');
      await page.getByLabel('Name').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
      expect([await count('respondents', form.id), await count('submissions', form.id)]).toEqual([2, 2]);
    });

    it('remembers the visitor with the attribute, in other tabs too', async () => {
      const { form } = await contact();
      const page = await open(form.slug, { attributes: 'remember' });
      await page.getByLabel('Name').fill('Ada');
      await saved(page);
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.getByLabel('Name').waitFor();
      expect(await other.getByLabel('Name').inputValue()).toBe('Ada');
      expect([await count('respondents', form.id), await count('submissions', form.id)]).toEqual([1, 1]);
    });

    it('speaks the language of its place on the page, and shows the texts of the page', async () => {
      const { form } = await contact();
      const before = `document.querySelector('formtrail-form').sentences = {
        de: { submit: 'Absenden', optional: '(freiwillig)', completed: 'Danke' },
      };`;
      const children = '<p slot="completed">See you there!</p>';
      const page = await open(form.slug, { before, children, language: 'de-AT' });
      await page.getByLabel('Name (freiwillig)').waitFor();
      await set(page, 'lang', 'en');
      await page.getByRole('button', { name: 'Submit' }).waitFor();
      await set(page, 'lang', 'de');
      await press(page, 'Absenden');
      await page.getByText('See you there!').waitFor();
      expect(await heading(page, 'Danke').isVisible()).toBe(false);
      await expectFocus(page.locator('[part=completed]'));
    });

    it('opens another form when an attribute changes, and saves and stops when it is removed', async () => {
      const [one, other] = [await contact(), await everyField()];
      const page = await open(one.form.slug);
      await page.getByLabel('Name').fill('Ada');
      await set(page, 'form', other.form.slug);
      await page.getByText('Registration').waitFor();
      await page.getByLabel('Phone').fill('123');
      // A second script defines nothing, and moving the element changes nothing.
      await page.evaluate(`import('/formtrail-form.js?again')`);
      await page.evaluate(`document.body.append(document.querySelector('formtrail-form'))`);
      expect(await page.getByLabel('Phone').inputValue()).toBe('123');
      await page.evaluate(`document.querySelector('formtrail-form').remove()`);
      const values = async () =>
        (
          await query(
            `select v.value from submission_values v join fields f on f.id = v.field_id
             where f.form_id in ($1, $2) order by f.form_id`,
            ...[one.form.id, other.form.id],
          )
        ).map(({ value }: { value: string }) => value);
      await eventually('both are saved', async () => (await values()).join() === 'Ada,123');
    });

    it('says that a form is closed', async () => {
      browser.forgive(REFUSED);
      const page = await open((await contact({ isActive: false })).form.slug);
      await heading(page, 'The form could not be opened').waitFor();
      await page.getByText('This form cannot be filled in at the moment.').waitFor();
    });

    it('sends no requests before it has the attribute form, and can be opened again after a failure', async () => {
      const { form } = await contact();
      browser.forgive(/ERR_FAILED|status of 404/);
      const page = await open('');
      const toService = async () =>
        (
          await page.evaluate<string[]>(`performance.getEntriesByType('resource').map(({ name }) => name)`)
        ).filter((name) => name.startsWith(use.service.url));
      await page.evaluate(`customElements.whenDefined('formtrail-form')`);
      await page.waitForLoadState('networkidle');
      expect([await page.locator('formtrail-form').innerText(), await toService()]).toEqual(['', []]);
      await set(page, 'form', 'no-such-form');
      const failure = heading(page, 'The form could not be opened');
      await failure.waitFor();
      expect(await toService()).not.toEqual([]);
      await page.getByText('There is no such form').waitFor();
      await press(page, 'Try again');
      await expectFocus(failure);
      await set(page, 'form', form.slug);
      await page.getByLabel('Name').waitFor();
    });
  });
});
