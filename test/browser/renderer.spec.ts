import { eventually } from '../support/eventually.js';
import { describeInBrowser } from './support/chromium.js';
import { type Answers, FillIn, type Step } from './support/fill-in.js';
import { EXAMPLE_FORMS, useRenderer } from './support/use-renderer.js';

/** Answers beyond the first option of everything, so that conditions have something to say. */
const WISHES: Readonly<Record<string, Answers>> = {
  'event-registration': {
    attendee_type: 'speaker',
    days: 'day_1,day_2',
    workshop: 'accessible_design',
    workshop_expectations: 'How to test with a keyboard',
    guest_count: '2',
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

describeInBrowser('the example renderer', () => {
  const { use, begin } = useRenderer();

  it.each(EXAMPLE_FORMS)(
    'fills in $slug to the end, and the service has just what was answered',
    async (example) => {
      const { form, client, path } = await begin(example.name);
      const { body: schema } = await use.service.anyone.get(`/api/v1/forms/${example.uuid}/schema`);
      const steps: Step[] = schema.data.steps;
      const filling = new FillIn(form, client, path, WISHES[example.slug] ?? {});
      for (const [index, step] of steps.entries()) {
        await form.heading(step.title).waitFor();
        await filling.answerStep(step);
        await form.press(index + 1 < steps.length ? 'Next' : 'Submit');
      }
      await form.heading('Thank you').waitFor();

      await filling.stored();
      expect(filling.answers).toMatchObject(WISHES[example.slug]!);
      const { body } = await client.get(path);
      expect(body.data).toMatchObject({ status: 'completed', current_step: steps.length });
    },
  );

  it('shows a question when an answer asks for it, and takes it away again', async () => {
    const { form, client, path } = await begin('Job application');
    const permit = form.field('Work permit number');
    expect(await permit.count()).toBe(0);

    await form.choice('Do you need a work permit for this job?', 'Yes').check();
    await permit.fill('WP-1815-12');
    expect(await permit.getAttribute('required')).not.toBeNull();
    await form.saved();

    await form.choice('Do you need a work permit for this job?', 'No').check();
    await permit.waitFor({ state: 'detached' });
    // What was typed is kept, for whoever changes their mind.
    await form.choice('Do you need a work permit for this job?', 'Yes').check();
    await permit.waitFor();
    expect(await permit.inputValue()).toBe('WP-1815-12');
    await eventually('both are stored', async () => (await client.get(path)).body.data.values.length === 2);
  });

  it('goes on after a reload on the same step with the same answers', async () => {
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
    // Not yet sent: typing is sent when it pauses.
    await form.field('How many people are you bringing with you?').fill('2');
    await page.reload();

    await form.heading('Attendance').waitFor();
    expect(await form.choice('How will you take part?', 'On site').isChecked()).toBe(true);
    expect(await form.field('How many people are you bringing with you?').inputValue()).toBe('2');
    await form.field('Names of your guests').waitFor();
    await form.press('Back');
    await form.heading('Your details').waitFor();
    expect(await form.field('Title of your talk').inputValue()).toBe('Orbits');
    expect((await client.get(path)).body.data.current_step).toBe(1);

    // And so from the list, where a form that was begun is gone on with.
    await page.getByRole('link', { name: 'Formtrail' }).click();
    const item = page.getByRole('listitem').filter({ hasText: 'Event registration' });
    await item.getByRole('link', { name: 'Go on' }).click();
    await form.heading('Your details').waitFor();
    expect(await form.field('First name').inputValue()).toBe('Katherine');
  });
});
