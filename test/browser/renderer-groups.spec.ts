import { eventually } from '../support/eventually.js';
import { PDF } from '../support/files.js';
import { buildForm } from '../support/forms.js';
import { expectAccessible } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { FillIn, type Step } from './support/fill-in.js';
import { expectFocus, Questions } from './support/form-page.js';
import { type BegunDraft, EXAMPLE_FORMS, REFUSED, useRenderer } from './support/use-renderer.js';

const TODAY = new Date().toISOString().slice(0, 10);
const ORIGINAL = 'Amount in the original currency';

interface StoredValue {
  readonly field_code: string;
  readonly value: string;
  readonly entity_record_id: number | null;
}

describeInBrowser('the example renderer, with repeating groups,', () => {
  const { use, browser, begin } = useRenderer();

  /** The group of inputs of one entry. */
  const entry = ({ form }: BegunDraft, name: string) => form.page.getByRole('group', { name, exact: true });
  const within = (draft: BegunDraft, name: string) => new Questions(entry(draft, name));
  const add = (draft: BegunDraft, what: string) =>
    draft.form.page.getByRole('button', { name: `Add ${what}`, exact: true });
  const edit = (draft: BegunDraft, name: string) =>
    draft.form.page.getByRole('button', { name: `Edit ${name}`, exact: true }).click();
  const remove = (draft: BegunDraft, name: string) =>
    draft.form.page.getByRole('button', { name: `Remove ${name}`, exact: true });

  const read = async ({ client, path }: BegunDraft) => (await client.get(path)).body.data;
  const valuesIn = async (draft: BegunDraft, recordId: number | null): Promise<Record<string, string>> => {
    const values: StoredValue[] = (await read(draft)).values;
    const found = values.filter(({ entity_record_id }) => entity_record_id === recordId);
    return Object.fromEntries(found.map(({ field_code, value }) => [field_code, value]));
  };

  it('fills in a claim with five expenses, one of them in dollars, and stores each as a record', async () => {
    browser.forgive(REFUSED);
    const draft = await begin('Travel expense claim');
    const { form, client, path } = draft;
    const example = EXAMPLE_FORMS.find(({ name }) => name === 'Travel expense claim')!;
    const { body: schema } = await use.service.anyone.get(`/api/v1/forms/${example.uuid}/schema`);
    const steps: Step[] = schema.data.steps;
    const wishes = { employee_number: '104482', cost_centre: '4711' };
    const filling = new FillIn(form, client, path, wishes, schema.data.entities);
    for (const step of steps.slice(0, 2)) {
      await form.heading(step.title).waitFor();
      await filling.answerStep(step);
      await form.press('Next');
    }
    await form.heading('Expenses').waitFor();
    await form.saved();
    // The group needs an entry, so the page has opened the first one. The person can remove it again.
    await form.page.getByText('At least 1', { exact: true }).waitFor();
    await within(draft, 'Expense 1').field('Currency of the payment').waitFor();
    expect((await read(draft)).records).toHaveLength(1);
    await remove(draft, 'Expense 1').click();
    await entry(draft, 'Expense 1').waitFor({ state: 'detached' });
    expect(await valuesIn(draft, null)).toEqual(filling.answers);
    expect((await read(draft)).records).toEqual([]);
    await form.press('Next');
    await form.problems.getByRole('link', { name: /^Expense: Add at least 1 entry/ }).waitFor();

    const amounts = ['12.50', '20', '49.99', '86.50', '7'];
    for (const [index, amount] of amounts.entries()) {
      await add(draft, 'an expense').click();
      const name = `Expense ${index + 1}`;
      await expectFocus(entry(draft, name));
      const receipt = within(draft, name);
      await receipt.field('Date of the expense').fill(TODAY);
      await receipt.field('Category').selectOption({ label: 'Meals' });
      await receipt.field('Paid to').fill(`Restaurant ${index + 1}`);
      await receipt.field('Amount (EUR)').fill(amount);
    }
    expect(await form.field(ORIGINAL).count()).toBe(0);
    // Only the last entry is open; the others are rows with their main answers.
    expect(await form.field('Paid to').count()).toBe(1);
    await entry(draft, 'Expense 4')
      .getByText(/^.*20\d\d.* · Meals · Restaurant 4$/)
      .waitFor();
    await edit(draft, 'Expense 4');
    await expectFocus(entry(draft, 'Expense 4'));
    const dollars = within(draft, 'Expense 4');
    await dollars.field('Currency of the payment').selectOption({ label: 'US dollar' });
    await dollars.field(ORIGINAL).fill('92.40 USD');
    // The receipt is required only in the entry with an amount above 50.
    await form.saved();
    for (const [index, amount] of amounts.entries()) {
      const name = `Expense ${index + 1}`;
      if ((await within(draft, name).field('Receipt').count()) === 0) await edit(draft, name);
      const file = within(draft, name).field('Receipt');
      expect([amount, (await file.getAttribute('required')) !== null]).toEqual([amount, Number(amount) > 50]);
    }
    await edit(draft, 'Expense 4');
    expect(await form.field(ORIGINAL).count()).toBe(1);
    await dollars
      .field('Receipt')
      .setInputFiles({ name: 'bill.pdf', mimeType: 'application/pdf', buffer: PDF });
    await form.saved();
    await expectAccessible(form.page);

    await form.press('Next');
    await form.heading('Payment and declaration').waitFor();
    await form.choice('Did you receive an advance for this trip?', 'No').check();
    await form.choice('How should we pay you?', 'With my next salary').check();
    await form.group('Declaration').getByRole('checkbox').check();
    await form.submit();
    expect(await form.page.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(
      amounts.map((_, index) => `Expense ${index + 1}`),
    );

    const { status, records } = await read(draft);
    expect([status, records.length]).toEqual(['completed', 5]);
    expect(await valuesIn(draft, null)).toEqual({
      ...filling.answers,
      advance_received: 'no',
      payment_method: 'salary',
      declaration: 'yes',
    });
    for (const [index, amount] of amounts.entries()) {
      expect(await valuesIn(draft, records[index].id)).toEqual({
        expense_date: TODAY,
        category: 'meals',
        supplier: `Restaurant ${index + 1}`,
        amount,
        currency: 'EUR',
        ...(index === 3 && {
          currency: 'USD',
          original_amount: '92.40 USD',
          receipt: expect.stringMatching(/^file:/) as string,
        }),
      });
    }
  });

  let forms = 0;
  /** Begins a form with a repeating group of children on its only step. */
  async function beginFamily(bounds: { min?: number; max?: number } = {}): Promise<BegunDraft> {
    forms += 1;
    const { dataSource } = use.database;
    const { form } = await buildForm(dataSource, {
      form: { name: `Family ${forms}`, completion: 'strict' },
      steps: [
        {
          child: { label: 'Name', isRepeatable: true, isRequired: true },
          mail: { type: 'email', label: 'Email address', isRepeatable: true },
          nickname: { label: 'Nicknames', isRepeatable: true },
        },
      ],
    });
    await dataSource.query(
      `with entity as (
         insert into entities (form_id, name, label, is_repeatable, min_records, max_records)
         values ($1, 'a child', 'Child', true, $2, $3) returning id, form_id
       )
       update fields set entity_id = entity.id from entity
       where fields.form_id = entity.form_id and code in ('child', 'mail')`,
      [form.id, bounds.min ?? null, bounds.max ?? null],
    );
    return begin(form.name);
  }

  it('adds entries up to the maximum and removes one, sets the focus and announces each change', async () => {
    const draft = await beginFamily({ max: 2 });
    const { page } = draft.form;
    // A repeatable field without an entity is a single input.
    expect(await draft.form.field('Nicknames').count()).toBe(1);
    await add(draft, 'a child').click();
    await page.getByText('Child 1 added').waitFor({ state: 'attached' });
    await within(draft, 'Child 1').field('Name').fill('Ada');
    await add(draft, 'a child').click();
    await page.getByText('Child 2 added').waitFor({ state: 'attached' });
    await expectFocus(entry(draft, 'Child 2'));
    await within(draft, 'Child 2').field('Name').waitFor();
    expect(await add(draft, 'a child').count()).toBe(0);
    await draft.form.saved();

    await remove(draft, 'Child 1').click();
    await draft.form.dialog.getByRole('heading', { name: 'Remove Child 1?' }).waitFor();
    await draft.form.answer('Cancel');
    await expectFocus(remove(draft, 'Child 1'));
    expect((await read(draft)).records).toHaveLength(2);
    await remove(draft, 'Child 1').click();
    await draft.form.answer('Remove');
    await page.getByText('Child 1 removed').waitFor({ state: 'attached' });
    await expectFocus(add(draft, 'a child'));
    expect(await entry(draft, 'Child 1').getByLabel('Name').inputValue()).toBe('');
    // After the open entry is removed, the last one is open.
    await add(draft, 'a child').click();
    await remove(draft, 'Child 2').click();
    await within(draft, 'Child 1').field('Name').waitFor();
    // While an entry is being added, nothing is asked, because nothing could be removed.
    await within(draft, 'Child 1').field('Name').fill('Grace');
    await draft.form.saved();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route(/\/records$/, async (route) => {
      await held;
      await route.continue();
    });
    await add(draft, 'a child').click();
    await remove(draft, 'Child 1').dispatchEvent('click');
    expect(await draft.form.dialog.count()).toBe(0);
    letGo();
    await remove(draft, 'Child 2').click();
    await within(draft, 'Child 1').field('Name').fill('');
    await draft.form.saved();
    // The remaining entry has no values, so its removal needs no confirmation.
    await remove(draft, 'Child 1').click();
    await eventually('none is left', async () => (await read(draft)).records.length === 0);
    expect((await read(draft)).values).toEqual([]);

    await draft.form.press('Check your answers');
    await draft.form.heading('Check your answers').waitFor();
    expect(await page.locator('dd:not(.change)').allInnerTexts()).toEqual(['None added', 'Not answered']);
    await page.getByRole('link', { name: 'Change Child' }).click();
    await expectFocus(add(draft, 'a child'));
  });

  it('shows an error at a group with too few entries, and the other errors in their entries', async () => {
    browser.forgive(REFUSED);
    const draft = await beginFamily({ min: 2 });
    const { form } = draft;
    await form.press('Check your answers');
    const tooFew = form.problems.getByRole('link', { name: /^Child: Add at least 2 entries/ });
    await tooFew.click();
    await expectFocus(add(draft, 'a child'));
    const errorId = (await add(draft, 'a child').getAttribute('aria-describedby')) ?? '';
    expect(await form.page.locator(`[id="${errorId}"]`).innerText()).toContain('at least 2 entries');

    for (const [index, name] of ['Ada', 'Grace'].entries()) {
      await add(draft, 'a child').click();
      await within(draft, `Child ${index + 1}`)
        .field('Name')
        .fill(name);
    }
    await within(draft, 'Child 2').field('Email address').fill('not an address');
    await form.press('Check your answers');
    await form.problems
      .getByRole('link', {
        name: 'Child 2: Email address: Enter an email address, such as name@example.org.',
      })
      .click();
    const mail = within(draft, 'Child 2').field('Email address');
    await expectFocus(mail);
    await expectAccessible(form.page);
    await mail.fill('grace@example.org');
    await edit(draft, 'Child 1');
    await within(draft, 'Child 1').field('Name').fill('');
    await edit(draft, 'Child 2');
    await form.press('Check your answers');
    await form.problems.waitFor();
    // The entry with the error opens. If the user opens another one, its row says what is wrong.
    await within(draft, 'Child 1').field('Name').waitFor();
    await edit(draft, 'Child 2');
    await entry(draft, 'Child 1').getByText('Enter the name.').waitFor();
    await expectAccessible(form.page);
    // The link opens the folded entry.
    await form.problems.getByRole('link', { name: 'Child 1: Enter the name.' }).click();
    const name = within(draft, 'Child 1').field('Name');
    await expectFocus(name);
    expect(await within(draft, 'Child 2').field('Name').count()).toBe(0);
    await name.fill('Ada');
    await form.submit();
    expect((await read(draft)).status).toBe('completed');
  });

  it('shows the error if the service rejects another entry', async () => {
    browser.forgive(REFUSED);
    const draft = await beginFamily({ max: 1 });
    await draft.client.post(`${draft.path}/records`, { entity: 'a child' });
    await add(draft, 'a child').click();
    await draft.form.problems
      .getByRole('link', { name: 'Child: There can be at most 1 entry here.' })
      .waitFor();
    // The existing record appears as the first entry.
    await entry(draft, 'Child 1').waitFor();
  });

  it('discards unsaved answers of an entry that was removed elsewhere, and saves the others', async () => {
    browser.forgive(REFUSED);
    const draft = await beginFamily();
    const { form, client, path } = draft;
    await add(draft, 'a child').click();
    await within(draft, 'Child 1').field('Name').fill('Ada');
    await add(draft, 'a child').click();
    await within(draft, 'Child 2').field('Name').waitFor();
    await form.saved();
    const [first, second] = (await read(draft)).records;
    await client.delete(`${path}/records/${first.id}`);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await form.page.route(/\/values\?/, async (route) => {
      await held;
      await route.continue();
    });
    await edit(draft, 'Child 1');
    await within(draft, 'Child 1').field('Name').fill('Ada Lovelace');
    await edit(draft, 'Child 2');
    await within(draft, 'Child 2').field('Name').fill('Grace');
    letGo();
    await form.page.getByText('These answers were changed in another window').waitFor();
    await form.saved();
    expect(await within(draft, 'Child 1').field('Name').inputValue()).toBe('Grace');
    expect(await entry(draft, 'Child 2').count()).toBe(0);
    expect(await valuesIn(draft, second.id)).toEqual({ child: 'Grace' });
  });
});
