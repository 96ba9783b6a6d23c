import { useCommandLine } from './support/command-line.js';
import { createDraft } from './support/drafts.js';
import { addRecord, complete, store } from './support/draft-requests.js';
import { type BuiltForm, buildForm } from './support/forms.js';
import { newUser, useServiceOn } from './support/service.js';
import { translate } from './support/translations.js';

const use = useCommandLine();
const service = useServiceOn(use);
const query = <Row = never>(sql: string, ...values: unknown[]) =>
  use.database.dataSource.query<Row[]>(sql, values);

/** A form in English, German and Arabic. */
async function multilingual(): Promise<BuiltForm> {
  const built = await buildForm(use.database.dataSource, {
    form: { locale: 'en' },
    steps: [
      {
        colour: { label: 'Colour', type: 'select', options: ['red'] },
        place: { label: 'Place', isRepeatable: true },
      },
    ],
    entities: [{ name: 'trip', label: 'Trip', isRepeatable: true, of: ['place'] }],
  });
  const [option] = await query<{ id: number }>(
    'select id from options where field_id = $1',
    built.fields['colour']!.id,
  );
  const [entity] = await query<{ id: number }>('select id from entities where form_id = $1', built.form.id);
  const into = (locale: string, [colour, red, place, trip]: readonly [string, string, string, string]) =>
    translate(use.database.dataSource, built, locale, [
      [{ fieldId: built.fields['colour']!.id }, 'label', colour],
      [{ optionId: option!.id }, 'label', red],
      [{ fieldId: built.fields['place']!.id }, 'label', place],
      [{ entityId: entity!.id }, 'label', trip],
    ]);
  await service.hearing(async () => {
    await into('de', ['Farbe', 'rot', 'Ort', 'Reise']);
    await into('ar', ['اللون', 'أحمر', 'المكان', 'الرحلة']);
  });
  return built;
}

/** Completes a submission in this language. */
async function answer({ form }: BuiltForm, locale: string | null): Promise<void> {
  const { client } = await newUser({ database: use.database, service });
  const draft = { client, ...(await createDraft(client, { form } as BuiltForm)) };
  await client.patch(draft.path, { locale });
  await store(draft, { colour: 'red' });
  await store(draft, { place: 'Oslo' }, await addRecord(draft, 'trip'));
  expect((await complete(draft)).status).toBe(200);
}

const run = ({ form }: BuiltForm, ...words: string[]) =>
  use.run(['submissions', 'export', '--form', form.slug, ...words]);
const tableOf = (stdout: string) =>
  stdout
    .trim()
    .split('\r\n')
    .map((line) => line.replace(/^([^,]*,){12}/, '').replace(/\d+/, 'ID'));

describe('an export of a form in several languages (L7)', () => {
  it('has labels in the language that it names, and the language of each submission', async () => {
    const built = await multilingual();
    await answer(built, 'de-AT');
    const csv = ['--format', 'csv', '--labels'];
    const english = ['entity,entity_record_id,Colour,Place', 'Trip,ID,red,Oslo'];
    expect(tableOf((await run(built, ...csv)).stdout)).toEqual(english);
    expect(tableOf((await run(built, ...csv, '--locale', 'fr')).stdout)).toEqual(english);
    expect(tableOf((await run(built, ...csv, '--locale', 'DE-ch')).stdout)).toEqual([
      ...['entity,entity_record_id,Farbe,Ort', 'Reise,ID,rot,Oslo'],
    ]);
    expect(JSON.parse((await run(built)).stdout)).toMatchObject({ locale: 'de-AT' });
    expect((await run(built, '--format', 'csv')).stdout).toContain(',de-AT,');
  });

  it('shows each submission in its own language with --as-shown, as it was', async () => {
    const built = await multilingual();
    await answer(built, 'de-AT');
    await answer(built, 'ar');
    await answer(built, null);
    await service.hearing(async () => {
      await query(
        `update translations set text = 'Neue Farbe' where form_id = $1 and text = 'Farbe'`,
        built.form.id,
      );
      await query(`delete from translations where form_id = $1 and locale = 'ar'`, built.form.id);
    });
    const shown = async (...words: string[]) =>
      (await run(built, '--as-shown', ...words)).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).values.map(({ label, shown }: any) => `${label}: ${shown}`));
    expect(await shown()).toEqual([
      ['Farbe: rot', 'Ort: Oslo'],
      ['اللون: أحمر', 'المكان: Oslo'],
      ['Colour: red', 'Place: Oslo'],
    ]);
    expect(await shown('--locale', 'ar')).toEqual(Array(3).fill(['اللون: أحمر', 'المكان: Oslo']));
    const table = await run(built, '--as-shown', '--format', 'csv', '--locale', 'de');
    expect(tableOf(table.stdout)[0]).toBe('entity,entity_record_id,Farbe,Ort');
  });

  it.each([
    [
      ['--locale', 'de'],
      '"--locale" is the language of labels. Add "--labels" or "--as-shown", or leave it out.',
    ],
    [
      ['--as-shown', '--locale', 'de_AT'],
      '"--locale" needs a language tag such as de or pt-BR, but has "de_AT".',
    ],
  ])('is refused with %j', async (words, message) => {
    const built = await buildForm(use.database.dataSource);
    expect(await run(built, ...words)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });
});
