import { Form } from '../../src/entities.js';
import { eventually } from '../support/eventually.js';
import { type BuiltForm, buildForm } from '../support/forms.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { useService } from '../support/service.js';
import { type TextPlan, translate } from '../support/translations.js';
import { Network, newPerson, type Window } from './support/person.js';

const use = useService();
const query = (sql: string, ...values: unknown[]) => use.database.dataSource.query(sql, values);

/** An English form with texts in German and Arabic. */
async function multilingual(form: Partial<Form> = {}): Promise<BuiltForm> {
  const { dataSource } = use.database;
  const built = await buildForm(dataSource, {
    form: { locale: 'en', completion: 'strict', ...form },
    steps: [
      { name: { label: 'Name' }, pin: { label: 'PIN', rules: { pattern: '[0-9]{4}' } } },
      { note: { label: 'Note' } },
    ],
  });
  const { id } = built.form;
  const own = 'from fields where fields.id = field_id and form_id = $1';
  await query(`update field_rules set message = 'Enter 4 digits.' ${own}`, id);
  const [rule] = await query(
    `select field_rules.id from field_rules join fields on field_id = fields.id
    where form_id = $1`,
    id,
  );
  const texts = (name: string, note: string, message: string): TextPlan[] => [
    [{ fieldId: built.fields['name']!.id }, 'label', name],
    [{ fieldId: built.fields['note']!.id }, 'label', note],
    [{ ruleId: rule.id }, 'message', message],
  ];
  await use.service.hearing(() =>
    translate(dataSource, built, 'de', texts('Vorname', 'Notiz', 'Geben Sie 4 Ziffern ein.')),
  );
  await use.service.hearing(() =>
    translate(dataSource, built, 'ar', texts('الاسم', 'ملاحظة', 'أدخل 4 أرقام.')),
  );
  return built;
}

/** A form that tests do not change. */
let built: BuiltForm;
beforeAll(async () => {
  built = await multilingual();
});

const labels = ({ shown }: Window) =>
  shown.step?.blocks.map((block) => (block.kind === 'question' ? block.field.label : undefined));
const kept = { formChanged: undefined, changedElsewhere: false, mistakes: [], conflicts: [] };

describe('a draft of a form in several languages (L3)', () => {
  it('is read and begun in the language of the page, with the requests of any other form', async () => {
    const person = await newPerson(use, built);
    const window = await person.look({ locale: 'de-at' });
    expect(window.requests).toHaveLength(4);
    expect([window.shown.form.locale, labels(window)]).toEqual(['de', ['Vorname', 'PIN']]);
    window.requests.length = 0;
    window.draft.change('name', 'Ada');
    expect(await window.draft.save()).toBe('done');
    expect(window.requests).toEqual(['GET submissions', 'POST submissions', 'POST values']);
    expect((await person.stored(window)).locale).toBe('de-AT');
  });

  it('follows the language of the submission, also on a page whose language the form does not have (L4)', async () => {
    const person = await newPerson(use, built);
    await person.formtrail.createSubmission(built.form.uuid, { locale: 'ar' });
    for (const locale of [undefined, 'fr']) {
      const window = await person.look({ locale });
      expect([window.shown.form.locale, labels(window)]).toEqual(['ar', ['الاسم', 'PIN']]);
      await window.draft.save();
      expect((await person.stored(window)).locale).toBe('ar');
    }
  });

  it('stores the language of the page, and reads nothing again', async () => {
    const person = await newPerson(use, built);
    await person.formtrail.createSubmission(built.form.uuid, { locale: 'ar' });
    const window = await person.look({ locale: 'de' });
    expect(labels(window)).toEqual(['Vorname', 'PIN']);
    window.requests.length = 0;
    expect(await window.draft.save()).toBe('done');
    expect(await window.draft.save()).toBe('done');
    expect(window.requests).toEqual(['PATCH']);
    expect((await person.stored(window)).locale).toBe('de');
    expect(window.shown).toMatchObject({ ...kept, saving: { kind: 'unchanged' } });
  });

  it('changes its language and keeps what is typed meanwhile, its step and everything that is saved (L6)', async () => {
    const person = await newPerson(use, built);
    let onSchema = () => {};
    const fetchSlowly = (request: Request) => {
      if (request.url.includes('/schema?locale=ar')) onSchema();
      return fetch(request);
    };
    const window = await person.open({ locale: 'en', fetch: fetchSlowly });
    const { draft } = window;
    draft.change('name', 'Ada');
    expect(await draft.next()).toBe('done');
    draft.change('note', 'typed');
    onSchema = () => draft.change('note', 'typed on');
    window.requests.length = 0;
    expect(await draft.setLocale('ar')).toBe('done');
    expect([window.shown.form.locale, labels(window)]).toEqual(['ar', ['ملاحظة']]);
    expect(window.shown).toMatchObject({
      ...kept,
      values: { name: 'Ada', note: 'typed on' },
      step: { number: 2 },
    });
    expect(window.requests).toEqual([`GET forms/${built.form.uuid}/schema`, 'PATCH', 'POST values']);
    expect(await draft.save()).toBe('done');
    expect(await person.stored(window)).toMatchObject({
      ...{ locale: 'ar', answers: { name: 'Ada', note: 'typed on' } },
    });

    expect(await Promise.all([draft.setLocale('de'), draft.setLocale('ar')])).toEqual(['done', 'done']);
    expect(window.shown).toMatchObject({ ...kept, form: { locale: 'ar' } });
    window.requests.length = 0;
    expect(await draft.setLocale('ar')).toBe('done');
    expect(await draft.setLocale(undefined)).toBe('done');
    expect(window.requests).toEqual([`GET forms/${built.form.uuid}/schema`]);
    expect(window.shown.form.locale).toBe('ar');
  });

  it('says what the author has written in the new language only', async () => {
    const person = await newPerson(use, built);
    const window = await person.open({ locale: 'de' });
    const { draft } = window;
    draft.change('pin', 'x');
    expect(await draft.next()).toBe('mistakes');
    expect(window.question('pin')?.mistake?.detail).toBe('Geben Sie 4 Ziffern ein.');
    expect(await draft.setLocale('ar')).toBe('done');
    expect(window.question('pin')?.mistake).toBeUndefined();
    expect(await draft.complete()).toBe('mistakes');
    expect(window.question('pin')?.mistake?.detail).toBe('أدخل 4 أرقام.');
    draft.change('pin', '1234');
    expect(await draft.complete()).toBe('done');
    expect(await person.stored(window)).toMatchObject({ status: 'completed', locale: 'ar' });

    // It can be read in another language, but keeps its own.
    expect(await draft.setLocale('de')).toBe('done');
    expect(window.shown).toMatchObject({ status: 'completed', form: { locale: 'de' } });
    const again = await person.look({ submission: window.shown.submission, locale: 'de' });
    expect(again.shown).toMatchObject({ status: 'completed', form: { locale: 'de' } });
    expect((await person.stored(window)).locale).toBe('ar');
  });

  it('goes on moving, and shows what else has changed', async () => {
    const own = await multilingual();
    const person = await newPerson(use, own);
    const window = await person.open();
    const [moved, changed] = await Promise.all([window.draft.next(), window.draft.setLocale('de')]);
    expect([moved, changed]).toEqual(['done', 'done']);
    expect(window.shown).toMatchObject({ ...kept, step: { number: 2 }, busy: undefined });
    await use.service.hearing(() =>
      query('update fields set label = $1 where id = $2', 'PIN 2', own.fields['pin']!.id),
    );
    expect(await window.draft.setLocale('ar')).toBe('done');
    expect(window.shown).toMatchObject({ form: { locale: 'ar' }, formChanged: { added: [] } });
    expect((await person.stored(window)).locale).toBe('ar');
  });

  it('repeats the change when the connection is back, also if the response was lost', async () => {
    const person = await newPerson(use, built);
    const network = new Network();
    const window = await person.open({ fetch: network.fetch });
    network.isOffline = true;
    expect(await window.draft.setLocale('de')).toBe('failed');
    expect([labels(window), window.shown.saving.kind]).toEqual([['Name', 'PIN'], 'offline']);
    network.isOffline = false;
    network.lost = /^PATCH/;
    window.draft.retry();
    await eventually('the language is stored', async () => (await person.stored(window)).locale === 'de');
    window.draft.retry();
    await window.until('unchanged');
    expect(labels(window)).toEqual(['Vorname', 'PIN']);
    expect(window.shown).toMatchObject(kept);
  });

  it('begins one submission if the language changes after a lost response', async () => {
    const person = await newPerson(use, built);
    const network = new Network();
    const window = await person.look({ locale: 'de', fetch: network.fetch });
    network.lost = /^POST .*\/submissions$/;
    window.draft.change('name', 'Ada');
    expect(await window.draft.save()).toBe('failed');
    expect(await window.draft.setLocale('ar')).toBe('done');
    expect(await person.stored(window)).toMatchObject({ locale: 'ar', answers: { name: 'Ada' } });
    expect((await person.formtrail.listSubmissions()).data).toHaveLength(1);
  });

  itOnOneServer('opens in the language of the page if the form has closed', async () => {
    const own = await multilingual({ closesDrafts: true });
    const person = await newPerson(use, own);
    await person.formtrail.createSubmission(own.form.uuid, { locale: 'ar' });
    await use.service.hearing(() =>
      query(`update forms set closes_at = now() - interval '1 day' where id = $1`, own.form.id),
    );
    const window = await person.look({ locale: 'de' });
    expect(window.shown).toMatchObject({ isReadOnly: true, form: { locale: 'de' } });
    expect(await window.draft.setLocale('ar')).toBe('done');
    expect(window.shown).toMatchObject({ isReadOnly: true, form: { locale: 'ar' }, failure: undefined });
  });

  it('rejects a malformed tag before any request', async () => {
    const person = await newPerson(use, built);
    const problem = '"de_AT" is not a language tag, such as de-AT.';
    const failed = await person.look({ locale: 'de_AT' });
    expect(failed.draft.getSnapshot()).toMatchObject({ status: 'failed', error: { message: problem } });
    expect(failed.requests).toEqual([]);
    const window = await person.look();
    window.requests.length = 0;
    await expect(window.draft.setLocale('de_AT')).rejects.toThrow(problem);
    await expect(window.draft.setLocale(`x${'-abcdefgh'.repeat(5)}`)).rejects.toThrow(RangeError);
    expect([window.requests, labels(window)]).toEqual([[], ['Name', 'PIN']]);
  });
});

describe('a draft of a form in one language', () => {
  it.each([null, 'en'])('sends no further request: %s', async (locale) => {
    const form = await buildForm(use.database.dataSource, { form: { locale }, steps: [{ name: {} }] });
    const person = await newPerson(use, form);
    const window = await person.look({ locale: 'de' });
    expect(window.requests).toHaveLength(4);
    window.requests.length = 0;
    expect(await window.draft.setLocale('fr')).toBe('done');
    expect(window.requests).toEqual([]);
    window.draft.change('name', 'Ada');
    await window.draft.save();
    expect(await window.draft.setLocale('es')).toBe('done');
    expect(window.requests).toEqual(['GET submissions', 'POST submissions', 'POST values']);
    expect((await person.stored(window)).locale).toBe('fr');
    const again = await person.look({ locale: 'es' });
    await again.draft.save();
    expect(again.requests).toHaveLength(4);
  });
});
