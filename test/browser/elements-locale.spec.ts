import type { FormPlan } from '../support/forms.js';
import { buildForm } from '../support/forms.js';
import { newUser } from '../support/service.js';
import { translate } from '../support/translations.js';
import { describeInBrowser } from './support/chromium.js';
import { hasFocus } from './support/focus.js';
import { hold, press, set, tokenScript, useElement } from './support/use-element.js';

const plan: FormPlan = {
  form: { name: 'Survey', locale: 'en' },
  steps: [{ name: { label: 'Name' }, amount: { label: 'Amount', type: 'number' } }],
};

describeInBrowser('<formtrail-form locale>', () => {
  const { use, open } = useElement();

  /** A form of a new user, with texts in Arabic and German. */
  async function multilingual() {
    const { dataSource } = use.database;
    const built = await buildForm(dataSource, plan);
    const { client, plainToken } = await newUser(use);
    const write = (locale: string, form: string, name: string, amount: string) =>
      use.service.hearing(() =>
        translate(dataSource, built, locale, [
          [{}, 'name', form],
          [{ fieldId: built.fields['name']!.id }, 'label', name],
          [{ fieldId: built.fields['amount']!.id }, 'label', amount],
        ]),
      );
    await write('ar', 'استبيان', 'الاسم', 'المبلغ');
    await write('de', 'Umfrage', 'Vorname', 'Betrag');
    const stored = async () => {
      const { uuid } = (await client.get('/api/v1/submissions')).body.data[0];
      return (await client.get(`/api/v1/submissions/${uuid}`)).body.data;
    };
    return { ...built, client, stored, before: tokenScript(plainToken) };
  }

  const place = `(({ lang, dir }) => [lang, dir])(document.querySelector('formtrail-form').shadowRoot.querySelector('div'))`;

  it('shows the form and its own texts in the language, and changes both under what is typed (L6)', async () => {
    const { form, before, stored } = await multilingual();
    const page = await open(form.slug, { before, attributes: 'locale="ar"' });
    await page.getByLabel('الاسم').waitFor();
    await page.getByRole('button', { name: 'إرسال' }).waitFor();
    expect(await page.evaluate(place)).toEqual(['ar', 'rtl']);

    const letGo = await hold(page, /\/values\b/);
    const name = page.locator('#place-name');
    await name.pressSequentially('Ada');
    await name.evaluate((input) => Object.assign(input, { isTheSame: true }));
    await set(page, 'locale', 'de');
    await page.keyboard.type(' L.');
    letGo();
    await page.getByLabel('Vorname').waitFor();
    await page.getByLabel('Betrag').waitFor();
    await page.getByRole('button', { name: 'Absenden' }).waitFor();
    expect(await page.evaluate(place)).toEqual(['de', 'ltr']);
    expect(await name.inputValue()).toBe('Ada L.');
    expect([await hasFocus(name), await name.evaluate((input) => 'isTheSame' in input)]).toEqual([
      true,
      true,
    ]);
    await page.getByText('Gespeichert', { exact: true }).waitFor();
    const { locale, values } = await stored();
    expect([locale, values.map(({ value }: { value: string }) => value)]).toEqual(['de', ['Ada L.']]);
    await page.close();
  });

  it('follows the page without the attribute, and the submission if the form lacks that language', async () => {
    const { form, client, before, stored } = await multilingual();
    await client.post('/api/v1/submissions', { form_uuid: form.uuid, locale: 'ar' });
    const french = await open(form.slug, { before, language: 'fr' });
    await french.getByLabel('الاسم').waitFor();
    await french.getByRole('button', { name: 'Envoyer' }).waitFor();
    await french.getByLabel('الاسم').fill('Ada');
    await french.getByText('Enregistré').waitFor();
    expect((await stored()).locale).toBe('ar');
    await french.close();

    const german = await open(form.slug, { before, language: 'de' });
    expect(await german.getByLabel('Vorname').inputValue()).toBe('Ada');
    await press(german, 'Absenden');
    await german.getByRole('heading', { name: 'Vielen Dank' }).waitFor();
    expect(await stored()).toMatchObject({ status: 'completed', locale: 'de' });
    await german.close();
  });

  it('lists the forms in the language, and again when it changes', async () => {
    const { before } = await multilingual();
    const page = await open('', { before, attributes: 'list locale="de"' });
    await page.getByText('Umfrage', { exact: true }).first().waitFor();
    await set(page, 'locale', 'ar');
    await page.getByText('استبيان', { exact: true }).first().waitFor();
    expect(await page.evaluate(place)).toEqual(['ar', 'rtl']);
    await page.close();
  });
});
