import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type { FormInLanguages } from './form-texts.js';
import { type FileUnit, MAX_UNITS, type TranslationFile, UnreadableFile } from './translation-file.js';

/**
 * Matches what comes before a sign with which a spreadsheet begins a formula, and apostrophes before it. A spreadsheet may also split a cell
 * at semicolons, tabs and line breaks.
 */
const BEFORE = String.raw`(?:^|[;\t\r\n])(?:[^\S\t\r\n]|")*`;
const UNGUARDED = new RegExp(`${BEFORE}(?='*[=+\\-@＝＋－＠])|^(?='*[\\t\\r])`, 'g');
const GUARDED = new RegExp(`(${BEFORE})'(?='*[=+\\-@＝＋－＠])|^'(?='*[\\t\\r])`, 'g');

const guard = (text: string) => text.replace(UNGUARDED, "$&'");
const unguard = (text: string) => text.replace(GUARDED, '$1');

const HEADER = ['id', 'note'];

/** Writes CSV (RFC 4180) in UTF-8 with a byte order mark, for spreadsheets. The header names both languages. */
export function writeCsv({ locale, units }: FormInLanguages, target: string): string {
  const rows = units.map(({ id, note, source, target }) => [id, note, source, target ?? ''].map(guard));
  const text = stringify([[...HEADER, locale, target], ...rows], {
    record_delimiter: 'windows',
    quoted: true,
    quoted_empty: true,
  });
  return `\uFEFF${text}`;
}

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Reads what {@link writeCsv} wrote and a spreadsheet saved, also with semicolons or tabs between cells.
 *
 * @throws UnreadableFile
 */
export function readCsv(text: string): TranslationFile {
  const [, delimiter = ','] = /^"?id"?([,;\t])/.exec(text) ?? [];
  const [header, ...rows] = parseRows(text, delimiter);
  const [id, note, sourceLocale = '', locale = ''] = header?.record ?? [];
  if (header?.record.length !== 4 || id !== HEADER[0] || note !== HEADER[1] || locale === '')
    throw new UnreadableFile({
      line: 1,
      message:
        'must be XLIFF 2.0, or CSV that begins with "id","note" and two languages, as "forms translations export" writes it',
    });
  if (rows.length > MAX_UNITS)
    throw new UnreadableFile({ message: `has more than ${MAX_UNITS} rows; no form has so many texts` });
  let line = header.info.lines + 1;
  const units: FileUnit[] = [];
  for (const { record, info } of rows) {
    const [id = '', , source = '', target = ''] = record;
    const isEmpty = record.length === 1 && id === '';
    if (record.length !== 4 && !isEmpty)
      throw new UnreadableFile({
        line,
        message: `has ${record.length} cells, but must have 4; quote cells with a comma`,
      });
    if (!isEmpty) units.push({ id, line, source: unguard(source), target: unguard(target) });
    line = info.lines + 1;
  }
  return { sourceLocale, locale, units };
}

function parseRows(text: string, delimiter: string): Row[] {
  try {
    return parse(text, { delimiter, info: true, relax_column_count: true }) as unknown as Row[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines, message } = error as CsvError & { readonly lines?: number };
    throw new UnreadableFile({ line: lines, message: `is not CSV: ${message}` });
  }
}
