import type { Field, Mistake, MistakeCode } from 'formtrail-client';
import { loadLanguage, mainLanguage } from 'formtrail-session/languages';
import { English, type Language, type Sentence, sentences, type Subject } from 'formtrail-session/sentences';
import { Arabic } from 'formtrail-session/sentences/ar';
import { French } from 'formtrail-session/sentences/fr';
import { German, typesText } from 'formtrail-session/sentences/de';
import { Spanish } from 'formtrail-session/sentences/es';
import { allFieldErrors } from '../../../src/server/catalogue.js';

const TABLES: [name: string, tag: string, table: Language][] = [
  ['Arabic', 'ar', Arabic],
  ['French', 'fr', French],
  ['German', 'de', German],
  ['Spanish', 'es', Spanish],
];
const FIELD_ERRORS = allFieldErrors();

/** Params of each code, as the service sends them; others would be missing in a sentence. */
const VALUES: Record<string, unknown> = {
  ...{ accept: 'image/*, application/pdf', allowed: ['a', 'b'], value: 'a', example: '1234,5' },
  ...{ opens_at: '2031-01-05T14:30:00Z', closes_at: '2031-01-05T14:30:00Z', pattern: '[A-Z]' },
};
const paramsOf = (code: string): Record<string, unknown> => {
  const names = [...(FIELD_ERRORS[code] ?? []), ...(code === 'too_many_requests' ? ['seconds'] : [])];
  const value = code === 'too_large' ? 2 ** 21 : /^too_(?:early|late)$/.test(code) ? '2031-01-05' : 3;
  return Object.fromEntries(names.map((name) => [name, VALUES[name] ?? value]));
};

const fieldOf = (component: string, overrides: Partial<Field> = {}) =>
  ({
    ...{ code: 'x', label: 'Label', entity: null, options: [], rules: [], field_type: { component } },
    ...overrides,
  }) as unknown as Field;
const options = ['a', 'b'].map((value) => ({ value, label: `*Option* ${value}` })) as Field['options'];
const choice = fieldOf('radio-input', { options });

const textOf = (sentence: Sentence, params: Record<string, unknown>, subject: Subject): string =>
  typeof sentence === 'function' ? sentence(params, subject) : sentence;

/** One space between words, a full stop at the end, no parts of a program. */
const TEXT = /^[^ \n]+(?: [^ \n]+)*\.$/u;
const BROKEN = /undefined|null|NaN|\[object|\$\{|Infinity|_|#|\bfunction\b/;

describe.each(TABLES)('the %s sentences of formtrail-session', (_name, tag, table) => {
  const codes = Object.keys(English) as MistakeCode[];
  const say = sentences(table);

  it('are there for every code, and for no other', () => {
    const { label: _, ...own } = table;
    expect(Object.keys(own).sort()).toEqual([...codes].sort());
  });

  it.each(codes)('have words of their own, and no part of the program: %s', (code) => {
    const found: string[] = [];
    for (const subject of [
      {},
      { field: choice },
      { field: choice, file: { name: 'cat.jpg' } },
      { field: choice, upload: { name: 'cat.jpg' } },
    ] as Subject[])
      for (const count of [0, 1, 2, 3, 11, 100, 1_000]) {
        const params = Object.fromEntries(
          Object.entries(paramsOf(code)).map(([name, value]) => [name, value === 3 ? count : value]),
        );
        const [text, english] = [table, English].map((one) => textOf(one[code], params, subject));
        expect(text).toMatch(TEXT);
        expect(text).not.toMatch(BROKEN);
        expect(text).not.toBe(english);
        found.push(text!);
        // English names the file or the option in these cases.
        for (const name of ['cat.jpg', 'Option a'])
          expect([code, text!.includes(name)]).toEqual([code, english!.includes(name)]);
      }
    // Each number of the English sentence is in this one too.
    const english = textOf(English[code], paramsOf(code), {});
    if (/\b3\b/.test(english)) expect(found.some((text) => /\b3\b/.test(text))).toBe(true);
  });

  it.each([
    ...(['above_maximum', 'below_minimum', 'equal_to', 'not_equal_to'] as const),
    ...(['sum_above_maximum', 'sum_below_minimum', 'too_early', 'too_late'] as const),
  ])('name the question that a rule compares with: %s', (code) => {
    const params = { ...paramsOf(code), label: '*Label* 1' };
    const [text, without] = [params, paramsOf(code)].map((given) => textOf(table[code], given, {}));
    expect(text).toContain('Label 1');
    expect(text).toMatch(TEXT);
    expect(text).not.toMatch(/\*/);
    expect(text).not.toMatch(BROKEN);
    expect(text).not.toBe(without);
    expect(without).toMatch(TEXT);
  });

  it('ask for each kind of answer with another sentence, for all components', () => {
    const fields = [
      ...['file-input', 'date-input', 'number-input', 'email-input', 'text-input'].map((one) => fieldOf(one)),
      ...[choice, fieldOf('checkbox-input', { options }), fieldOf('checkbox-input')],
      undefined,
    ];
    const texts = fields.map((field) => textOf(table.required, {}, { field }));
    expect(new Set(texts).size).toBe(fields.length);
    for (const text of texts) expect(text).toMatch(TEXT);
    const others = ['textarea-input', 'colour-wheel', 'heading-display'].map((one) => fieldOf(one));
    for (const field of others) expect(textOf(table.required, {}, { field })).toBe(texts[4]);
  });

  it('have only the letters and the signs of the language', () => {
    const all = codes.flatMap((code) =>
      [{}, { upload: { name: '1' } }].map((subject) => textOf(table[code], paramsOf(code), subject)),
    );
    for (const text of all) {
      const own = text.replaceAll(/\S+@example\.org|PDF|Mo\b|\p{Cf}/gu, '');
      // Straight quotation marks, three full stops, and spaces that may break before a sign.
      expect(own).not.toMatch(/["']|\.\.| [:;?!»]|« /);
      if (tag === 'ar') expect(own).not.toMatch(/[,;?]|[A-Za-z]/);
      else expect(own).toMatch(/^[\p{Script=Latin}\p{N}\p{P}\p{Zs}]+$/u);
    }
  });

  it('are loaded for a tag with script and region', async () => {
    expect(await loadLanguage(tag)).toBe(table);
    expect(await loadLanguage(`${tag.toUpperCase()}-Latn-AT-x-own`)).toBe(table);
    expect(await loadLanguage(`${tag}_AT`)).toBe(table);
  });

  it('follow the label in a list, and have no word of the program in a wait', () => {
    const required: Mistake = { field: 'x', code: 'required', params: {}, detail: 'The x is required.' };
    const sentence = textOf(table.required, {}, { field: choice });
    expect(say.labelled(required, { field: choice })).toMatch(new RegExp(`Label.*:.* ${sentence}$`));
    const asked = fieldOf('radio-input', { options, label: 'Which?' });
    expect(say.labelled(required, { field: asked })).not.toContain(':');
    for (const seconds of [1, 2, 20, 91, 5_401, undefined])
      expect(textOf(table.too_many_requests, { seconds }, {})).toMatch(TEXT);
  });
});

describe('the languages of formtrail-session', () => {
  it.each(['en', 'en-GB', 'nl', '', 'x-de', 'dev', 'constructor', 'not a language'])(
    'are English for "%s"',
    async (tag) => expect(await loadLanguage(tag)).toBe(English),
  );

  it('have a main part', () => {
    expect(['de', 'de-AT', 'DE_at', 'zh-Hant-TW', ''].map(mainLanguage)).toEqual([
      ...['de', 'de', 'de', 'zh', ''],
    ]);
  });

  const say = (
    table: Language,
    code: Exclude<keyof Language, 'label'>,
    params: Mistake['params'],
    subject: Subject = {},
  ) => textOf(table[code], params, subject);

  it('have plural forms', () => {
    expect([0, 1, 2].map((max) => say(French, 'too_many_files', { max }))).toEqual(
      ['0 fichier', '1 fichier', '2 fichiers'].map((files) => `Il peut y avoir au maximum ${files} ici.`),
    );
    const counts = [1, 2, 3, 11, 100].map((max) => say(Arabic, 'too_many_files', { max }));
    expect(counts.map((text) => /من (.*) هنا/.exec(text)?.[1])).toEqual([
      ...['ملف واحد', 'ملفين', '3 ملفات', '11 ملفًا', '100 ملف'],
    ]);
    expect(say(German, 'too_many_records', { max: 1 })).toBe('Hier ist höchstens 1 Eintrag möglich.');
    expect(say(Spanish, 'too_many_records', { max: 2 })).toBe('Aquí puede haber como máximo 2 entradas.');
  });

  it('have dates, sizes, numbers and waits of the language', () => {
    expect(say(German, 'too_early', { min: '2031-01-05' })).toBe(
      'Geben Sie den 5. Januar 2031 oder ein späteres Datum ein.',
    );
    // No signs between groups of digits, because number inputs take none.
    expect(say(German, 'above_maximum', { max: '12345678901234567890.25' })).toBe(
      'Geben Sie eine Zahl ein, die höchstens 12345678901234567890,25 ist.',
    );
    expect(say(German, 'too_long', { max: 10_000 })).toContain('10.000 Zeichen');
    const upload = { name: 'a.pdf' };
    expect(say(French, 'too_large', { max: 2.5 * 2 ** 20 }, { upload })).toBe(
      'Le fichier a.pdf est trop volumineux. La taille maximale est de 2,5\u202fMo.',
    );
    expect(say(Arabic, 'too_many_requests', { seconds: 120 })).toContain('بعد دقيقتين.');
    expect(typesText('.pdf, image/*,.docx,text/plain')).toBe('PDF, Bilder, DOCX, Textdateien');
  });

  it('isolate names in Arabic, and have a narrow space before a colon in French', () => {
    expect(say(Arabic, 'already_stored', {}, { upload: { name: 'a.pdf' } })).toBe(
      'الملف \u2068a.pdf\u2069 مرفوع بالفعل.',
    );
    const error: Mistake = { field: 'x', code: 'not_an_option', params: {}, detail: '' };
    expect(sentences(French).labelled(error, { field: choice })).toBe(
      'Label\u202f: Choisissez l’une des options.',
    );
    expect(sentences(Arabic).labelled(error, { field: choice })).toMatch(/^\u2068Label\u2069: /);
  });
});
