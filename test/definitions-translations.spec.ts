import { exportForm } from '../src/capabilities/definitions/export-form.js';
import { importForms } from '../src/capabilities/definitions/import-forms.js';
import type { DefinitionError } from '../src/capabilities/definitions/definition-error.js';
import { useDatabase } from './support/test-database.js';

/** Definitions with texts in further languages (L1, L5). */

const database = useDatabase();

const importDefinition = async (form: object) => {
  const files = [{ name: 'form.json', text: JSON.stringify(form) }];
  const { forms } = await importForms(database.dataSource, files);
  return forms[0]!;
};
const exported = async (slug: string): Promise<any> => exportForm(database.dataSource, slug);

/** The ids and texts of all translations of a form. */
const rowsOf = (slug: string) =>
  database.dataSource.query<{ id: number; text: string }[]>(
    `select translations.*, version, locales from translations join forms on forms.id = form_id where slug = $1 order by translations.id`,
    [slug],
  );

let slugs = 0;

function definition(): any {
  slugs += 1;
  const step = (step_number: number, code: string, number: string) => ({
    step_number,
    title: `Step ${step_number}`,
    translations: { de: { title: `Schritt ${number}` } },
    fields: [
      { code, label: code, field_type: { name: 'text' }, translations: { de: { label: `Feld ${number}` } } },
    ],
  });
  return {
    name: 'Order',
    slug: `translated-${slugs}`,
    locale: 'en',
    translations: { de: { name: 'Bestellung' }, fr: { name: 'Commande' } },
    entities: [{ name: 'item', label: 'Item', translations: { de: { label: 'Posten' } } }],
    steps: [
      {
        ...step(1, 'first', 'eins'),
        fields: [
          {
            code: 'colour',
            label: 'Colour',
            placeholder: 'Any',
            field_type: { name: 'select' },
            translations: { de: { label: 'Farbe', placeholder: 'Beliebig' }, fr: { label: 'Couleur' } },
            options: [
              { label: 'Red', value: 'red', translations: { de: { label: 'Rot' }, fr: { label: 'Rouge' } } },
              { label: 'Blue', value: 'blue', translations: { de: { label: 'Blau' } } },
            ],
            rules: [
              {
                kind: 'min_length',
                value: '1',
                message: 'Short.',
                translations: { de: { message: 'Kurz.' } },
              },
              { kind: 'max_length', value: '9', message: 'Long.' },
            ],
          },
        ],
      },
      step(2, 'second', 'zwei'),
      step(3, 'third', 'drei'),
    ],
  };
}

const fieldOf = (form: any) => form.steps[0].fields[0];

describe('a definition with translations', () => {
  it('is exported as it was imported, sorted by language, and changes nothing then (L1, F8)', async () => {
    const form = definition();
    form.translations = { fr: form.translations.fr, DE: form.translations.de };
    const { slug } = await importDefinition(form);
    const after = await exported(slug);
    expect(Object.entries(after.translations)).toEqual([
      ['de', { name: 'Bestellung' }],
      ['fr', { name: 'Commande' }],
    ]);
    expect(fieldOf(after)).toMatchObject(fieldOf(form));
    expect(after.entities).toMatchObject(form.entities);
    const before = await rowsOf(slug);
    expect(before).toHaveLength(15);
    expect(before[0]).toMatchObject({ version: 1, locales: ['de', 'fr'] });

    expect(await importDefinition(after)).toMatchObject({ change: 'unchanged', version: 1 });
    expect(await importDefinition(form)).toMatchObject({ change: 'unchanged' });
    expect(await rowsOf(slug)).toEqual(before);
  });

  it('is exported without these keys if the form says no language and has no translations', async () => {
    const { slug } = await importDefinition({
      name: 'Plain',
      slug: 'plain-language',
      locale: null,
      steps: [],
    });
    expect(Object.keys(await exported(slug))).not.toEqual(expect.arrayContaining(['locale']));
    expect(Object.keys(await exported(slug))).not.toEqual(expect.arrayContaining(['translations']));
  });

  it.each<[string, (form: any) => unknown]>([
    ['another text', (form) => (fieldOf(form).translations.de.label = 'Farbton')],
    ['another language', (form) => (fieldOf(form).options[1].translations.es = { label: 'Azul' })],
    ['no text of a language', (form) => delete fieldOf(form).translations.fr],
    ['no translations', (form) => delete form.translations],
    ['another value of a translated option', (form) => (fieldOf(form).options[0].value = 'crimson')],
    [
      'another kind of a translated rule',
      (form) => ((fieldOf(form).rules[0].kind = 'max_length'), fieldOf(form).rules.pop()),
    ],
    ['another name of a translated entity', (form) => (form.entities[0].name = 'line')],
    ['another code of a translated field', (form) => (fieldOf(form).code = 'tint')],
    [
      'a translated field in another step',
      (form) => form.steps[1].fields.unshift(form.steps[0].fields.pop()),
    ],
    ['a retired translated field', (form) => (fieldOf(form).retired = true)],
    ['one step less', (form) => form.steps.splice(1, 1)],
    [
      'steps in another order',
      ({ steps }) => ([steps[0].step_number, steps[1].step_number, steps[2].step_number] = [3, 1, 2]),
    ],
    [
      'a new translated step before the others',
      (form) => {
        form.steps.forEach((step: any, index: number) => (step.step_number = index + 2));
        form.steps.push({
          step_number: 1,
          ...{ title: 'New', description: '', is_visible: true, meta: null, conditions: [], fields: [] },
          translations: { de: { title: 'Neu' } },
        });
      },
    ],
    ['another language of its own', (form) => (form.locale = 'en-GB')],
    ['no language of its own', (form) => delete form.locale],
    [
      'its languages exchanged',
      (form) => {
        form.locale = 'de';
        form.name = 'Bestellung';
        form.translations = { en: { name: 'Order' } };
        for (const part of [
          ...form.entities,
          ...form.steps,
          ...form.steps.flatMap(({ fields }: any) => fields),
        ])
          delete part.translations;
        for (const part of [...fieldOf(form).options, ...fieldOf(form).rules]) delete part.translations;
      },
    ],
    ['only a name and a slug', (form) => (form.entities = form.steps = [])],
    [
      'texts that the form lacks',
      (form) => {
        form.steps[1].translations.fr = { description: 'Sans original' };
        fieldOf(form).rules[1].message = null;
        fieldOf(form).rules[1].translations = { fr: { message: 'Court.' } };
      },
    ],
  ])('gives the form %s, and increases its version by exactly one (L1, F8)', async (_, change) => {
    const { slug } = await importDefinition(definition());
    const wanted = await exported(slug);
    change(wanted);

    expect(await importDefinition(wanted)).toMatchObject({ change: 'changed', version: 2 });

    const after = await exported(slug);
    const byNumber = (form: any) => ({
      ...form,
      steps: form.steps.toSorted((one: any, other: any) => one.step_number - other.step_number),
    });
    expect(byNumber(after)).toEqual(byNumber(wanted));
    expect(await importDefinition(wanted)).toMatchObject({ change: 'unchanged' });
  });

  it('keeps the rows of translations that stay the same', async () => {
    const { slug } = await importDefinition(definition());
    const before = await rowsOf(slug);
    const wanted = await exported(slug);
    fieldOf(wanted).translations.de.label = 'Farbton';
    await importDefinition(wanted);
    const after = await rowsOf(slug);
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(after.filter(({ text }, index) => text !== before[index]?.text)).toMatchObject([
      { text: 'Farbton' },
    ]);
  });
});

describe('a definition with bad translations', () => {
  const mistakesOf = (change: (form: any) => unknown) => {
    const form = definition();
    change(form);
    return importDefinition(form).then(
      () => [],
      (error: unknown) =>
        (error as DefinitionError).mistakes.map(({ path, message }) => `${path}: ${message}`),
    );
  };
  const EMPTY = 'must be a text that is not empty (remove the key to have no translation), but has 0';
  const TAG = 'must be a language tag of at most 35 characters, such as en or zh-Hant-TW, but is';

  it.each<[string, (form: any) => unknown, string[]]>([
    ['no tag', (form) => (form.translations.de_DE = { name: 'a' }), [`translations.de_DE: ${TAG} "de_DE"`]],
    [
      'a tag of no language',
      (form) => (fieldOf(form).translations['a~/b'] = {}),
      [`steps[0].fields[0].translations["a~/b"]: ${TAG} "a~/b"`],
    ],
    [
      'a long tag',
      (form) => (form.locale = `de-x-${'abcdefgh-'.repeat(4)}a`),
      [`locale: ${TAG.replace(/ but is$/, ' but has 42')}`.replace(' has 42', ' has 42')],
    ],
    [
      'no text',
      (form) => (form.steps[0].fields[0].options[0].translations.de.label = ''),
      [`steps[0].fields[0].options[0].translations.de.label: ${EMPTY}`],
    ],
    [
      'a long title',
      (form) => (form.steps[0].translations.de.title = 'é'.repeat(256)),
      [
        'steps[0].translations.de.title: must be a text of 1 to 255 characters (remove the key to have no translation), but has 256',
      ],
    ],
    [
      'an unknown key',
      (form) => (form.entities[0].translations.de.name = 'a'),
      ['entities[0].translations.de.name: is not a known key; the keys here are label'],
    ],
    ['no object', (form) => (form.translations = 'de'), ['translations: must be an object, but is "de"']],
    [
      'U+0000',
      (form) => (form.translations.de.name = '\0'),
      ['translations.de.name: contains the character U+0000, which cannot be stored'],
    ],
    [
      'the language of the form',
      (form) => (form.steps[1].translations.EN = { title: 'a' }),
      [
        'steps[1].translations.EN: is the language of the form itself (locale), "en"; change the text beside it, and remove this translation',
      ],
    ],
    [
      'a language twice',
      (form) => (form.translations['DE'] = { name: 'a' }),
      ['translations.DE: must be unique, but "de" is there in other letter case too'],
    ],
  ])('is refused with %s (L1)', async (_, change, expected) => {
    expect(await mistakesOf(change)).toEqual(expected);
  });
});
