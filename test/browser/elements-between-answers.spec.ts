import type { Page } from 'playwright-core';
import { buildForm, type FormPlan } from '../support/forms.js';
import { eventually } from '../support/eventually.js';
import { expectUsable } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { expectFocus } from './support/focus.js';
import { heading, press, REFUSED, saved, summaryOn, useElement } from './support/use-element.js';

describeInBrowser('<formtrail-form> with answers that depend on one another', () => {
  const { browser, begin, open, use } = useElement();
  const announced = (page: Page) => page.locator('[aria-live=polite].visually-hidden').innerText();
  const errorAt = (page: Page, label: string) =>
    page.locator('[part~=invalid]').filter({ hasText: label }).locator('[part=error]');

  const CLAIM: FormPlan = {
    form: { completion: 'strict' },
    steps: [
      {
        price: { label: 'Price', type: 'number', isRepeatable: true },
        count: { label: 'Count', type: 'number', isRepeatable: true },
        line: {
          ...{ label: 'Amount', type: 'number', isRepeatable: true },
          computed: { op: 'product', of: ['price', 'count'] },
        },
        total: {
          ...{ label: 'Total', type: 'number', isRequired: true, rules: { max: '100' } },
          computed: { op: 'sum', of: ['line'] },
        },
        reason: { label: 'Reason', conditions: [['total', 'greater_than', '50', 'show']] },
      },
      { note: { label: 'Note' } },
    ],
    entities: [{ name: 'item', label: 'Item', isRepeatable: true, of: ['price', 'count', 'line'] }],
  };

  it('shows computed answers as outputs that follow what is typed, and leads errors to them', async () => {
    browser.forgive(REFUSED);
    const { page, read } = await begin(CLAIM, { language: 'de' });
    await press(page, 'Item hinzufügen');
    const amount = page.getByLabel('Amount', { exact: true });
    const total = page.getByLabel('Total', { exact: true });
    expect(await amount.evaluate(({ tagName }) => tagName)).toBe('OUTPUT');
    expect(await amount.innerText()).toBe('–');
    await page.getByLabel('Price').fill('12,50');
    await page.getByLabel('Count').fill('5');
    await eventually('the amount', async () => (await amount.innerText()) === '62,5');
    expect(await total.innerText()).toBe('62,5');
    // A computed answer counts in conditions at once.
    await page.getByLabel('Reason').waitFor();
    await expectUsable(page, 'element-computed', 320);

    await page.getByLabel('Count').fill('10');
    await eventually('the total', async () => (await total.innerText()) === '125');
    await press(page, 'Weiter');
    const error = 'Geben Sie eine Zahl ein, die höchstens 100 ist.';
    await page.getByRole('link', { name: error }).click();
    await expectFocus(total);
    expect(await errorAt(page, 'Total').innerText()).toContain(error);
    await page.getByLabel('Count').fill('2');
    await eventually('the total', async () => (await total.innerText()) === '25');
    expect(await errorAt(page, 'Total').count()).toBe(0);

    await press(page, 'Weiter');
    await page.getByLabel('Note').fill('x');
    await press(page, 'Antworten prüfen');
    // A computed answer is shown, without a button that would lead to it.
    const row = page.locator('[part=answer]').filter({ hasText: 'Total' });
    expect(await row.innerText()).toContain('25');
    expect(await row.getByRole('button').count()).toBe(0);
    await press(page, 'Absenden');
    await eventually('it is completed', async () => (await read()).status === 'completed');
    expect((await read()).computed.map(({ value }: { value: string }) => value)).toEqual(['25', '25']);
  });

  it('unticks the choices that exclude one another, and says so', async () => {
    const { page, read } = await begin({
      steps: [
        {
          symptoms: {
            ...{ label: 'Symptoms', type: 'checkbox', isRequired: true },
            ...{ options: ['Fever', 'Cough', 'None of these'], exclusive: ['None of these'] },
          },
        },
        {},
      ],
    });
    const choice = (name: string) => page.getByRole('checkbox', { name });
    const ticked = async () => (await read()).values.map(({ value }: { value: string }) => value)[0];
    await choice('Fever').press('Space');
    await choice('Cough').press('Space');
    await choice('None of these').press('Space');
    expect(await choice('Fever').isChecked()).toBe(false);
    expect(await choice('Cough').isChecked()).toBe(false);
    expect(await announced(page)).toBe('No longer chosen: Fever, Cough');
    await expectFocus(choice('None of these'));
    await saved(page);
    expect(await ticked()).toBe('None of these');
    await choice('Cough').press('Space');
    expect(await choice('None of these').isChecked()).toBe(false);
    expect(await announced(page)).toBe('No longer chosen: None of these');
    await eventually('it is saved', async () => (await ticked()) === 'Cough');
    await expectUsable(page, 'element-exclusive', 320);
  });

  it('says beside the question which other answer a rule compares with, when the person leaves it', async () => {
    browser.forgive(REFUSED);
    const { page } = await begin({
      steps: [
        {
          out: { label: 'Departure', type: 'date' },
          back: { label: 'Return', type: 'date', rules: { min_date: { field: 'out' } } },
          share: { label: 'Share', type: 'number', isRepeatable: true, rules: { min_sum: '100' } },
        },
        { note: { label: 'Note' } },
      ],
      entities: [{ name: 'owner', label: 'Owner', isRepeatable: true, of: ['share'] }],
    });
    await page.getByLabel('Departure').fill('2030-05-02');
    await page.getByLabel('Return').fill('2030-05-01');
    await page.getByLabel('Departure').focus();
    const error = 'Enter a date on or after 2 May 2030. This depends on “Departure”.';
    await errorAt(page, 'Return').filter({ hasText: error }).waitFor();
    await eventually('it is announced', async () => (await announced(page)) === `Return: ${error}`);
    // The other answer may be the wrong one.
    await page.getByLabel('Departure').fill('2030-05-01');
    expect(await errorAt(page, 'Return').count()).toBe(0);

    await press(page, 'Add an owner');
    await page.getByLabel('Share').fill('99');
    await press(page, 'Next');
    const sum = 'Owner: The numbers for “Share” have to add up to at least 100, but add up to 99.';
    await summaryOn(page).getByRole('link', { name: sum }).click();
    await expectFocus(page.getByRole('button', { name: 'Add an owner' }));
    await page.getByLabel('Share').fill('100');
    await press(page, 'Next');
    await heading(page, 'Step 2').waitFor();
  });

  it('asks for a code again after its script could not be loaded', async () => {
    browser.forgive(/ERR_FAILED/);
    const { form } = await buildForm(use.database.dataSource, { form: { access: 'public' } });
    const page = await open(form.slug);
    const script = /\/device-[\w-]+\.js$/;
    await page.route(script, (route) => route.abort());
    await page.goto(`${page.url()}#resume=7QX2MK-4TBZC-4TBZC-4TBZC-4TBZC`);
    await page.reload();
    await heading(page, 'The form could not be opened').waitFor();
    await page.unroute(script);
    await press(page, 'Try again');
    await heading(page, 'Continue your draft').waitFor();
  });
});
