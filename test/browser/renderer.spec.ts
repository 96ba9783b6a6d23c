import { randomUUID } from 'node:crypto';
import type { Route } from 'playwright-core';
import { Field, FieldType } from '../../src/entities.js';
import { eventually } from '../support/eventually.js';
import { buildForm, type FormPlan } from '../support/forms.js';
import { withServiceOn } from '../support/service.js';
import { expectUsable } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { type Answers, FillIn } from './support/fill-in.js';
import { expectFocus, hasFocus } from './support/form-page.js';
import { EXAMPLE_FORMS, REFUSED, useRenderer } from './support/use-renderer.js';

/** Answers other than the first option, so that conditions apply. Other spec files fill in the other example forms. */
const WISHES: Readonly<Record<string, Answers>> = {
  'job-application': {
    needs_work_permit: 'yes',
    position: 'speculative',
    employment_type: 'part_time',
    weekly_hours: '22.5',
    years_of_experience: '0.5',
    learning_goals: 'Everything',
    education_level: 'master',
    languages: 'english,other',
    motivation_format: 'write',
  },
  'patient-intake': {
    preferred_contact: 'email',
    interpreter_needed: 'yes',
    insurance_type: 'self_pay',
    medical_conditions: 'asthma,other',
    had_surgery: 'yes',
    takes_medication: 'no',
    phone: '+44 1632 960123',
    emergency_contact_phone: '+44 1632 960456',
    has_allergies: 'yes',
    smoking_status: 'daily',
    pain_level: '4',
  },
};
/** Titles of steps, and labels of groups, that these answers hide. */
const HIDDEN = ['Insurance', 'Medicine'];

const referenceOf = (uuid: string) => uuid.slice(-8).toUpperCase().replace(/^..../, '$&-');

describeInBrowser('the example renderer', () => {
  const { use, browser, address, visit, begin } = useRenderer();

  it.each(EXAMPLE_FORMS.filter(({ slug }) => slug in WISHES))(
    'fills in $slug to the end, and the service has exactly these answers',
    async ({ name, uuid, slug }) => {
      const draft = await begin(name);
      const { form, client, path } = draft;
      const filling = await FillIn.of(draft, uuid, WISHES[slug]!);
      const { steps, entities } = filling.schema;
      const titles = await filling.answerSteps();
      expect(titles).toEqual(steps.map(({ title }) => title).filter((title) => !HIDDEN.includes(title)));
      await form.press('Check your answers');
      await form.heading('Check your answers').waitFor();
      const rail = form.page.getByRole('navigation', { name: 'Steps' }).getByRole('listitem');
      const text = (await rail.allInnerTexts()).map((one) => one.replace(/\s*\(done\)$/, ''));
      expect(text).toEqual([...titles, 'Check and submit']);
      const groups = entities.map(({ label }) => label).filter((label) => !HIDDEN.includes(label));
      expect(await form.page.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(
        groups.map((label) => `${label} 1`),
      );
      await form.press('Submit');
      await form.heading('Thank you').waitFor();
      await filling.stored();
      expect(filling.answers).toMatchObject(WISHES[slug]!);
      expect((await client.get(path)).body.data).toMatchObject({
        status: 'completed',
        current_step: steps.length,
      });
    },
  );

  it('shows and hides steps and groups while the focus stays where it is', async () => {
    const { form } = await begin('Event registration');
    const { page } = form;
    const payment = page
      .getByRole('navigation', { name: 'Steps' })
      .getByRole('listitem')
      .filter({ hasText: 'Payment' });
    const type = form.field('I am registering as');
    for (const [label, count] of [
      ['Speaker', 0],
      ['Student', 1],
      ['Member of the press', 0],
    ] as const) {
      await type.focus();
      await type.selectOption({ label });
      await eventually(`the rail follows "${label}"`, async () => (await payment.count()) === count);
      await expectFocus(type);
    }
    await page.getByText('Step 1 of 5').waitFor();
    for (const [label, answer] of Object.entries({
      'First name': 'Ada',
      'Last name': 'Lovelace',
      'Email address': 'ada@example.org',
      'Newspaper, station or website you work for': 'The Gazette',
    }))
      await form.field(label).fill(answer);
    await form.press('Next');
    await form.heading('Attendance').waitFor();
    await form.choice('How will you take part?', 'On site').check();
    const guests = (answer: string) => form.choice('Are you bringing guests?', answer);
    const add = page.getByRole('button', { name: 'Add a guest' });
    await guests('Yes').check();
    // The group needs a guest, so its first entry is open already.
    await form.field('Name of the guest').fill('Dorothy');
    await guests('No').check();
    await add.waitFor({ state: 'detached' });
    await expectFocus(guests('No'));
    expect(await form.field('Name of the guest').count()).toBe(0);
    await guests('Yes').check();
    await add.waitFor();
    expect(await form.field('Name of the guest').inputValue()).toBe('Dorothy');
    await expectFocus(guests('Yes'));
  });

  it('keeps the focus in the list of steps if the step that has it is hidden', async () => {
    const { form } = await begin({
      steps: [
        { more: { type: 'radio', label: 'More', options: ['yes', 'no'] } },
        { extra: { label: 'Extra' } },
      ],
      stepConditions: { 2: [['more', 'equals', 'no', 'hide']] },
    });
    const rail = form.page.getByRole('navigation', { name: 'Steps' });
    await form.press('Next');
    await form.heading('Step 2').waitFor();
    await form.press('Back');
    await form.heading('Step 1').waitFor();
    const link = rail.getByRole('link', { name: 'Step 2' });
    const focusLink = await link.evaluateHandle((element) => () => element.focus());
    // Both at once, before the service can respond.
    await form.choice('More', 'no').evaluate((input, focus) => {
      input.click();
      focus();
    }, focusLink);
    await link.waitFor({ state: 'detached' });
    await expectFocus(rail);
    await form.page.getByText('Step 1 of 2').waitFor();
  });

  it('says if a date is no date, keeps the stored one, and neither goes on nor closes its entry', async () => {
    const { form, client, path } = await begin({
      steps: [
        {
          day: { label: 'Day', type: 'date' },
          born: { label: 'Born', type: 'date', isRepeatable: true },
        },
        { end: {} },
      ],
      entities: [{ name: 'child', label: 'Child', isRepeatable: true, of: ['born'] }],
    });
    const { page } = form;
    const day = form.field('Day');
    const message = 'Enter a whole date that exists, with a year of four digits.';
    await day.fill('2024-06-15');
    await form.press('Next');
    await form.heading('Step 2').waitFor();
    await form.press('Back');
    await form.heading('Step 1').waitFor();
    // The year of the stored date is removed.
    for (const key of ['ArrowRight', 'ArrowRight', 'Backspace']) await day.press(key);
    await page.getByRole('button', { name: 'Add a child' }).focus();
    await page.locator('.field .error').filter({ hasText: message }).waitFor();
    expect(await form.problems.count()).toBe(0);
    await form.press('Next');
    await form.problems.getByRole('link', { name: `Day: ${message}` }).waitFor();
    await expectFocus(form.problems);
    // A link to a later step does not go on either.
    await page.getByRole('navigation', { name: 'Steps' }).getByRole('link', { name: 'Step 2' }).click();
    await expectFocus(form.problems);
    await form.heading('Step 1').waitFor();
    expect((await client.get(path)).body.data.values).toMatchObject([{ value: '2024-06-15' }]);
    await day.fill('2024-07-01');
    await form.problems.waitFor({ state: 'detached' });

    // A year of two digits.
    await page.getByRole('button', { name: 'Add a child' }).click();
    await page.getByRole('group', { name: 'Child 1', exact: true }).waitFor();
    await form.field('Born').pressSequentially('063024');
    await page.getByRole('button', { name: 'Add a child' }).click();
    await form.problems.getByRole('link', { name: `Child 1: Born: ${message}` }).click();
    await expectFocus(form.field('Born'));
    expect(await page.getByRole('group', { name: 'Child 2', exact: true }).count()).toBe(0);
  });

  it('opens the same step after a reload, goes back with the browser, and to finished steps with their links', async () => {
    browser.forgive(REFUSED);
    const { form, client, path } = await begin('Event registration');
    const { page } = form;
    const stepNow = async () => (await client.get(path)).body.data.current_step;
    await form.field('First name').fill('Katherine');
    await form.field('Last name').fill('Johnson');
    await form.field('Email address').fill('katherine@example.com');
    await form.field('I am registering as').selectOption({ label: 'Attendee' });
    await form.press('Next');
    await form.heading('Attendance').waitFor();
    await page.waitForURL(/\/step-\d+$/);
    await form.choice('How will you take part?', 'On site').check();
    await form.choice('Are you bringing guests?', 'Yes').check();
    // Not sent yet, because the renderer waits for a pause in typing.
    await form.field('Name of the guest').fill('Dorothy');
    await page.reload();
    await form.heading('Attendance').waitFor();
    expect(await form.choice('How will you take part?', 'On site').isChecked()).toBe(true);
    expect(await form.field('Name of the guest').inputValue()).toBe('Dorothy');

    await page.goBack();
    await form.heading('Your details').waitFor();
    expect([await form.field('First name').inputValue(), await stepNow()]).toEqual(['Katherine', 1]);
    await page.goForward();
    await form.heading('Attendance').waitFor();
    const steps = page.getByRole('navigation', { name: 'Steps' });
    expect(await steps.getByRole('link').allInnerTexts()).toEqual(['Your details']);
    await steps.getByRole('link', { name: 'Your details' }).click();
    await form.heading('Your details').waitFor();
    // A step with errors cannot be skipped.
    await form.field('First name').fill('');
    await steps.getByRole('link', { name: 'Attendance' }).click();
    await form.problems.getByRole('link', { name: 'Enter your first name.' }).waitFor();
    await form.heading('Your details').waitFor();
  });

  it('shows all answers with links to change them, then the submitted form, which the list opens again', async () => {
    const name = 'Two steps';
    const plan: FormPlan = {
      form: { name },
      steps: [
        { name: { label: 'Name' }, note: { label: 'Note' }, day: { type: 'date', label: 'Day' } },
        { colour: { type: 'radio', label: 'Colour', options: ['red', 'blue'] } },
      ],
    };
    const { form, client, path, uuid } = await begin(plan, { locale: 'de-DE' });
    const { page } = form;
    const answers = async () => (await page.locator('dd:not(.change)').allInnerTexts()).join(', ');
    await form.field('Name').fill('Ada');
    await form.field('Day').fill('2026-03-01');
    await form.press('Next');
    await form.choice('Colour', 'blue').check();
    await form.press('Check your answers');
    await form.heading('Check your answers').waitFor();
    // The check of the answers counts as a step.
    await page.getByText('Step 3 of 3').waitFor();
    // Dates follow the locale of the browser.
    expect(await answers()).toBe('Ada, Not answered, 1. März 2026, blue');
    await expectUsable(page, 'review');
    await page.getByRole('link', { name: 'Change Name', exact: true }).click();
    await expectFocus(form.field('Name'));
    await form.field('Name').fill('Ada Lovelace');
    await page.getByRole('link', { name: 'Check your answers' }).click();
    await form.heading('Check your answers').waitFor();
    await form.press('Submit');
    await form.heading('Thank you').waitFor();
    // Without the question that has no answer.
    expect(await answers()).toBe('Ada Lovelace, 1. März 2026, blue');
    await expectUsable(page, 'completed');

    await page.getByRole('link', { name: 'All forms' }).click();
    const submitted = page.getByRole('region', { name: 'Submitted' }).getByRole('listitem');
    await submitted.getByText(referenceOf(uuid)).waitFor();
    const { body } = await client.get(path);
    expect(await submitted.locator('time').getAttribute('datetime')).toBe(body.data.updated_at);
    expect(await page.getByRole('region', { name: 'Continue where you left off' }).count()).toBe(0);
    await expectUsable(page, 'submitted');
    await submitted.getByRole('link', { name }).click();
    await page.waitForURL(/\/submitted$/);
    await page.reload();
    await form.heading('Thank you').waitFor();
    await page.getByText(referenceOf(uuid)).waitFor();
    expect([await answers(), await page.getByRole('textbox').count()]).toEqual([
      'Ada Lovelace, 1. März 2026, blue',
      0,
    ]);

    // One form a page, so that the list has several pages.
    const [, form_uuid] = /forms\/([\w-]+)/.exec(page.url())!;
    await page.route(/\/submissions\?/, (route) =>
      route.continue({ url: `${route.request().url()}&per_page=1` }),
    );
    for (let more = 0; more < 2; more += 1) {
      const { body: begun } = await client.post('/api/v1/submissions', { form_uuid });
      await client.patch(`/api/v1/submissions/${begun.data.uuid}`, { status: 'completed' });
    }
    await page.getByRole('link', { name: 'All forms' }).click();
    const older = page.getByRole('button', { name: 'Show older ones' });
    await older.dblclick();
    await expectFocus(submitted.nth(1));
    expect(await submitted.count()).toBe(2);
    await older.click();
    await expectFocus(submitted.nth(2));
    expect(await submitted.nth(2).getByText('Reference').innerText()).toContain(uuid.slice(-4).toUpperCase());
    expect(await older.count()).toBe(0);
    await page.goto(page.url().replace(/#.*/, '#/page/9'));
    await page.getByText('There are no forms here.').getByRole('link', { name: 'All forms' }).click();
    await page.getByRole('heading', { name: 'Begin a form' }).waitFor();
  });

  it('shows all drafts of the user with their progress, and deletes one after a confirmation', async () => {
    // The second step has no visible field for some users.
    await buildForm(use.database.dataSource, {
      form: { name: 'Perhaps two steps' },
      steps: [{ more: {} }, { extra: { conditions: [['more', 'equals', 'yes', 'show']] } }],
    });
    const { form, client, path, uuid } = await begin('Job application');
    const { page } = form;
    await form.field('First name').fill('Ada');
    await form.saved();
    // Create a draft without this page, like another device.
    const expenses = EXAMPLE_FORMS.find(({ name }) => name === 'Travel expense claim')!;
    const { body } = await client.post('/api/v1/submissions', { form_uuid: expenses.uuid });
    const other = `/api/v1/submissions/${body.data.uuid}`;

    await page.clock.install();
    await page.getByRole('link', { name: 'Formtrail' }).click();
    const drafts = page.getByRole('region', { name: 'Continue where you left off' }).getByRole('listitem');
    await drafts.first().getByText('Step 1 of 5: Employee').waitFor();
    expect(await drafts.getByRole('heading').allInnerTexts()).toEqual([expenses.name, 'Job application']);
    const { updated_at } = (await client.get(path)).body.data;
    expect(await drafts.nth(1).locator('time').getAttribute('datetime')).toBe(updated_at);
    await drafts.nth(1).getByText('Last changed just now').waitFor();
    await page.clock.fastForward('03:30');
    await drafts.nth(1).getByText('Last changed 3 minutes ago').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Perhaps two steps' })
      .getByText('Up to 3 steps')
      .waitFor();
    await page.clock.resume();
    await expectUsable(page, 'drafts');

    const throwAway = drafts.first().getByRole('button', { name: 'Delete' });
    await throwAway.click();
    await form.dialog.getByText('Your answers to “Travel expense claim”').waitFor();
    // Enter must not delete anything by accident.
    await expectFocus(form.dialog.getByRole('button', { name: 'Cancel' }));
    await expectUsable(page, 'dialog');
    await page.keyboard.press('Escape');
    await form.dialog.waitFor({ state: 'detached' });
    await expectFocus(throwAway);
    expect((await client.get(other)).status).toBe(200);
    await throwAway.click();
    await form.answer('Delete');
    await eventually('one is left', async () => (await drafts.count()) === 1);
    expect((await client.get(other)).status).toBe(404);
    await expectFocus(form.heading('Forms'));

    await drafts.getByRole('link', { name: 'Continue' }).click();
    await form.heading('Personal details').waitFor();
    expect(page.url()).toContain(uuid);
    // A link to the form opens the existing draft too.
    await page.goto(page.url().replace(/\/[^/]+\/step-\d+$/, ''));
    await page.reload();
    await form.heading('Personal details').waitFor();
    expect(await form.field('First name').inputValue()).toBe('Ada');
  });

  it('asks before it begins a second draft of a form: continues the first, begins another, or does neither', async () => {
    const { form, client, uuid } = await begin('Job application');
    const { page } = form;
    const drafts = async () => (await client.get('/api/v1/submissions?status=draft')).body.data.length;
    const button = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: 'Job application' }) })
      .getByRole('button', { name: 'Begin' });
    const beginAgain = async () => {
      await page.getByRole('link', { name: 'Formtrail' }).click();
      await button.click();
      await form.dialog.getByText('Your draft of this form was last changed just now.').waitFor();
    };
    await beginAgain();
    await form.answer('Cancel');
    await expectFocus(button);
    await beginAgain();
    await form.answer('Continue');
    await form.heading('Personal details').waitFor();
    expect([page.url().includes(uuid), await drafts()]).toEqual([true, 1]);
    await beginAgain();
    await form.answer('Begin a new one');
    await form.heading('Personal details').waitFor();
    expect([page.url().includes('/new'), await drafts()]).toEqual([true, 1]);

    // The first answer begins it, and the person types on.
    const name = form.field('First name');
    await name.pressSequentially('Ad');
    await form.saved();
    await page.waitForURL((url) => !url.hash.includes('/new'));
    await name.pressSequentially('a');
    await expectFocus(name);
    await form.saved();
    expect([page.url().includes(uuid), await drafts()]).toEqual([false, 2]);
    await page.reload();
    await form.heading('Personal details').waitFor();
    expect(await name.inputValue()).toBe('Ada');
  });

  it('can be used with the keyboard alone, and its error summary links to the inputs with missing answers', async () => {
    browser.forgive(REFUSED);
    const { form, client, path } = await begin('Job application');
    const { keyboard } = form.page;
    // The renderer sets the focus on the heading of a new step.
    await expectFocus(form.heading('Personal details'));
    for (const text of ['Ada', '', 'ada@example.org', '+44 20 7946 0018']) {
      await keyboard.press('Tab');
      await keyboard.type(text);
    }
    await keyboard.press('Tab');
    await keyboard.press('Space');
    const permit = form.field('Work permit number');
    await permit.waitFor();
    // Tab past the button that clears the choice.
    for (let stops = 0; stops < 3 && !(await hasFocus(permit)); stops += 1) await keyboard.press('Tab');
    await keyboard.press('Enter');
    await form.problems.waitFor();
    await expectFocus(form.problems);
    expect(await form.problems.getByRole('link').allInnerTexts()).toEqual([
      'Enter your last name.',
      'Enter your work permit number.',
    ]);
    expect(await form.page.title()).toMatch(/^Error: /);
    expect((await client.get(path)).body.data.current_step).toBe(1);
    await expectUsable(form.page, 'errors');
    await form.problems.getByRole('link', { name: /last name/ }).press('Enter');
    await expectFocus(form.field('Last name'));
    await keyboard.type('Lovelace');
    await permit.fill('WP-1815-12');
    await form.problems.waitFor({ state: 'detached' });

    // An error that appears while the user types, after the others are corrected, does not take the focus.
    await form.field('Phone number').fill('1'.repeat(65_536));
    await form.problems.waitFor();
    await expectFocus(form.field('Phone number'));
    await form.field('Phone number').fill('+44 20 7946 0018');
    await form.problems.waitFor({ state: 'detached' });
    await keyboard.press('Enter');
    await form.heading('Position and availability').waitFor();
    expect((await client.get(path)).body.data.values.map(({ value }: { value: string }) => value)).toEqual([
      'Ada',
      'Lovelace',
      'ada@example.org',
      '+44 20 7946 0018',
      'yes',
      'WP-1815-12',
    ]);
  });

  // A service without FILES_URL rejects the first upload, so the renderer stores the name of the file as text (U1).
  it('renders every component, an unknown one as a text input, and inputs with the purpose of their author', async () => {
    browser.forgive(REFUSED);
    const { dataSource } = use.database;
    const { manager } = dataSource;
    const type = await manager.save(manager.create(FieldType, { name: 'drawing', component: 'drawing-pad' }));
    const options = ['red', 'green', 'blue'];
    const { form: built, fields } = await buildForm(dataSource, {
      form: { name: 'Everything', completion: 'strict' },
      steps: [
        {
          heading: { type: 'heading', label: 'A heading' },
          paragraph: { type: 'paragraph', label: 'A paragraph' },
          text: { label: 'A text', description: 'What it is about.', meta: { autocomplete: 'given-name' } },
          phone: { label: 'A phone', meta: { autocomplete: 'tel', inputmode: 'tel' } },
          email: { type: 'email', label: 'An e-mail', placeholder: 'ada@example.org' },
          number: { type: 'number', label: 'A number' },
          textarea: { type: 'textarea', label: 'A long text' },
          select: { type: 'select', label: 'A choice of many', options },
          checkbox: { type: 'checkbox', label: 'Yes or nothing' },
          checkboxes: { type: 'checkbox', label: 'Several', options: ['red', 'green, or lime', ' blue'] },
          radio: { type: 'radio', label: 'One of these', options },
          date: { type: 'date', label: 'A day' },
          file: { type: 'file', label: 'A file' },
          unknown: { label: 'Something new' },
        },
      ],
    });
    await manager.update(Field, { id: fields['unknown']!.id }, { fieldTypeId: type.id });
    await withServiceOn(use.database, { FILES_URL: '' }, async (service) => {
      const { form, client, path } = await begin(built.name, {}, service);
      const { page } = form;
      await page.getByRole('heading', { name: 'A heading' }).waitFor();
      await page.getByText('A paragraph').waitFor();
      const attributes = (label: string) =>
        form
          .field(label)
          .evaluate((input) => ['type', 'autocomplete', 'inputmode'].map((name) => input.getAttribute(name)));
      expect(await attributes('A text')).toEqual(['text', 'given-name', null]);
      expect(await attributes('A phone')).toEqual(['tel', 'tel', 'tel']);
      expect((await attributes('An e-mail'))[0]).toBe('email');
      expect((await attributes('Something new'))[0]).toBe('text');
      await form.field('A text').fill('text');
      await form.field('An e-mail').fill('ada@example.org');
      await form.field('A number').fill('12.50');
      await form.field('A long text').fill('one\ntwo');
      await form.field('A choice of many').selectOption({ label: 'green' });
      await form.field('Yes or nothing').check();
      for (const option of ['blue', 'red', 'green, or lime']) await form.choice('Several', option).check();
      await form.choice('Several', 'red').uncheck();
      await form.choice('One of these', 'red').check();
      await page.getByRole('button', { name: 'Clear the choice: One of these' }).click();
      await form.field('A day').fill('2026-02-28');
      await form
        .field('A file')
        .setInputFiles({ name: 'cv.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') });
      await form.field('Something new').fill('drawn');
      await expectUsable(page, 'components');
      await form.submit();

      const { values } = (await client.get(path)).body.data;
      expect(Object.fromEntries(values.map((entry: any) => [entry.field_code, entry.value]))).toEqual({
        ...{ text: 'text', email: 'ada@example.org', number: '12.50', textarea: 'one\ntwo' },
        ...{ select: 'green', checkbox: 'true', checkboxes: 'green, or lime, blue', radio: '' },
        ...{ date: '2026-02-28', file: 'cv.pdf', unknown: 'drawn' },
      });
    });
  });

  it('has pages for a form that is loading, cannot be loaded, is closed, or is gone', async () => {
    browser.forgive(/status of 4|ERR_FAILED/);
    const { form: closed } = await buildForm(use.database.dataSource, { form: { isActive: false } });
    const { form } = await visit();
    const { page } = form;
    const held: Route[] = [];
    await page.route(`**/api/v1/forms/${closed.uuid}`, (route) => void held.push(route));
    await page.goto(address(`/forms/${closed.uuid}`));
    await eventually('it loads', () => held.length > 0);
    await expectUsable(page, 'loading');
    await held[0]?.abort();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await expectUsable(page, 'failed');
    await page.unroute(`**/api/v1/forms/${closed.uuid}`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This form is closed').waitFor();
    await expectUsable(page, 'closed');
    await page.goto(address(`/forms/${closed.uuid}/${randomUUID()}`));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectUsable(page, 'gone');
  });
});
