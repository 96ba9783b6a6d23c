import type { Page } from 'playwright-core';
import type { FormPlan } from '../support/forms.js';
import { expectUsable, picture } from './support/accessibility.js';
import { describeInBrowser } from './support/chromium.js';
import { hasFocus } from './support/focus.js';
import { heading, hold, pdf, press, REFUSED, set, status, useElement } from './support/use-element.js';

/** Collects the layout shifts of the page. */
const WATCH_SHIFTS = `window.shifts = [];
  new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value)))
    .observe({ type: 'layout-shift', buffered: true });`;

const WHOLE = { completion: 'strict' } as const;

const arabic: FormPlan = {
  form: { ...WHOLE, name: 'طلب المشاركة في ورشة العمل' },
  steps: [
    {
      about: { type: 'heading', label: 'بيانات المشارك' },
      rules: { type: 'paragraph', label: 'يُرجى قراءة [الشروط](https://site.example/rules) أولًا.' },
      name: { label: 'الاسم الكامل', isRequired: true },
      email: { label: 'البريد الإلكتروني', type: 'email', isRequired: true, placeholder: 'name@example.org' },
      amount: { label: 'المبلغ', type: 'number', rules: { max: '1000.5' } },
      start: { label: 'تاريخ البدء', type: 'date' },
      country: { label: 'البلد', type: 'select', options: ['مصر', 'الأردن'] },
      plan: { label: 'نوع المشاركة', type: 'radio', options: ['حضوري', 'عن بُعد'] },
      note: { label: 'ملاحظات', type: 'textarea', rules: { max_length: '60' } },
      cv: { label: 'السيرة الذاتية', type: 'file', accept: 'application/pdf,image/*', maxBytes: 2 ** 21 },
    },
    {
      phone: { label: 'الهاتف', meta: { inputmode: 'tel' } },
      child: { label: 'اسم الطفل', isRepeatable: true },
    },
  ],
  entities: [{ name: 'children', label: 'طفل', isRepeatable: true, of: ['child'], minRecords: 1 }],
};

const german: FormPlan = {
  form: { ...WHOLE, name: 'Grundstücksverkehrsgenehmigungszuständigkeitsübertragung' },
  steps: [
    {
      name: { label: 'Rechtsschutzversicherungsgesellschaftsbezeichnung', isRequired: true },
      amount: { label: 'Betrag', type: 'number', rules: { max: '1000.5' } },
      start: { label: 'Datum des Beginns', type: 'date', isRequired: true },
      country: { label: 'Staatsangehörigkeit', type: 'select', options: ['Deutschland', 'Österreich'] },
      plan: { label: 'Art der Teilnahme', type: 'radio', options: ['Vor Ort', 'Aus der Ferne'] },
      cv: { label: 'Lebenslauf', type: 'file', accept: 'application/pdf,image/*', maxBytes: 2 ** 21 },
    },
    {
      last: { label: 'Arbeitsunfähigkeitsbescheinigungsnummer' },
      cost: { label: 'Kosten', isRepeatable: true },
    },
  ],
  entities: [
    {
      name: 'costs',
      label: 'Verpflegungsmehraufwandspauschale',
      isRepeatable: true,
      of: ['cost'],
      minRecords: 1,
    },
  ],
};

const root = `document.querySelector('formtrail-form').shadowRoot`;

/** Pictures of a page on a phone and on a screen, in light and dark, if SCREENSHOTS names a directory. */
async function pictures(page: Page, name: string): Promise<void> {
  const size = page.viewportSize()!;
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      await picture(page, `${name}-${width}-${colorScheme}`);
    }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: null });
  await page.setViewportSize(size);
}

describeInBrowser('<formtrail-form> in other languages', () => {
  const element = useElement();
  const { begin, browser, open } = element;

  const styleOf = (page: Page, selector: string, name: string, pseudo = '') =>
    page.evaluate<string>(
      `getComputedStyle(${root}.querySelector('${selector}'), '${pseudo}').getPropertyValue('${name}')`,
    );

  it('is Arabic from right to left, with numbers and addresses from left to right', async () => {
    const { page } = await begin(arabic, { attributes: 'lang="ar" outline' });
    browser.forgive(REFUSED);
    await page.getByRole('navigation', { name: 'الخطوات' }).waitFor();
    await pictures(page, 'arabic-step');
    expect(await page.evaluate(`(({ lang, dir }) => [lang, dir])(${root}.querySelector('div'))`)).toEqual([
      'ar',
      'rtl',
    ]);
    const directions = await page
      .locator('[part~=input]:is(input, textarea, select)')
      .evaluateAll((inputs) =>
        inputs.map((input) => [
          (input as { id: string }).id.replace('place-', ''),
          (input as { dir: string }).dir,
        ]),
      );
    expect(Object.fromEntries(directions)).toEqual({
      ...{ name: '', email: 'ltr', amount: 'ltr', start: 'ltr', country: '', note: '' },
    });
    // An answer has the direction of its own language.
    await page.getByLabel('الاسم الكامل').fill('Ada');
    expect(await page.getByLabel('الاسم الكامل').getAttribute('dir')).toBe('auto');
    await page.getByLabel('الاسم الكامل').fill('');

    await page.getByLabel('المبلغ').fill('2000');
    await page.locator('[type=file]').setInputFiles(pdf('my cv (1).pdf'));
    await page.getByText('(1).pdf').first().waitFor();
    expect(await page.locator('[part=file] strong bdi').innerText()).toBe('my cv (1).pdf');
    await press(page, 'التالي');
    await page.getByRole('alert').filter({ hasText: 'يُرجى مراجعة إجاباتك' }).waitFor();
    expect(await page.locator('[part=summary] li').allTextContents()).toEqual([
      '\u2068الاسم الكامل\u2069: يُرجى الإجابة عن هذا السؤال.',
      '\u2068البريد الإلكتروني\u2069: يُرجى إدخال عنوان بريد إلكتروني.',
      '\u2068المبلغ\u2069: يُرجى إدخال رقم لا يزيد على \u20681000.5\u2069.',
    ]);
    // The mark of an error is where the line begins, and the arrows point to the other side.
    expect([
      await styleOf(page, '[part~=invalid]', 'border-right-width'),
      await styleOf(page, '[part~=invalid]', 'border-left-width'),
      await styleOf(page, 'select', 'background-position-x'),
      await styleOf(page, 'a[target]', 'content', '::after'),
    ]).toEqual(['4px', '0px', '12px, 18px', '"↖" / ""']);
    const edges = (selector: string) => page.locator(selector).first().boundingBox();
    const [label, field, next, back] = await Promise.all(
      ['[part~=invalid] > label', '[part~=invalid]', '[part="button primary"]', '[part=status]'].map(edges),
    );
    // The border and the padding.
    expect(field!.x + field!.width - (label!.x + label!.width)).toBe(20);
    expect(next!.x).toBeGreaterThan(back!.x);
    await pictures(page, 'arabic-errors');
    await expectUsable(page, 'element-arabic', 320);

    await page.getByLabel('الاسم الكامل').fill('سارة');
    await page.getByLabel('البريد الإلكتروني').fill('sara@example.org');
    await page.getByLabel('المبلغ').fill('12.5');
    await press(page, 'التالي');
    await heading(page, 'Step 2').waitFor();
    expect(await page.getByLabel('الهاتف').getAttribute('dir')).toBe('ltr');
    await page.getByLabel('اسم الطفل').fill('ليلى');
    await page.getByRole('button', { name: /^إضافة/ }).click();
    await page.getByText('طفل 2', { exact: true }).waitFor();
    await pictures(page, 'arabic-group');
    await press(page, 'مراجعة الإجابات');
    await heading(page, 'مراجعة الإجابات').waitFor();
    await pictures(page, 'arabic-review');
    await expectUsable(page, 'element-arabic-review', 320);
    await press(page, 'إرسال');
    await heading(page, 'شكرًا').waitFor();
    await pictures(page, 'arabic-completed');
    await page.close();
  });

  it('has room for long German words', async () => {
    const { page } = await begin(german, { attributes: 'lang="de-AT" outline' });
    browser.forgive(REFUSED);
    await pictures(page, 'german-step');
    await page.getByLabel('Betrag').fill('1.000,5');
    await page.locator('[type=file]').setInputFiles(pdf('Arbeitsunfähigkeitsbescheinigung.pdf'));
    await press(page, 'Weiter');
    await page.getByText('Geben Sie die Zahl ohne Tausendertrennzeichen ein: 1000,5.').first().waitFor();
    await page.getByLabel('Betrag').fill('1000,5');
    await press(page, 'Weiter');
    await page.getByRole('link', { name: 'Datum des Beginns: Bitte geben Sie ein Datum ein.' }).waitFor();
    await pictures(page, 'german-errors');
    await expectUsable(page, 'element-german', 320);
    await page.getByLabel(/^Rechtsschutz/).fill('Beispiel AG');
    await page.getByLabel(/^Datum/).fill('2030-01-05');
    await press(page, 'Weiter');
    await heading(page, 'Step 2').waitFor();
    await pictures(page, 'german-group');
    await expectUsable(page, 'element-german-group', 320);
    await press(page, 'Antworten prüfen');
    await page.getByText('5. Jänner 2030').waitFor();
    await pictures(page, 'german-review');
    await expectUsable(page, 'element-german-review', 320);
    await page.close();
  });

  it('waits with its first paint for the language, so that nothing moves later', async () => {
    const { page: first, form, token } = await begin(arabic);
    await first.close();
    const page = await open('', {
      language: 'ar" dir="rtl',
      before: `${WATCH_SHIFTS} document.querySelector('formtrail-form').token = '${token}';`,
    });
    const letGo = await hold(page, /\/ar-[^/]+\.js$/);
    const read = page.waitForResponse(/\/schema/);
    await set(page, 'form', form.slug);
    await read;
    expect(await page.evaluate(`${root}.innerHTML`)).toBe('');
    letGo();
    await page.getByRole('button', { name: 'التالي' }).waitFor();
    await page.getByLabel('الاسم الكامل').fill('سارة');
    await status(page, /^تم الحفظ$/);
    expect(await page.evaluate('shifts')).toEqual([]);
    // English is in the element itself.
    const loaded = `performance.getEntriesByType('resource').filter(({ name }) => /\\/(ar|de|es|fr)-/.test(name)).length`;
    expect(await page.evaluate(loaded)).toBe(1);
    await page.close();
  });

  it('is English if the script of the language cannot be loaded, and for a language without texts', async () => {
    const { page: first, form, token } = await begin(german);
    await first.close();
    browser.forgive(/ERR_FAILED/);
    const page = await open('', { before: `document.querySelector('formtrail-form').token = '${token}';` });
    await page.route(/\/fr-[^/]+\.js$/, (route) => route.abort());
    await set(page, 'lang', 'fr');
    await set(page, 'form', form.slug);
    await page.getByRole('button', { name: 'Next' }).waitFor();
    await set(page, 'lang', 'nl');
    expect(await page.evaluate(`${root}.querySelector('div').lang`)).toBe('nl');
    await page.getByRole('button', { name: 'Next' }).waitFor();
    await page.close();
  });

  it('keeps what is typed and the focus when the language changes', async () => {
    const { page } = await begin(german);
    const name = page.getByLabel(/^Rechtsschutz/);
    await name.fill('Beispiel');
    await name.press('ArrowLeft');
    const letGo = await hold(page, /\/es-[^/]+\.js$/);
    await set(page, 'lang', 'es');
    await name.pressSequentially('x');
    // The texts stay until the others are there.
    expect(await page.getByRole('button', { name: 'Next' }).isVisible()).toBe(true);
    letGo();
    await page.getByRole('button', { name: 'Siguiente' }).waitFor();
    await hasFocus(name);
    await name.pressSequentially('y');
    expect(await name.inputValue()).toBe('Beispiexyl');
    await status(page, /^Guardado$/);
    await page.close();
  });
});
