import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { useCommandLine } from './support/command-line.js';

/** Files for translators (L5). */

const use = useCommandLine();
const { run } = use;
const translations = (...words: string[]) => run(['forms', 'translations', ...words]);

async function ok(words: string[], input = ''): Promise<string> {
  const { status, stdout, stderr } = await run(words, {}, input);
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining('rror') });
  return stdout;
}
const definitionOf = async (slug: string): Promise<any> => JSON.parse(await ok(['forms', 'export', slug]));

let slugs = 0;
async function newForm(changes: object = {}): Promise<string> {
  slugs += 1;
  const form = {
    ...{
      name: 'Order',
      slug: `for-translators-${slugs}`,
      locale: 'en',
      translations: { fr: { name: 'Commande' } },
    },
    entities: [{ name: 'the item', label: 'Item' }],
    steps: [
      {
        ...{ step_number: 2, title: 'What <b>you</b> & we', description: '- one\n- two' },
        fields: [
          {
            ...{ code: 'colour', label: '=Colour', field_type: { name: 'select' } },
            options: [
              { label: 'Dark red', value: 'dark.red,\u0001', translations: { de: { label: 'Dunkelrot' } } },
            ],
            rules: [{ kind: 'max_length', value: '20', message: 'Too\u0002 long' }],
          },
          { code: 'old', label: 'Old', field_type: { name: 'text' }, retired: true },
        ],
      },
    ],
    ...changes,
  };
  await ok(['forms', 'import', '-'], JSON.stringify(form));
  return form.slug;
}

/** Fills in each text without a translation. */
const fill = (xliff: string) =>
  xliff.replace(
    /<segment>(\s*)<source xml:space="preserve">(.*?)<\/source>/gs,
    (_, space: string, text: string) =>
      `<segment>${space}<source xml:space="preserve">${text}</source><target>de ${text}</target>`,
  );

async function importFile(slug: string, text: string, ...words: string[]) {
  await writeFile(path.join(use.directory, 'order.xlf'), text);
  return translations('import', slug, 'order.xlf', ...words);
}

describe('forms translations', () => {
  it('exports XLIFF, and imports what translators filled in (L5)', async () => {
    const slug = await newForm();
    const file = await ok(['forms', 'translations', 'export', slug, '--locale', 'DE']);
    expect([...file.matchAll(/<unit id="(.*?)"/g)].map(([, id]) => id)).toEqual([
      ...['form.name', 'steps.2.title', 'steps.2.description', 'fields.colour.label'],
      ...['fields.colour.options.dark:2Ered:2C:01.label', 'fields.colour.rules.max_length.message'],
      'entities.the:20item.label',
    ]);
    expect(file).toContain('The title of step 2. At most 255 characters.');
    expect(file).toContain('<target xml:space="preserve">Dunkelrot</target>');

    expect(await importFile(slug, file)).toMatchObject({
      status: 0,
      stdout: `${slug}, version 1, de: 0 translations written, 0 removed, 7 unchanged. 6 texts without a translation.\n`,
    });
    expect(await importFile(slug, fill(file), '--json')).toMatchObject({ status: 0 });
    const { steps, entities, translations: own } = await definitionOf(slug);
    expect(own).toEqual({ de: { name: 'de Order' }, fr: { name: 'Commande' } });
    expect(steps[0].translations.de).toEqual({
      title: 'de What <b>you</b> & we',
      description: 'de - one\n- two',
    });
    expect(steps[0].fields[0].rules[0].translations.de).toEqual({ message: 'de Too\u0002 long' });
    expect(entities[0].translations.de).toEqual({ label: 'de Item' });
    const [entry] = await use.database.dataSource.query<[{ detail: object }]>(
      `select detail from audit_log where subject = $1 order by id desc limit 1`,
      [`form:${slug}`],
    );
    expect(entry.detail).toMatchObject({ locale: 'de', change: 'changed', version: 2 });
  });

  it('exports CSV, and an empty cell removes the translation (L5)', async () => {
    const slug = await newForm();
    const file = await ok(['forms', 'translations', 'export', slug, '--locale', 'de', '--format', 'csv']);
    expect(file).toMatch(/^\uFEFF"id","note","en","de"\r\n"form.name",/);
    expect(file).toContain(`"'=Colour",""`);
    const filled = file.replace(`"'=Colour",""`, `"'=Colour","'=Farbe"`).replace('"Dunkelrot"', '""');
    expect(await importFile(slug, filled, '--locale', 'de')).toMatchObject({
      stdout: expect.stringContaining('1 translation written, 1 removed, 5 unchanged. 6 texts without'),
    });
    const [{ fields }] = (await definitionOf(slug)).steps;
    expect(fields[0].translations).toEqual({ de: { label: '=Farbe' } });
    expect(fields[0].options[0].translations).toBeUndefined();
  });

  it('reports every mistake in a file with its line, and changes nothing then (L5)', async () => {
    const slug = await newForm();
    const file = fill(await ok(['forms', 'translations', 'export', slug, '--locale', 'de']));
    const unit = (id: string) => new RegExp(`    <unit id="${id}">.*?</unit>\n`, 's').exec(file)?.[0] ?? '';
    const lineOf = (text: string, part: string) => text.slice(0, text.lastIndexOf(part)).split('\n').length;
    const bad = file
      .replace('>=Colour</source>', '>Color</source>')
      .replace('>de Order</target>', `>${'x'.repeat(256)}</target>`)
      .replace(
        '</file>',
        `${unit('steps.2.title')}${unit('form.name').replace('form.name', 'fields.gone.label')}</file>`,
      );
    const { status, stderr } = await importFile(slug, bad);
    expect(status).toBe(1);
    const at = (id: string) => `order.xlf: line ${lineOf(bad, `<unit id="${id}"`)}: has `;
    expect(stderr.split('\n  ')).toEqual([
      'formtrail: Nothing was imported, because of 4 errors:',
      expect.stringContaining(`${at('form.name')}a translation of "form.name" with 256 characters`),
      expect.stringMatching(/line \d+: translates another version of the text "fields.colour.label"/),
      expect.stringContaining(`${at('steps.2.title')}the text "steps.2.title" again`),
      expect.stringContaining(
        `${at('fields.gone.label')}the text "fields.gone.label", which the form does not have`,
      ),
    ]);
    expect((await definitionOf(slug)).translations).toEqual({ fr: { name: 'Commande' } });
  });

  it.each<[string, (file: string) => string, string[], RegExp]>([
    ['another language than --locale', (file) => file, ['--locale', 'fr'], /into de, not into fr/],
    [
      'another form',
      (file) => file.replace(/original="[^"]*"/, 'original="other"'),
      [],
      /texts of the form "other"/,
    ],
    ['another language of its own', (file) => file.replace('srcLang="en"', 'srcLang="es"'), [], /from "es"/],
    [
      'a tag that is none',
      (file) => file.replace('trgLang="de"', 'trgLang="de_DE"'),
      [],
      /"de_DE", which must be a tag/,
    ],
    [
      'the language of the form',
      (file) => file.replace('trgLang="de"', 'trgLang="en"'),
      [],
      /are in en already/,
    ],
    ['a DOCTYPE', (file) => file.replace('<xliff', '<!DOCTYPE xliff><xliff'), [], /line 2: has a DOCTYPE/],
    ['nothing', () => '', [], /line 1: must be XLIFF 2.0, or CSV/],
  ])('refuses a file of %s', async (_, change, words, message) => {
    const slug = await newForm();
    const file = await ok(['forms', 'translations', 'export', slug, '--locale', 'de']);
    expect(await importFile(slug, change(fill(file)), ...words)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(message),
    });
    expect((await definitionOf(slug)).translations).toEqual({ fr: { name: 'Commande' } });
  });

  it('refuses a form that does not say its language, and says what to do', async () => {
    const slug = await newForm({ locale: null });
    for (const words of [
      ['export', slug, '--locale', 'de'],
      ['export', slug, '--locale', 'en_US'],
      ['export', 'none', '--locale', 'de'],
    ])
      expect(await translations(...words)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(
          /Set "locale" in its definition|must be a language tag|no form with the slug/,
        ),
      });
  });
});
