import { FieldRule, Form, Option, Translation } from '../../../src/entities.js';
import { complete, store } from '../../support/draft-requests.js';
import { createDraft } from '../../support/drafts.js';
import { type BuiltForm, buildForm } from '../../support/forms.js';
import { newUser } from '../../support/service.js';
import { picture } from '../support/accessibility.js';
import { describeInBrowser } from '../support/chromium.js';
import { EMAIL } from './support/panel-process.js';
import type { PanelPage } from './support/panel-page.js';
import type { Session } from './support/panel-session.js';
import { usePanel, usePanelPage } from './support/use-panel.js';

const { use, panel, managerOf, openSession } = usePanel();
let session: Session;
beforeAll(async () => {
  session = await openSession();
}, 300_000);

async function read(id: number, action: string) {
  const { status, text } = await session(`/admin/api/resources/forms/records/${id}/${action}`);
  return { status, body: JSON.parse(text) };
}

async function act(id: number, action: string, payload: object) {
  const { status, text } = await session(`/admin/api/resources/forms/records/${id}/${action}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(payload),
  });
  return { status, body: JSON.parse(text) };
}

const save = (id: number, locale: string, texts: Readonly<Record<string, string>>) => {
  const changes = Object.entries(texts).map(([name, text]) => {
    const [, owner, key] = /^(.*) (\w+)$/.exec(name)!;
    return { owner, key, text };
  });
  return act(id, 'translations', { locale, changes });
};

const translationsOf = async (formId: number) =>
  (await managerOf().find(Translation, { where: { formId }, order: { id: 'asc' } })).map(
    ({ locale, owner, key, text }) => `${locale} ${owner} ${key}: ${text}`,
  );

/** A form in English of two steps, with every kind of text, and texts that nobody translates. */
async function trip(form: Partial<Form> = {}): Promise<BuiltForm> {
  const built = await buildForm(use.database.dataSource, {
    form: { name: 'Trip', description: 'Tell us about your trip.', locale: 'en', ...form },
    steps: [
      {
        travel: { label: 'Do you **travel**?', type: 'radio', options: ['Yes', 'No'] },
        name: { label: 'Name', placeholder: 'Ada', rules: { min_length: '2' } },
        gone: { label: 'Gone', description: 'Retired', retiredAt: new Date() },
      },
      { amount: { label: 'Amount', isRepeatable: true } },
    ],
    entities: [{ name: 'expense', label: 'Expense', isRepeatable: true, of: ['amount'] }],
  });
  await managerOf().update(FieldRule, { fieldId: built.fields['name']!.id }, { message: 'Too short.' });
  return { ...built, form: await managerOf().findOneByOrFail(Form, { id: built.form.id }) };
}

describe('the translations of a form', () => {
  it('are its texts in reading order, and those into a language beside them', async () => {
    const { form, fields, steps } = await trip();
    const [yes] = await managerOf().findBy(Option, { fieldId: fields['travel']!.id, value: 'Yes' });
    await save(form.id, 'de', { [`option ${yes!.id} label`]: ' Ja ' });
    const { translations } = (await read(form.id, 'translations?locale=de')).body;
    const texts = translations.chosen.groups.map(({ title, texts }: any) => [
      title,
      texts.map(({ caption, source, translation }: any) => `${caption}: ${source} = ${translation}`),
    ]);
    expect(texts).toEqual([
      ['Form', ['Name: Trip = ', 'Description: Tell us about your trip. = ']],
      [
        'Step 1',
        [
          'Title: Step 1 = ',
          'Question: Do you **travel**? = ',
          'Option of “Do you travel?”: Yes = Ja',
          'Option of “Do you travel?”: No = ',
          'Question: Name = ',
          'Placeholder of “Name”: Ada = ',
          'Message of “Name”: Too short. = ',
        ],
      ],
      ['Step 2', ['Title: Step 2 = ', 'Question: Amount = ']],
      ['Repeating groups', ['Label of a group: Expense = ']],
    ]);
    expect(translations).toMatchObject({
      ...{ own: 'en', total: 12, languages: [{ locale: 'de', translated: 1 }] },
    });
    // A translation of a retired field is not counted.
    await save(form.id, 'de', { [`step ${steps[0]!.id} title`]: 'Schritt 1' });
    await managerOf().insert(Translation, {
      ...{ formId: form.id, locale: 'de', fieldId: fields['gone']!.id, key: 'label', text: 'Weg' },
    });
    expect((await read(form.id, 'translations')).body.translations).toEqual({
      ...{ own: 'en', total: 12, languages: [{ locale: 'de', translated: 2 }], chosen: null },
    });
  });

  it('are saved together as one version, under the name of the operator, and an empty text deletes one', async () => {
    const { form, steps } = await trip();
    const title = `step ${steps[0]!.id} title`;
    expect(
      await save(form.id, 'zh-hant', { 'form name': '旅行', 'form description': '說說', [title]: '一' }),
    ).toMatchObject({ status: 200, body: { notice: { message: expect.stringContaining('Saved 3 texts') } } });
    expect(await managerOf().findOneBy(Form, { id: form.id })).toMatchObject({
      ...{ version: form.version + 1, updatedBy: EMAIL, locales: ['zh-Hant'] },
    });
    await save(form.id, 'zh-Hant', { 'form name': '行程', [title]: ' ' });
    expect(await translationsOf(form.id)).toEqual([
      'zh-Hant form name: 行程',
      'zh-Hant form description: 說說',
    ]);
    expect((await act(form.id, 'removeLanguage', { locale: 'zh-Hant' })).status).toBe(200);
    expect(await managerOf().findOneBy(Form, { id: form.id })).toMatchObject({ locales: [] });
  });

  it('are refused with a reason, and then nothing is saved', async () => {
    const { form, fields } = await trip();
    const refusals: [locale: string, texts: Readonly<Record<string, string>>, number, RegExp][] = [
      ['en', { 'form name': 'Trip' }, 422, /already, so they cannot be translated into it/],
      ['not_a_tag', { 'form name': 'x' }, 422, /^This is not a language tag/],
      [
        'de',
        { 'form description': 'Gut', 'form name': 'x'.repeat(256) },
        422,
        /has 256 characters. Shorten it/,
      ],
      ['de', { 'form name': 'Gut', 'step 0 title': 'x' }, 409, /no longer in the form/],
      ['de', { [`field ${fields['gone']!.id} label`]: 'x' }, 409, /no longer in the form/],
      ['de', { 'form slug': 'x' }, 409, /no longer in the form/],
    ];
    for (const [locale, texts, status, message] of refusals)
      expect(await save(form.id, locale, texts)).toMatchObject({
        ...{ status, body: { message: expect.stringMatching(message) } },
      });
    expect((await act(form.id, 'translations', { locale: 'de', changes: 'x' })).status).toBe(400);
    expect((await read(form.id, 'translations?locale=en')).status).toBe(422);
    expect(await translationsOf(form.id)).toEqual([]);
  });

  it('of 2,000 texts are read in one request, and saved in another', async () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `field_${index}`);
    const { form, fields } = await buildForm(use.database.dataSource, {
      steps: [Object.fromEntries(names.map((name) => [name, {}]))],
    });
    const long = 'ä'.repeat(600);
    const texts = Object.values(fields).map(({ id }) => [`field ${id} label`, long]);
    expect((await save(form.id, 'de', Object.fromEntries(texts))).status).toBe(200);
    const { translations } = (await read(form.id, 'translations?locale=de')).body;
    expect(translations).toMatchObject({ total: 2_002, languages: [{ locale: 'de', translated: 2_000 }] });
  });
});

describe('the languages of a form', () => {
  it('are checked for missing texts before the form goes live', async () => {
    const { form } = await trip({ isActive: false });
    await save(form.id, 'de', { 'form name': 'Reise', 'form description': 'Erzählen Sie.' });
    await save(form.id, 'ar', { 'form name': 'رحلة' });
    const { checkList } = (await read(form.id, 'makeLive')).body;
    expect(checkList.languages).toEqual([
      { locale: 'ar', missing: 11 },
      { locale: 'de', missing: 10 },
    ]);
  });

  it('are in its copy, and in the copy with prepared changes, which publishes them', async () => {
    const { form, steps } = await trip();
    const title = `step ${steps[0]!.id} title`;
    await save(form.id, 'de', { 'form name': 'Reise', [title]: 'Schritt 1' });
    const { proposal } = (await read(form.id, 'copy')).body;
    const textsIn = async (formId: number) =>
      (await translationsOf(formId)).map((text) => text.replace(/\d+ (?=title)/, '')).toSorted();
    for (const [action, payload] of [['copy', proposal] as const, ['prepare', {}] as const]) {
      const { body } = await act(form.id, action, payload);
      const id = Number(/\d+/.exec(body.redirectUrl)![0]);
      expect(await managerOf().findOneBy(Form, { id })).toMatchObject({ locale: 'en', locales: ['de'] });
      expect(await textsIn(id)).toEqual(['de form name: Reise', 'de step title: Schritt 1']);
      if (action === 'copy') continue;
      await save(id, 'de', { 'form name': 'Ausflug' });
      await save(id, 'fr', { 'form name': 'Excursion' });
      const { version } = (await managerOf().findOneBy(Form, { id }))!;
      expect((await act(id, 'publish', { version })).status).toBe(200);
    }
    expect(await textsIn(form.id)).toEqual([
      ...['de form name: Ausflug', 'de step title: Schritt 1', 'fr form name: Excursion'],
    ]);
    expect(await managerOf().findOneBy(Form, { id: form.id })).toMatchObject({
      locale: 'en',
      locales: ['de', 'fr'],
    });
  });
});

describe('the page of a submission', () => {
  /** The page's answers to the radio group, with their question, their step and the sentence about the language. */
  async function shown(uuid: string) {
    const { text } = await session(`/admin/api/resources/submissions/records/${uuid}/show`);
    const { steps, language } = JSON.parse(JSON.parse(text).record.params.answers);
    const [{ label, value }] = steps[0].answers;
    return [steps[0].title, label, value, language];
  }

  it('has each text in the language that the answers were given in, or in a more general one, or in that of the form', async () => {
    const built = await trip();
    const { form, fields, steps } = built;
    const { travel } = fields;
    const [yes] = await managerOf().findBy(Option, { fieldId: travel!.id, value: 'Yes' });
    const title = `step ${steps[0]!.id} title`;
    const label = `field ${travel!.id} label`;
    await save(form.id, 'de', { [title]: 'Schritt 1', [label]: 'Reisen Sie?' });
    await save(form.id, 'de-AT', { [title]: 'Schritt Eins' });
    const { client } = await newUser(use);
    const draft = { client, ...(await createDraft(client, built)) };
    await store(draft, { travel: 'Yes' });
    expect((await client.patch(draft.path, { locale: 'de-AT' })).status).toBe(200);
    const answered = ['Schritt Eins', 'Reisen Sie?', 'Yes', 'Austrian German (de-AT)'];
    expect(await shown(draft.uuid)).toEqual(answered);

    // The version that was completed keeps its texts.
    expect((await complete(draft)).status).toBe(200);
    await save(form.id, 'de', { [label]: 'Fahren Sie?', [`option ${yes!.id} label`]: 'Ja' });
    expect(await shown(draft.uuid)).toEqual(answered);
    const next = { client, ...(await createDraft(client, built)) };
    await store(next, { travel: 'Yes' });
    expect(await shown(next.uuid)).toEqual(['Step 1', 'Do you travel?', 'Yes', null]);
  });
});

describeInBrowser('the page of the translations', () => {
  const { logIn } = usePanelPage(panel);

  /** Takes pictures at both widths. */
  async function pictures({ page }: PanelPage, name: string): Promise<void> {
    await picture(page, `translations-${name}-1280`);
    await page.setViewportSize({ width: 390, height: 844 });
    await picture(page, `translations-${name}-390`);
    const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect([name, scrolled]).toEqual([name, 390]);
    await page.setViewportSize({ width: 1280, height: 900 });
  }

  it('adds a language, saves what a person types, says how much is translated, and removes the language', async () => {
    const { form } = await trip({ name: 'Trip of the society' });
    const page = await logIn();
    const { page: browser } = page;
    const languages = browser.getByRole('region', { name: 'Languages', exact: true });
    await page.open('Trip of the society', `forms/records/${form.id}/show`);
    await page.follow('Translations');
    await page.input('Add a language').fill('German');
    await page.press('Add');
    await browser.getByText(/^This is not a language tag/).waitFor();
    await page.input('Add a language').fill('EN');
    await page.press('Add');
    await browser.getByText(/^The texts of the form are in English \(en\) already/).waitFor();
    await page.input('Add a language').fill('de');
    await page.press('Add');
    await page.heading('German (de)').waitFor();
    await page.fill({ 'Question Do you': 'Reisen Sie?', 'Option of “Do you travel\\?” Yes': 'Ja' });
    await page.press('Save');
    await languages.getByText('2 of 12 texts, 16 %').waitFor();
    await browser.getByLabel('Only missing').check();
    await page.input('Question Do you').waitFor({ state: 'hidden' });
    expect(await page.input('Placeholder of').isVisible()).toBe(true);
    await browser.getByLabel('Only missing').uncheck();
    const question = page.input('Question Do you');
    expect([await question.inputValue(), await question.getAttribute('lang')]).toEqual(['Reisen Sie?', 'de']);
    await pictures(page, 'de');

    await page.fill({ 'Question Do you': '' });
    await page.press('Save');
    await languages.getByText('1 of 12 texts, 8 %').waitFor();
    await page.press('Remove this language');
    await page.press('Keep them');
    await page.press('Remove this language');
    await page.press('Delete all translations into German (de) for good');
    await languages.getByRole('link', { name: 'German (de)' }).waitFor({ state: 'detached' });
    expect(await translationsOf(form.id)).toEqual([]);
  });

  it('writes languages from right to left', async () => {
    const { form } = await trip({ name: 'Journey' });
    await save(form.id, 'ar', { 'form name': 'رحلة', 'form description': 'أخبرنا عن رحلتك.' });
    await save(form.id, 'de', { 'form name': 'Reise' });
    const page = await logIn();
    await page.open('Journey', `forms/records/${form.id}/translations?locale=ar`);
    const name = page.input('Name Journey');
    await name.waitFor();
    expect([await name.inputValue(), await name.getAttribute('dir')]).toEqual(['رحلة', 'rtl']);
    await pictures(page, 'ar');
  });
});
