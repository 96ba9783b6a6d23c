import type { FormPlan } from '../support/forms.js';
import { expectUsable } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { hasFocus } from './support/focus.js';
import { heading, press, REFUSED, status, summaryOn, useElement } from './support/use-element.js';

describeInBrowser('the texts of <formtrail-form>', () => {
  const element = useElement();
  const { begin, browser, query } = element;

  const consent: FormPlan = {
    form: { completion: 'strict' },
    steps: [
      {
        about: { type: 'heading', label: 'About *you*' },
        rules: { type: 'paragraph', label: 'Our rules:\n\n1. Be kind\n2. Be **there**', description: 'a\nb' },
        name: {
          label: 'Name in [your passport](https://site.example/passport)',
          description: 'Write it\n- *exactly*\n- <b>in capitals</b> [no](javascript:alert(1))',
        },
        size: { label: '**Size**', type: 'select', options: ['small *one*'] },
        place: { label: 'Place', type: 'radio', options: ['[Map](https://site.example/map)', 'Home'] },
        terms: {
          label: 'I accept the [terms](https://site.example/terms) ([ask](mailto:help@site.example))',
          type: 'checkbox',
          isRequired: true,
        },
      },
      { last: { label: 'Anything else?' } },
    ],
  };

  it('show markup as elements, and links open a new tab without a change of the answer', async () => {
    const { page, form } = await begin(consent);
    await query(
      `update steps set description = 'Read [this](https://site.example/a).' where form_id = $1`,
      form.id,
    );
    await page.reload();
    await page.getByText('Read this').waitFor();
    const found = await page.evaluate(
      `Array.from(document.querySelector('formtrail-form').shadowRoot.querySelectorAll('a, em, strong, li, h3, b'), (one) => one.outerHTML)`,
    );
    const link = (path: string, text: string) =>
      `<a href="https://site.example/${path}" target="_blank" rel="noopener noreferrer">${text}<span class="visually-hidden"> (opens in a new tab)</span></a>`;
    expect(found).toEqual([
      link('a', 'this'),
      ...['<h3>About <em>you</em></h3>', '<em>you</em>'],
      ...['<li>Be kind</li>', '<li>Be <strong>there</strong></li>', '<strong>there</strong>'],
      link('passport', 'your passport'),
      ...['<li><em>exactly</em></li>', '<em>exactly</em>'],
      '<li>&lt;b&gt;in capitals&lt;/b&gt; [no](javascript:alert(1))</li>',
      '<strong>Size</strong>',
      link('map', 'Map'),
      link('terms', 'terms'),
      '<a href="mailto:help@site.example">ask</a>',
    ]);
    expect(await page.locator('option').allTextContents()).toEqual(['Choose one', 'small one']);

    await page.context().route('https://site.example/**', (route) => route.fulfill({ body: 'There.' }));
    for (const [name, input] of [
      ['terms', page.getByRole('checkbox')],
      ['Map', page.getByRole('radio').first()],
    ] as const) {
      const opened = page.context().waitForEvent('page');
      await page.getByRole('link', { name: `${name} (opens in a new tab)` }).click();
      await (await opened).close();
      expect(await input.isChecked()).toBe(false);
    }
    await page.getByText('I accept the').click({ position: { x: 5, y: 5 } });
    await page.getByText('Home').click();
    expect(await page.getByRole('checkbox').isChecked()).toBe(true);
    await page.getByRole('checkbox').uncheck();
    await expectUsable(page, 'element-texts', 320);

    browser.forgive(REFUSED);
    // Sentences and the page that shows the answers have no markup.
    await press(page, 'Next');
    await summaryOn(page).waitFor();
    expect(await page.locator('[part=summary] li').allTextContents()).toEqual([
      'I accept the terms (ask): Tick this to go on.',
    ]);
    await page.getByRole('checkbox').check();
    await press(page, 'Next');
    await heading(page, 'Step 2').waitFor();
    await press(page, 'Check your answers');
    await heading(page, 'Check your answers').waitFor();
    // Without the optional questions that have no answer.
    expect(await page.locator('dt').allTextContents()).toEqual([
      'Place',
      'I accept the terms (ask)',
      'Not answered',
    ]);
    await page.close();
  });

  it('have numbers with the decimal sign of the page, and say how to write a number with other signs', async () => {
    const plan: FormPlan = {
      steps: [{ amount: { label: 'Amount', type: 'number' } }, { last: { label: 'Last' } }],
    };
    const { page, read } = await begin(plan, { language: 'de' });
    const input = page.getByLabel('Amount');
    await input.pressSequentially('1234567890123456,70');
    await status(page, /^Gespeichert$/);
    expect(await input.inputValue()).toBe('1234567890123456,70');
    expect((await read()).values).toMatchObject([{ value: '1234567890123456.70' }]);
    await page.reload();
    await page.locator('[part=form]').waitFor();
    expect(await input.inputValue()).toBe('1234567890123456,70');

    await input.fill('1.234,5');
    await press(page, 'Weiter');
    const problem = 'Amount: Geben Sie die Zahl ohne Tausendertrennzeichen ein: 1234,5.';
    expect(await page.locator('[part=summary] li').allTextContents()).toEqual([problem]);
    expect(await input.inputValue()).toBe('1.234,5');
    expect(await input.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('link', { name: problem }).click();
    await hasFocus(input);
    await input.fill('1234.5');
    expect(await input.getAttribute('aria-invalid')).toBe('false');
    expect(await input.inputValue()).toBe('1234.5');
    await press(page, 'Weiter');
    await heading(page, 'Step 2').waitFor();
    await press(page, 'Antworten prüfen');
    await page.getByText('1234,5').waitFor();
    await page.close();
  });

  it('say the wait of a rate limit as it is', async () => {
    const { page } = await begin({});
    await page.route(/\/values/, (route) =>
      route.fulfill({
        ...{
          status: 429,
          headers: {
            'retry-after': '1980',
            'access-control-allow-origin': '*',
            'access-control-expose-headers': '*',
          },
        },
        ...{
          contentType: 'application/problem+json',
          body: JSON.stringify({ code: 'too_many_requests', detail: 'No.' }),
        },
      }),
    );
    await page.locator('input').fill('a');
    await page.getByText('There were too many requests. Try again in 33 minutes.').first().waitFor();
    await page.unrouteAll();
    browser.forgive(REFUSED);
    await page.close();
  });
});
