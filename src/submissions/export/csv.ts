import { stringify } from 'csv-stringify/sync';

/**
 * Matches the text before a sign that begins a formula, at the start of a cell. The signs include full-width
 * signs. In some locales a spreadsheet also splits a cell at semicolons, tabs and line breaks, and
 * interprets quotes after a split.
 */
const FORMULA = /(?:^|[;\t\r\n])(?:[^\S\t\r\n]|")*(?=[=+\-@＝＋－＠])/g;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** Writes records of RFC 4180. Inserts an apostrophe before the sign of a possible formula, except in a cell that is a number. */
export function csvRecords(records: readonly (readonly string[])[]): string {
  return stringify([...records], {
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    // The library's escape_formulas checks only the first character, and escapes numbers too.
    cast: { string: (text) => (NUMBER.test(text) ? text : text.replace(FORMULA, "$&'")) },
  });
}

/** Writes JSON for a cell. Escapes the semicolon before a possible formula, which does not change the meaning of the JSON. */
export function jsonCell(value: unknown): string {
  return JSON.stringify(value).replace(FORMULA, (start) => start.replace(';', '\\u003b'));
}

/** Limits of an Excel sheet. Excel drops or truncates everything beyond them without an error. */
const MAX_ROWS = 1_048_576;
const MAX_CELL = 32_767;

/** Counts the rows and cells that exceed the limits of Excel. */
export function excelLimits(header: readonly string[]) {
  let rows = 1;
  let longCells = 0;
  let first = '';
  return {
    count(record: readonly string[]) {
      rows += 1;
      for (const [column, cell] of record.entries()) {
        if (cell.length <= MAX_CELL) continue;
        if (longCells === 0) first = `"${header[column]}" of the submission ${record[0]}`;
        longCells += 1;
      }
    },
    warnings: () => [
      ...(rows > MAX_ROWS
        ? [`The table has ${rows} rows. A sheet of Excel shows the first ${MAX_ROWS}.`]
        : []),
      ...(longCells > 0
        ? [
            `${longCells === 1 ? '1 cell is' : `${longCells} cells are`} longer than the ${MAX_CELL} characters that Excel can hold, the first in ${first}.`,
          ]
        : []),
    ],
  };
}
