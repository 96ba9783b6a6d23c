import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { Field, FieldType } from '../../src/entities.js';
import { eventually } from '../support/eventually.js';
import { buildForm, type FieldPlan } from '../support/forms.js';
import { withServiceOn } from '../support/service.js';
import { expectAccessible } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { expectFocus, type FormPage, hasFocus } from './support/form-page.js';
import { REFUSED, useRenderer } from './support/use-renderer.js';

const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
];
/** The directory for screenshots, if any: `SCREENSHOTS=directory npx jest test/browser`. */
const PICTURES = process.env['SCREENSHOTS'] || undefined;

describeInBrowser('the accessibility of the example renderer:', () => {
  const { use, browser, address, visit, begin } = useRenderer();

  describe.each(LOOKS)('in the look "%s", a user', (look, options) => {
    /** Checks WCAG with axe-core, and that the page does not scroll sideways. */
    async function expectUsable(page: Page, name: string): Promise<void> {
      if (PICTURES !== undefined) {
        await page.evaluate('scrollTo(0, 0)');
        await page.screenshot({ path: path.join(PICTURES, `${name}-${look}.png`), fullPage: true });
      }
      // Skip WCAG on the phone, where the page differs only in its width.
      if (look !== 'phone') await expectAccessible(page);
      const [width, visible] = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      );
      expect([name, width]).toEqual([name, visible]);
    }

    it('can enter a token and list the forms', async () => {
      const page = await browser.newPage(options);
      await page.goto(address(use.service, ''));
      await page.getByRole('textbox', { name: 'Access token' }).waitFor();
      await expectUsable(page, 'token');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('alert').waitFor();
      await expectUsable(page, 'token-missing');

      const { form } = await visit(options);
      await expectUsable(form.page, 'forms');
    });

    it('can use the pages for loading, failed, closed and missing forms', async () => {
      browser.forgive(/status of 4|ERR_FAILED/);
      const { form, token } = await visit(options);
      const { form: closed } = await buildForm(use.database.dataSource, { form: { isActive: false } });
      const page = await form.page.context().newPage();
      const open = (place: string) =>
        page.goto(address(use.service, `token=${token}`)).then(() => page.goto(address(use.service, place)));
      const held: Route[] = [];
      await page.route(`**/api/v1/forms/${closed.uuid}`, (route) => void held.push(route));
      await open(`/forms/${closed.uuid}`);
      await eventually('it loads', () => held.length > 0);
      await expectUsable(page, 'loading');
      await held[0]?.abort();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      await expectUsable(page, 'failed');
      await page.unroute(`**/api/v1/forms/${closed.uuid}`);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('This form is closed').waitFor();
      await expectUsable(page, 'closed');
      await page.goto(address(use.service, `/forms/${closed.uuid}/${randomUUID()}`));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectUsable(page, 'gone');
    });

    it('can use a step with errors and conditional fields', async () => {
      browser.forgive(REFUSED);
      const { form } = await begin('Travel expense claim', options);
      await form.press('Next');
      await form.problems.waitFor();
      await expectUsable(form.page, 'errors');

      await fillEmployee(form);
      await form.press('Next');
      await form.heading('Trip').waitFor();
      await fillTrip(form);
      await form.saved();
      await expectUsable(form.page, 'step');
      if (PICTURES !== undefined && look === 'light') {
        // This screenshot is docs/renderer.png.
        await form.page.screenshot({ path: path.join(PICTURES, 'renderer.png') });
      }
    });

    it('can use entries, conflicts between windows, an offline page, and drafts', async () => {
      browser.forgive(/ERR_INTERNET_DISCONNECTED|status of 4/);
      const { form, client, path: submission } = await begin('Travel expense claim', options);
      const { page } = form;
      await fillEmployee(form);
      await form.saved();
      await client.post(`${submission}/values`, {
        values: [{ field_code: 'employee_name', value: 'Augusta Ada King' }],
      });
      await form.field('Full name').fill('Ada Byron');
      await page.getByRole('group', { name: 'Two answers: Full name' }).waitFor();
      await expectUsable(page, 'conflict');
      await page.getByRole('button', { name: 'Keep this answer: Here' }).click();
      await page.context().setOffline(true);
      await form.press('Next');
      await page.getByRole('alert').filter({ hasText: 'You are offline' }).waitFor();
      await expectUsable(page, 'offline');
      await page.context().setOffline(false);
      await form.press('Next');
      await form.heading('Trip').waitFor();
      await fillTrip(form);
      await form.press('Next');
      await form.heading('Expenses').waitFor();
      await page.getByRole('group', { name: 'Expense 1', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Add an expense' }).click();
      await page.getByRole('group', { name: 'Expense 2', exact: true }).waitFor();
      await form.press('Next');
      await form.problems.waitFor();
      await expectUsable(page, 'entries');
      await page.getByRole('link', { name: 'Formtrail' }).click();
      await page.getByText('Step 3 of 5: Expenses').waitFor();
      await expectUsable(page, 'drafts');
      await page.getByRole('button', { name: 'Delete' }).click();
      await form.dialog.waitFor();
      await expectUsable(page, 'dialog');
    });

    it('can use every component, and submit the answers', async () => {
      const { form } = await begin(everything, options);
      await expectUsable(form.page, 'components');
      await form.press('Check your answers');
      await form.heading('Check your answers').waitFor();
      await expectUsable(form.page, 'review');
      await form.press('Submit');
      await form.heading('Thank you').waitFor();
      await expectUsable(form.page, 'completed');
      await form.page.getByRole('link', { name: 'All forms' }).click();
      await form.page.getByRole('link', { name: everything }).waitFor();
      await expectUsable(form.page, 'submitted');
    });
  });

  it('a user can fill in a form with the keyboard alone', async () => {
    const { form, client, path: submission } = await begin('Job application');
    const { keyboard } = form.page;
    // The renderer sets the focus on the heading of a new step.
    await expectFocus(form.heading('Personal details'));
    for (const text of ['Ada', 'Lovelace', 'ada@example.org', '+44 20 7946 0018']) {
      await keyboard.press('Tab');
      await keyboard.type(text);
    }
    await keyboard.press('Tab');
    await keyboard.press('Space');
    const permit = form.field('Work permit number');
    await permit.waitFor();
    // Tab past the button that clears the choice.
    for (let stops = 0; stops < 3 && !(await hasFocus(permit)); stops += 1) await keyboard.press('Tab');
    await keyboard.type('WP-1815-12');
    await keyboard.press('Enter');
    await form.heading('Position and availability').waitFor();
    const { body } = await client.get(submission);
    expect(body.data.values.map(({ value }: { value: string }) => value)).toEqual([
      'Ada',
      'Lovelace',
      'ada@example.org',
      '+44 20 7946 0018',
      'yes',
      'WP-1815-12',
    ]);
  });

  it('the error summary links to the inputs with missing answers', async () => {
    browser.forgive(REFUSED);
    const { form, client, path: submission } = await begin('Job application');
    await form.press('Next');
    await form.problems.waitFor();
    await expectFocus(form.problems);
    expect(await form.problems.getByRole('link').allInnerTexts()).toEqual([
      'Enter your first name.',
      'Enter your last name.',
      'Enter your email address.',
    ]);
    await form.problems.getByRole('link', { name: /last name/ }).click();
    await expectFocus(form.field('Last name'));
    expect(await form.page.title()).toMatch(/^Error: /);
    expect((await client.get(submission)).body.data.current_step).toBe(1);

    // An error that appears while the user types, after the others are corrected, does not take the focus.
    await form.field('First name').fill('Ada');
    await form.field('Last name').fill('Lovelace');
    await form.field('Email address').fill('ada@example.org');
    await form.problems.waitFor({ state: 'detached' });
    await form.field('Phone number').fill('1'.repeat(65_536));
    await form.problems.waitFor();
    await expectFocus(form.field('Phone number'));
  });

  // A service without FILES_URL rejects the first upload, so the renderer stores the name of the file as text (U1).
  it('it renders every component, and an unknown one as a text input', async () => {
    browser.forgive(REFUSED);
    await withServiceOn(use.database, { COMPLETION_POLICY: 'strict', FILES_URL: '' }, async (service) => {
      const { form, client, path: submission } = await begin(everything, {}, service);
      const { page } = form;
      await page.getByRole('heading', { name: 'A heading' }).waitFor();
      await page.getByText('A paragraph').waitFor();
      await form.field('A text').fill('text');
      await form.field('An e-mail').fill('ada@example.org');
      await form.field('A number').fill('12.50');
      await form.field('A long text').fill('one\ntwo');
      await form.field('A choice of many').selectOption({ label: 'green' });
      await form.field('Yes or nothing').check();
      for (const option of ['blue', 'red']) await form.choice('Several', option).check();
      await form.choice('One of these', 'red').check();
      await page.getByRole('button', { name: 'Clear the choice: One of these' }).click();
      await form.field('A day').fill('2026-02-28');
      await form
        .field('A file')
        .setInputFiles({ name: 'cv.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') });
      expect(await form.field('Something new').getAttribute('type')).toBe('text');
      await form.field('Something new').fill('drawn');
      await form.submit();

      const { body } = await client.get(submission);
      const values = body.data.values.map((entry: any) => [entry.field_code, entry.value]);
      expect(Object.fromEntries(values)).toEqual({
        text: 'text',
        email: 'ada@example.org',
        number: '12.50',
        textarea: 'one\ntwo',
        select: 'green',
        checkbox: 'true',
        checkboxes: 'red,blue',
        radio: '',
        date: '2026-02-28',
        file: 'cv.pdf',
        unknown: 'drawn',
      });
    });
  });

  const everything = 'Everything';
  beforeAll(async () => {
    const { dataSource } = use.database;
    const { manager } = dataSource;
    const type = await manager.save(manager.create(FieldType, { name: 'drawing', component: 'drawing-pad' }));
    const options = ['red', 'green', 'blue'];
    const step: Record<string, FieldPlan> = {
      heading: { type: 'heading', label: 'A heading' },
      paragraph: { type: 'paragraph', label: 'A paragraph' },
      text: { label: 'A text', description: 'What it is about.' },
      email: { type: 'email', label: 'An e-mail', placeholder: 'ada@example.org' },
      number: { type: 'number', label: 'A number' },
      textarea: { type: 'textarea', label: 'A long text' },
      select: { type: 'select', label: 'A choice of many', options },
      checkbox: { type: 'checkbox', label: 'Yes or nothing' },
      checkboxes: { type: 'checkbox', label: 'Several', options },
      radio: { type: 'radio', label: 'One of these', options },
      date: { type: 'date', label: 'A day' },
      file: { type: 'file', label: 'A file' },
      unknown: { label: 'Something new' },
    };
    const { fields } = await buildForm(dataSource, { form: { name: everything }, steps: [step] });
    await manager.update(Field, { id: fields['unknown']!.id }, { fieldTypeId: type.id });
  });
});

async function fillEmployee(form: FormPage): Promise<void> {
  await form.field('Full name').fill('Ada Lovelace');
  await form.field('Employee number').fill('104482');
  await form.field('Work email address').fill('ada@example.org');
  await form.field('Department').selectOption({ index: 2 });
  await form.field('Cost centre').fill('4711');
  await form.field("Line manager's email address").fill('charles@example.org');
}

async function fillTrip(form: FormPage): Promise<void> {
  await form.field('Purpose of the trip').selectOption({ label: 'Customer visit' });
  await form.field('Name of the customer').fill('Analytical Engines Ltd');
  await form.field('Destination').fill('Vienna, Austria');
  const today = new Date().toISOString().slice(0, 10);
  await form.field('Date of departure').fill(today);
  await form.field('Date of return').fill(today);
  await form.field('Number of nights away').fill('0');
  await form.choice('Means of transport', 'Train').check();
}
