import { buildForm } from './support/forms.js';
import { useDatabase } from './support/test-database.js';
import { translate } from './support/translations.js';

const use = useDatabase();
const query = <Row = never>(sql: string, values: readonly unknown[] = []) =>
  use.dataSource.query<Row[]>(sql, [...values]);

const plan = {
  form: { locale: 'en' },
  steps: [{ colour: { options: ['red'], rules: { max_length: '4' } } }],
};
const build = () => buildForm(use.dataSource, { ...plan, entities: [{ name: 'child' }] });
const stateOf = async (id: number) =>
  (
    await query<{ version: number; locales: string[] }>('select version, locales from forms where id = $1', [
      id,
    ])
  )[0]!;
const idOf = async (table: 'options' | 'field_rules', fieldId: number) =>
  (await query<{ id: number }>(`select id from ${table} where field_id = $1`, [fieldId]))[0]!.id;
const insert = (columns: Record<string, unknown>) =>
  query(
    `insert into translations (${Object.keys(columns).join()}) values (${Object.keys(columns)
      .map((_, index) => `$${index + 1}`)
      .join()})`,
    Object.values(columns),
  );

describe('the database', () => {
  it.each([
    ['a tag in another letter case', { locale: 'de-at' }, 'translations_locale_check'],
    ['a malformed tag', { locale: 'de_AT' }, 'translations_locale_check'],
    ['a key that the form lacks', { key: 'title' }, 'translations_key_check'],
    ['an empty text', { text: '' }, 'translations_text_check'],
    ['a name of 256 characters', { text: 'x'.repeat(256) }, 'translations_text_check'],
    ['a translation into the language of the form', { locale: 'en' }, 'translations_not_own_locale_check'],
  ])('refuses %s (L1)', async (_, columns, constraint) => {
    const { form } = await build();
    await expect(
      insert({ form_id: form.id, locale: 'de', key: 'name', text: 'Name', ...columns }),
    ).rejects.toMatchObject({ driverError: { constraint } });
    expect(await stateOf(form.id)).toEqual({ version: 1, locales: [] });
  });

  it.each(['de-at', 'EN', 'x-private', '', 'de_AT'])('refuses the language %j of a form', async (locale) => {
    const { form } = await build();
    await expect(
      query('update forms set locale = $2 where id = $1', [form.id, locale]),
    ).rejects.toMatchObject({
      driverError: { constraint: 'forms_locale_check' },
    });
  });

  it('refuses keys that a part of the form lacks, two owners, and a second text for one place', async () => {
    const { form, steps, fields } = await build();
    const fieldId = fields['colour']!.id;
    const text = { form_id: form.id, locale: 'de', text: 'Text' };
    const refused = (columns: Record<string, unknown>, constraint: string) =>
      expect(insert({ ...text, ...columns })).rejects.toMatchObject({ driverError: { constraint } });
    await refused({ step_id: steps[0]!.id, key: 'label' }, 'translations_key_check');
    await refused({ field_id: fieldId, key: 'name' }, 'translations_key_check');
    await refused({ option_id: await idOf('options', fieldId), key: 'message' }, 'translations_key_check');
    await refused({ rule_id: await idOf('field_rules', fieldId), key: 'label' }, 'translations_key_check');
    await refused(
      { step_id: steps[0]!.id, field_id: fieldId, key: 'description' },
      'translations_owner_check',
    );
    await insert({ ...text, field_id: fieldId, key: 'label' });
    await refused({ field_id: fieldId, key: 'label' }, 'translations_form_id_locale_owner_key_key');
  });

  it('refuses a part of another form', async () => {
    const [own, other] = [await build(), await build()];
    const fieldId = other.fields['colour']!.id;
    const text = { form_id: own.form.id, locale: 'de', text: 'Text' };
    for (const columns of [
      { step_id: other.steps[0]!.id, key: 'title' },
      { field_id: fieldId, key: 'label' },
      { option_id: await idOf('options', fieldId), key: 'label' },
      { rule_id: await idOf('field_rules', fieldId), key: 'message' },
      { option_id: 2 ** 31 - 1, key: 'label' },
      { rule_id: 2 ** 31 - 1, key: 'message' },
    ])
      await expect(insert({ ...text, ...columns })).rejects.toMatchObject({ driverError: { code: '23503' } });
  });

  it('refuses a language of the form into which it has translations, also under parallel changes', async () => {
    const { form } = await build();
    await translate(use.dataSource, { form }, 'de', [[{}, 'name', 'Formular']]);
    await expect(query(`update forms set locale = 'de' where id = $1`, [form.id])).rejects.toMatchObject({
      driverError: { constraint: 'forms_locale_not_translated_check' },
    });
    const other = await build();
    const both = await Promise.allSettled([
      query(`update forms set locale = 'de' where id = $1`, [other.form.id]),
      translate(use.dataSource, other, 'de', [[{}, 'name', 'Formular']]),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('keeps the list of languages, and moves the version once in each transaction (F8)', async () => {
    const { form, steps } = await build();
    await translate(use.dataSource, { form }, 'zh-Hant', [[{}, 'name', '表']]);
    expect(await stateOf(form.id)).toEqual({ version: 2, locales: ['zh-Hant'] });
    await use.dataSource.transaction(async (manager) => {
      await manager.query(`update forms set name = 'New' where id = $1`, [form.id]);
      await manager.query(
        `insert into translations (form_id, locale, step_id, key, text) values ($1, 'de', $2, 'title', 'Schritt'), ($1, 'ar', $2, 'title', 'خطوة')`,
        [form.id, steps[0]!.id],
      );
    });
    expect(await stateOf(form.id)).toEqual({ version: 3, locales: ['ar', 'de', 'zh-Hant'] });
    await query(`update translations set locale = 'fr' where form_id = $1 and locale = 'de'`, [form.id]);
    expect(await stateOf(form.id)).toEqual({ version: 4, locales: ['ar', 'fr', 'zh-Hant'] });
    await query(`update translations set text = text where form_id = $1`, [form.id]);
    expect(await stateOf(form.id)).toEqual({ version: 4, locales: ['ar', 'fr', 'zh-Hant'] });
    await query('delete from translations where form_id = $1', [form.id]);
    expect(await stateOf(form.id)).toEqual({ version: 5, locales: [] });
  });

  it('keeps a form below 200,000 translations and 32 MiB of them', async () => {
    const { form } = await build();
    const long = (tag: string) =>
      insert({ form_id: form.id, locale: tag, key: 'description', text: 'x'.repeat(17 * 1024 * 1024) });
    await long('de');
    await expect(long('fr')).rejects.toMatchObject({
      driverError: { constraint: 'translations_size_check' },
    });
    expect((await stateOf(form.id)).locales).toEqual(['de']);
  });

  it('deletes the translations of deleted parts, and of the form', async () => {
    const { form, steps, fields } = await build();
    const fieldId = fields['colour']!.id;
    await translate(use.dataSource, { form }, 'de', [
      [{ optionId: await idOf('options', fieldId) }, 'label', 'rot'],
      [{ ruleId: await idOf('field_rules', fieldId) }, 'message', 'Zu lang'],
      [{ fieldId }, 'label', 'Farbe'],
      [{ stepId: steps[0]!.id }, 'title', 'Schritt'],
    ]);
    const left = async () =>
      (
        await query<{ owner: string }>('select owner from translations where form_id = $1 order by owner', [
          form.id,
        ])
      ).map(({ owner }) => owner.split(' ')[0]);
    await query('delete from options where field_id = $1', [fieldId]);
    expect(await left()).toEqual(['field', 'rule', 'step']);
    await query('delete from field_rules where field_id = $1', [fieldId]);
    expect(await left()).toEqual(['field', 'step']);
    await query('delete from steps where form_id = $1', [form.id]);
    expect(await left()).toEqual([]);
    expect((await stateOf(form.id)).locales).toEqual([]);
    await translate(use.dataSource, { form }, 'de', [[{}, 'name', 'Formular']]);
    await query('delete from forms where id = $1', [form.id]);
    expect(await left()).toEqual([]);
  });
});
