import fc from 'fast-check';
import type { FormInLanguages, Unit } from './form-texts.js';
import { readXliff } from './read-xliff.js';
import { readCsv, writeCsv } from './translation-csv.js';
import { UnreadableFile } from './translation-file.js';
import { writeXliff } from './write-xliff.js';

const formOf = (...texts: readonly (readonly [source: string, target?: string])[]): FormInLanguages => ({
  ...{ id: 1, slug: 'order', locale: 'en', locales: ['en'], schemaBytes: 0 },
  units: texts.map(([source, target], index): Unit => {
    const name = { step_number: index };
    return {
      id: `steps.${index}.title`,
      name,
      key: 'title',
      source,
      target,
      note: `The "title" & <more> ${source}`,
    };
  }),
});

const FORMATS = [
  ['XLIFF', writeXliff, readXliff],
  ['CSV', writeCsv, (text: string) => readCsv(text.replace(/^\uFEFF/, ''))],
] as const;

/** Texts with what formats treat specially. PostgreSQL stores neither U+0000 nor lone surrogates. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...('&<>"\';,=+-@＝\t\r\n \u0001\u000b\u001f\ufffe\uffff\u2028\u200f\u202e\ufeff😀é'.match(/./gsu) ??
          []),
      ),
      fc.constantFrom('\r\n', ']]>', '<b>', '&amp;', "'=", '<!--', '\u0085'),
      fc.string({ unit: 'binary', maxLength: 3 }).map((text) => text.replaceAll('\0', '')),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe.each(FORMATS)('%s', (name, write, read) => {
  it('keeps every text as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, anyText), { minLength: 1, maxLength: 4 }), (texts) => {
        const file = read(write(formOf(...texts), 'de'));
        expect(file).toMatchObject({ sourceLocale: 'en', locale: 'de' });
        expect(file.units.map(({ source, target }) => [source, target])).toEqual(texts);
      }),
      { numRuns: 300 },
    );
  });

  it('distinguishes a text without a translation from others', () => {
    const [unit] = read(write(formOf(['One']), 'de')).units;
    expect(unit?.target).toBe(name === 'CSV' ? '' : undefined);
  });

  it('knows the line of each text', () => {
    const text = write(formOf(['a\nb', 'c'], ['d', 'e\r\nf']), 'de');
    const lines = text.split('\n');
    for (const { id, line } of read(text).units) expect(lines[line - 1]).toContain(`"${id}"`);
  });
});

describe('CSV for spreadsheets', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['-5', "'-5"],
    ["'=1", "''=1"],
    ["it's", "it's"],
    ["'quoted'", "'quoted'"],
    ['\tx', "'\tx"],
    ['List:\n- one', "List:\n'- one"],
    ['a;=b', "a;'=b"],
    ['＝1', "'＝1"],
  ])('guards %j, and import removes exactly one guard', (text, guarded) => {
    const written = writeCsv(formOf(['a', text]), 'de');
    expect(written).toContain(`,"${guarded}"\r\n`);
    expect(readCsv(written.slice(1)).units[0]?.target).toBe(text);
  });

  it('is also read with semicolons and without quotes, as spreadsheets save it', () => {
    const { units } = readCsv('id;note;en;de\nform.name;The name.;Order;Bestellung\n');
    expect(units).toEqual([{ id: 'form.name', line: 2, source: 'Order', target: 'Bestellung' }]);
  });
});

const xliff = (inner: string, attributes = 'srcLang="en" trgLang="de"') =>
  `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" ${attributes}>\n<file id="f" original="order">\n${inner}</file></xliff>`;
const unit = (source: string) => `<unit id="a"><segment><source>${source}</source></segment></unit>`;

describe('a file that cannot be read', () => {
  const mistakeIn = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return error instanceof UnreadableFile ? error.mistake : error;
    }
    return undefined;
  };

  it.each<[string, string, number, RegExp]>([
    ['a DOCTYPE', `<!DOCTYPE xliff [<!ENTITY a "b">]>\n${xliff(unit('&a;'))}`, 1, /DOCTYPE/],
    ['an entity', xliff(unit('&nbsp;')), 3, /not XML/],
    ['no end', xliff(unit('a')).slice(0, -1), 3, /not XML/],
    ['XLIFF 1.2', '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"/>', 1, /not XLIFF 2.0/],
    ['no target language', xliff('', 'srcLang="en"'), 1, /trgLang/],
    ['an element in a text', xliff(unit('a<pc id="1">b</pc>')), 3, /<pc> in a text/],
    ['two segments', xliff('<unit id="a"><segment/>\n<segment/></unit>'), 4, /segments/],
    ['no character', xliff(unit('<cp hex="110000"/>')), 3, /no character/],
    ['deep nesting', xliff('<group>'.repeat(60)), 3, /nests/],
    ['another form within', xliff('</file><file id="g" original="other">'), 3, /another form/],
  ])('is XLIFF with %s, and its line is told', (_, text, line, message) => {
    expect(mistakeIn(() => readXliff(text))).toEqual({ line, message: expect.stringMatching(message) });
  });

  it.each<[string, string, number, RegExp]>([
    ['another header', 'a,b,c\n1,2,3\n', 1, /CSV that begins with/],
    ['a cell too many', 'id,note,en,de\n\n1,2,3,4\n1,2,3,4,5\n', 4, /must have 4/],
    ['an open quote', 'id,note,en,de\na,b,"c,d\n', 2, /not CSV/],
  ])('is CSV with %s, and its line is told', (_, text, line, message) => {
    expect(mistakeIn(() => readCsv(text))).toEqual({ line, message: expect.stringMatching(message) });
  });

  it('says nothing about marks of annotations, and ignores texts of modules', () => {
    const matches = '<mtc:matches xmlns:mtc="urn:m"><mtc:match><source>x</source></mtc:match></mtc:matches>';
    const text = xliff(
      unit('a <mrk id="m1">b</mrk><![CDATA[<c>]]>').replace('<segment>', `${matches}<segment>`),
    );
    expect(readXliff(text).units).toMatchObject([{ source: 'a b<c>', target: undefined }]);
  });
});
