import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { expectAccessible } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { type Answers, type Entity, FillIn, type Step } from './support/fill-in.js';
import { expectFocus } from './support/form-page.js';
import { EXAMPLE_FORMS, REFUSED, useRenderer } from './support/use-renderer.js';

/** Answers other than the first option, so that conditions apply. Each shows or hides the steps and groups with conditions. */
const WISHES: Readonly<Record<string, Answers>> = {
  'event-registration': {
    attendee_type: 'speaker',
    days: 'day_1,day_2',
    workshop: 'accessible_design',
    workshop_expectations: 'How to test with a keyboard',
    brings_guests: 'yes',
    guest_dietary_requirements: 'None',
    dietary_requirements: 'vegan,other',
    needs_hotel: 'yes',
    newsletter: 'yes',
  },
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
    insurance_type: 'private',
    medical_conditions: 'asthma,other',
    had_surgery: 'yes',
    takes_medication: 'yes',
    phone: '+44 1632 960123',
    emergency_contact_phone: '+44 1632 960456',
    has_allergies: 'yes',
    smoking_status: 'daily',
    pain_level: '4',
  },
  'travel-expense-claim': {
    employee_number: '104482',
    cost_centre: '4711',
    iban: 'GB33 BUKB 2020 1555 5555 55',
    department: 'other',
    trip_purpose: 'other',
    means_of_transport: 'train,own_car',
    amount: '120.50',
    category: 'entertainment',
    entertainment_guests: 'Grace Hopper',
    advance_received: 'yes',
    payment_method: 'bank_transfer',
  },
};

/** Other answers to the forms whose steps and groups have conditions. */
const OTHER_WISHES: Readonly<Record<string, Answers>> = {
  'event-registration': { attendee_type: 'attendee', attendance_mode: 'in_person', brings_guests: 'no' },
  'patient-intake': {
    insurance_type: 'self_pay',
    takes_medication: 'no',
    phone: '+44 1632 960123',
    emergency_contact_phone: '+44 1632 960456',
  },
};

/** Titles of steps that the answers hide, and labels of groups that they hide. */
const HIDDEN = {
  'event-registration': { first: ['Payment'], other: ['Guest'] },
  'patient-intake': { first: [], other: ['Insurance', 'Medicine'] },
} as Readonly<Record<string, { readonly first: readonly string[]; readonly other: readonly string[] }>>;

const WAYS = [
  ...EXAMPLE_FORMS.map((example) => ({ ...example, way: 'first', wishes: WISHES[example.slug]! })),
  ...EXAMPLE_FORMS.flatMap((example) => {
    const wishes = OTHER_WISHES[example.slug];
    return wishes ? [{ ...example, way: 'other', wishes }] : [];
  }),
] as const;

describeInBrowser('the example renderer', () => {
  const { use, browser, begin } = useRenderer();

  it.each(WAYS)(
    'fills in $slug to the end (the $way way), and the service has exactly these answers',
    async (example) => {
      const { form, client, path } = await begin(example.name);
      const { body: schema } = await use.service.anyone.get(`/api/v1/forms/${example.uuid}/schema`);
      const steps: Step[] = schema.data.steps;
      const filling = new FillIn(form, client, path, example.wishes, schema.data.entities);
      const rail = form.page.getByRole('navigation', { name: 'Steps' }).getByRole('listitem');
      for (const step of steps) {
        if (!(await filling.shownSteps()).includes(step.step_number)) continue;
        await form.heading(step.title).waitFor();
        await filling.answerStep(step);
        if (step !== steps.at(-1)) await form.press('Next');
      }
      const shown = await filling.shownSteps();
      const titles = steps.filter(({ step_number }) => shown.includes(step_number)).map(({ title }) => title);
      await form.press('Check your answers');
      await form.heading('Check your answers').waitFor();
      const text = (await rail.allInnerTexts()).map((one) => one.replace(/\s*\(done\)$/, ''));
      expect(text).toEqual([...titles, 'Check and submit']);
      const labels = schema.data.entities.map(({ label }: Entity) => label) as string[];
      const headings = await form.page.getByRole('heading', { level: 3 }).allInnerTexts();
      const hidden = HIDDEN[example.slug]?.[example.way as 'first' | 'other'] ?? [];
      expect(headings).toEqual(
        labels.filter((label) => !hidden.includes(label)).map((label) => `${label} 1`),
      );
      expect(titles).toEqual(steps.map(({ title }) => title).filter((title) => !hidden.includes(title)));
      expect(await form.page.getByText('None added').count()).toBe(0);
      await form.press('Submit');
      await form.heading('Thank you').waitFor();

      await filling.stored();
      expect(filling.answers).toMatchObject(example.wishes);
      const { body } = await client.get(path);
      expect(body.data).toMatchObject({ status: 'completed', current_step: steps.length });
    },
  );

  it('shows a field when an answer makes it visible, and hides it again', async () => {
    const { form, client, path } = await begin('Job application');
    const permit = form.field('Work permit number');
    expect(await permit.count()).toBe(0);

    await form.choice('Do you need a work permit for this job?', 'Yes').check();
    await permit.fill('WP-1815-12');
    expect(await permit.getAttribute('required')).not.toBeNull();
    await form.saved();

    await form.choice('Do you need a work permit for this job?', 'No').check();
    await permit.waitFor({ state: 'detached' });
    // The hidden answer reappears if the user changes back.
    await form.choice('Do you need a work permit for this job?', 'Yes').check();
    await permit.waitFor();
    expect(await permit.inputValue()).toBe('WP-1815-12');
    await eventually('both are stored', async () => (await client.get(path)).body.data.values.length === 2);
  });

  it('shows and hides steps and groups while the focus stays where it is', async () => {
    const { form } = await begin('Event registration');
    const { page } = form;
    const rail = page.getByRole('navigation', { name: 'Steps' });
    const payment = rail.getByRole('listitem').filter({ hasText: 'Payment' });
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
    })) {
      await form.field(label).fill(answer);
    }
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
    await expectAccessible(page);
  });

  it('keeps the focus in the list of steps if the step that has it is hidden', async () => {
    const { form: built } = await buildForm(use.database.dataSource, {
      form: { name: 'Extra step' },
      steps: [
        { more: { type: 'radio', label: 'More', options: ['yes', 'no'] } },
        { extra: { label: 'Extra' } },
      ],
    });
    const { manager } = use.database.dataSource;
    await manager.query(
      `insert into conditions (step_id, depends_on_field_id, operator, value, action)
       select steps.id, fields.id, 'equals', 'no', 'hide' from steps join fields using (form_id)
       where form_id = $1 and step_number = 2 and code = 'more'`,
      [built.id],
    );
    const { form } = await begin(built.name);
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

  it('shows and stores options with commas, and with white space at an end', async () => {
    const reach = { label: 'Reach', type: 'checkbox', options: ['Post', 'Phone, text or fax', ' Person'] };
    const { form: built } = await buildForm(use.database.dataSource, {
      form: { name: 'Commas', completion: 'strict' },
      steps: [{ reach }],
    });
    const { form, client, path } = await begin(built.name);
    for (const option of ['Phone, text or fax', 'Person', 'Post']) await form.choice('Reach', option).check();
    await form.page.reload();
    for (const option of ['Post', 'Phone, text or fax', 'Person'])
      await eventually(`${option} is ticked`, () => form.choice('Reach', option).isChecked());
    await form.choice('Reach', 'Post').uncheck();
    await form.submit();
    const { values } = (await client.get(path)).body.data;
    expect(values).toMatchObject([{ value: 'Phone, text or fax, Person' }]);
  });

  it('says if a date is no date, keeps the stored one, and neither goes on nor closes its entry', async () => {
    const { form: built } = await buildForm(use.database.dataSource, {
      form: { name: 'Half a date' },
      steps: [
        {
          day: { label: 'Day', type: 'date' },
          born: { label: 'Born', type: 'date', isRepeatable: true },
        },
        { end: {} },
      ],
      entities: [{ name: 'child', label: 'Child', isRepeatable: true, of: ['born'] }],
    });
    const { form, client, path } = await begin(built.name);
    const { page } = form;
    const day = form.field('Day');
    const valuesNow = async () =>
      (await client.get(path)).body.data.values.map(({ value }: { value: string }) => value);
    const message = 'Enter a whole date that exists, with a year of four digits.';

    await day.fill('2024-06-15');
    await form.saved();
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
    expect(await valuesNow()).toEqual(['2024-06-15']);
    await day.fill('2024-07-01');
    await form.problems.waitFor({ state: 'detached' });
    await form.saved();
    expect(await valuesNow()).toEqual(['2024-07-01']);

    // A year of two digits.
    await page.getByRole('button', { name: 'Add a child' }).click();
    await page.getByRole('group', { name: 'Child 1', exact: true }).waitFor();
    await form.field('Born').pressSequentially('063024');
    await page.getByRole('button', { name: 'Add a child' }).click();
    await form.problems.getByRole('link', { name: `Child 1: Born: ${message}` }).click();
    await expectFocus(form.field('Born'));
    expect(await page.getByRole('group', { name: 'Child 2', exact: true }).count()).toBe(0);
    await form.field('Born').fill('');
    await form.press('Next');
    await form.heading('Step 2').waitFor();
    expect((await valuesNow()).filter((value: string) => value !== '')).toEqual(['2024-07-01']);
  });

  it("gives inputs the purpose and the keyboard of the form's author", async () => {
    const { form } = await begin('Job application');
    const attributes = (label: string) =>
      form
        .field(label)
        .evaluate((input) => ['type', 'autocomplete', 'inputmode'].map((name) => input.getAttribute(name)));
    expect(await attributes('First name')).toEqual(['text', 'given-name', null]);
    expect(await attributes('Email address')).toEqual(['email', 'email', null]);
    expect(await attributes('Phone number')).toEqual(['tel', 'tel', 'tel']);
  });

  it('continues after a reload on the same step with the same answers', async () => {
    const { form, client, path } = await begin('Event registration');
    const { page } = form;
    await form.field('First name').fill('Katherine');
    await form.field('Last name').fill('Johnson');
    await form.field('Email address').fill('katherine@example.com');
    await form.field('I am registering as').selectOption({ label: 'Speaker' });
    await form.field('Title of your talk').fill('Orbits');
    await form.press('Next');
    await form.heading('Attendance').waitFor();
    await form.choice('How will you take part?', 'On site').check();
    await form.choice('Are you bringing guests?', 'Yes').check();
    // Not sent yet, because the renderer waits for a pause in typing.
    await form.field('Name of the guest').fill('Dorothy');
    await page.reload();

    await form.heading('Attendance').waitFor();
    expect(await form.choice('How will you take part?', 'On site').isChecked()).toBe(true);
    expect(await form.field('Name of the guest').inputValue()).toBe('Dorothy');
    await form.press('Back');
    await form.heading('Your details').waitFor();
    expect(await form.field('Title of your talk').inputValue()).toBe('Orbits');
    expect((await client.get(path)).body.data.current_step).toBe(1);

    // The link in the list of drafts also opens the current step.
    await page.getByRole('link', { name: 'Formtrail' }).click();
    const item = page.getByRole('listitem').filter({ hasText: 'Event registration' });
    await item.getByRole('link', { name: 'Continue' }).click();
    await form.heading('Your details').waitFor();
    expect(await form.field('First name').inputValue()).toBe('Katherine');
  });

  it('goes back one step with the browser, and to finished steps with their links', async () => {
    browser.forgive(REFUSED);
    const { form, client, path } = await begin('Event registration');
    const { page } = form;
    await form.field('First name').fill('Katherine');
    await form.field('Last name').fill('Johnson');
    await form.field('Email address').fill('katherine@example.com');
    await form.field('I am registering as').selectOption({ label: 'Attendee' });
    await form.press('Next');
    await form.heading('Attendance').waitFor();
    await page.waitForURL(/\/step-\d+$/);

    await page.goBack();
    await form.heading('Your details').waitFor();
    expect((await client.get(path)).body.data.current_step).toBe(1);
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

  it('shows all answers, with links to change them, before they are submitted, and again afterwards', async () => {
    const { form: built } = await buildForm(use.database.dataSource, {
      form: { name: 'Two steps' },
      steps: [
        { name: { label: 'Name' }, day: { type: 'date', label: 'Day' } },
        { colour: { type: 'radio', label: 'Colour', options: ['red', 'blue'] } },
      ],
    });
    const { form, uuid } = await begin(built.name, { locale: 'de-DE' });
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
    expect(await answers()).toBe('Ada, 1. März 2026, blue');

    await page.getByRole('link', { name: 'Change Name', exact: true }).click();
    await expectFocus(form.field('Name'));
    await form.field('Name').fill('Ada Lovelace');
    await page.getByRole('link', { name: 'Check your answers' }).click();
    await form.heading('Check your answers').waitFor();
    await form.press('Submit');
    for (const visit of ['at first', 'later']) {
      await form.heading('Thank you').waitFor();
      expect([visit, await answers()]).toEqual([visit, 'Ada Lovelace, 1. März 2026, blue']);
      await page.getByText(uuid.slice(-8).toUpperCase().replace(/^..../, '$&-')).waitFor();
      await page.reload();
    }
  });

  it('sends one request for a change and one for a step, each including the conditions', async () => {
    const { form } = await begin('Job application');
    const { page } = form;
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'OPTIONS') return;
      const { pathname, search } = new URL(request.url());
      // Without the parts of the page that it loads when they are needed.
      if (!pathname.startsWith('/api/')) return;
      sent.push(`${request.method()} ${pathname.split('/').slice(5).join('/')}${search}`);
    });
    const during = async (work: () => Promise<unknown>) => {
      sent.length = 0;
      await work();
      await page.waitForLoadState('networkidle');
      return [...sent];
    };
    const included = 'include=conditions&shape=map&scope=records&steps=true';

    const change = await during(async () => {
      await form.choice('Do you need a work permit for this job?', 'Yes').check();
      await form.field('Work permit number').waitFor();
    });
    expect(change).toEqual([`POST values?${included}`]);
    for (const [label, answer] of Object.entries({
      'First name': 'Ada',
      'Last name': 'Lovelace',
      'Email address': 'ada@example.org',
      'Work permit number': 'WP-1',
    })) {
      await form.field(label).fill(answer);
    }
    const next = await during(async () => {
      await form.press('Next');
      await page.getByRole('button', { name: 'Back', exact: true }).waitFor();
    });
    // Without the saving and checking of the inputs that were left before.
    expect(next.filter((request) => !/^(POST values|GET validation)/.test(request))).toEqual([
      `POST advance?validate=true&skip=hidden&${included}`,
    ]);
    const back = await during(async () => {
      await form.press('Back');
      await form.field('First name').waitFor();
    });
    expect(back).toEqual([`POST retreat?skip=hidden&${included}`]);
    // A reload reads the submission together with its conditions.
    const opened = await during(async () => {
      await page.reload();
      await form.field('First name').waitFor();
    });
    expect(opened.filter((request) => request.includes('include'))).toEqual([`GET ?${included}`]);
    expect(opened.filter((request) => request.includes('conditions?'))).toEqual([]);
  });

  it('shows all drafts of the user, including those of other devices, and deletes one after a confirmation', async () => {
    const { form, client, uuid } = await begin('Job application');
    const { page } = form;
    await form.field('First name').fill('Ada');
    await form.saved();
    // Create a draft without this page, like another device.
    const expenses = EXAMPLE_FORMS.find(({ name }) => name === 'Travel expense claim')!;
    const { body } = await client.post('/api/v1/submissions', { form_uuid: expenses.uuid });
    const other: string = body.data.uuid;

    await page.getByRole('link', { name: 'Formtrail' }).click();
    const drafts = page.getByRole('region', { name: 'Continue where you left off' }).getByRole('listitem');
    await drafts.first().waitFor();
    expect(await drafts.getByRole('heading').allInnerTexts()).toEqual([expenses.name, 'Job application']);
    await expectAccessible(page);

    const throwAway = drafts.first().getByRole('button', { name: 'Delete' });
    await throwAway.click();
    await form.dialog.getByText('Your answers to “Travel expense claim”').waitFor();
    // Enter must not delete anything by accident.
    await expectFocus(form.dialog.getByRole('button', { name: 'Cancel' }));
    await page.keyboard.press('Escape');
    await form.dialog.waitFor({ state: 'detached' });
    await expectFocus(throwAway);
    expect((await client.get(`/api/v1/submissions/${other}`)).status).toBe(200);
    await throwAway.click();
    await form.answer('Delete');
    await eventually('one is left', async () => (await drafts.count()) === 1);
    expect((await client.get(`/api/v1/submissions/${other}`)).status).toBe(404);
    await expectFocus(form.heading('Forms'));

    await drafts.getByRole('link', { name: 'Continue' }).click();
    await form.heading('Personal details').waitFor();
    expect(await form.field('First name').inputValue()).toBe('Ada');
    expect(page.url()).toContain(uuid);
    // A link to the form opens the existing draft too.
    await page.goto(page.url().replace(/\/[^/]+\/step-\d+$/, ''));
    await page.reload();
    await form.heading('Personal details').waitFor();
    expect(await form.field('First name').inputValue()).toBe('Ada');
  });

  it('shows the progress of a draft, and how long ago it was changed while the time passes', async () => {
    // The second step has no visible field for some users.
    await buildForm(use.database.dataSource, {
      form: { name: 'Perhaps two steps' },
      steps: [{ more: {} }, { extra: { conditions: [['more', 'equals', 'yes', 'show']] } }],
    });
    const { form, client, path } = await begin('Travel expense claim');
    const { page } = form;
    await page.clock.install();
    await page.getByRole('link', { name: 'Formtrail' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Perhaps two steps' })
      .getByText('Up to 3 steps')
      .waitFor();
    await page.getByText('Step 1 of 5: Employee').waitFor();
    await page.getByText('Last changed just now').waitFor();
    const { body } = await client.get(path);
    expect(await page.locator('time').getAttribute('datetime')).toBe(body.data.updated_at);
    await page.clock.fastForward('03:30');
    await page.getByText('Last changed 3 minutes ago').waitFor();
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
    // The question belongs to the page that asked it.
    await page.goBack();
    await form.dialog.waitFor({ state: 'detached' });
    await form.heading('Personal details').waitFor();
    expect(await drafts()).toBe(1);
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

  it('lists submitted forms with the time and the reference, and opens them for reading', async () => {
    const { form: built } = await buildForm(use.database.dataSource, {
      form: { name: 'One step' },
      steps: [{ name: { label: 'Name' }, note: { label: 'Note' } }],
    });
    const { form, client, path, uuid } = await begin(built.name);
    const { page } = form;
    await form.field('Name').fill('Ada');
    await form.submit();
    await page.getByRole('link', { name: 'All forms' }).click();
    const submitted = page.getByRole('region', { name: 'Submitted' }).getByRole('listitem');
    await submitted.getByText(uuid.slice(-8).toUpperCase().replace(/^..../, '$&-')).waitFor();
    const { body } = await client.get(path);
    expect(await submitted.locator('time').getAttribute('datetime')).toBe(body.data.updated_at);
    expect(await page.getByRole('region', { name: 'Continue where you left off' }).count()).toBe(0);
    await submitted.getByRole('link', { name: built.name }).click();
    await form.heading('Thank you').waitFor();
    expect(page.url()).toMatch(/\/submitted$/);
    // Without the questions that have no answer.
    expect(await page.locator('dd').allInnerTexts()).toEqual(['Ada']);
    expect(await page.getByRole('textbox').count()).toBe(0);

    // One form a page, so that the list has several pages.
    await page.route(/\/submissions\?/, (route) =>
      route.continue({ url: `${route.request().url()}&per_page=1` }),
    );
    for (let more = 0; more < 2; more += 1) {
      const { body: begun } = await client.post('/api/v1/submissions', { form_uuid: built.uuid });
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
});
