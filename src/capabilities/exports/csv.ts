import { stringify } from 'csv-stringify/sync';
import { isDecimal } from '../../conditions/engine/index.js';

/**
 * Matches the text before a sign that begins a formula, at the start of a cell. The signs include full-width
 * signs. In some locales a spreadsheet also splits a cell at semicolons, tabs and line breaks, and
 * interprets quotes after a split.
 */
const FORMULA = /(?:^|[;\t\r\n])(?:[^\S\t\r\n]|")*(?=[=+\-@＝＋－＠])/g;

/** Inserts an apostrophe before the sign of a possible formula, except in a cell that is a number (C4, X2). */
const guarded = (text: string) => (isDecimal(text) ? text : text.replace(FORMULA, "$&'"));

/** Writes records of RFC 4180 whose cells a spreadsheet does not execute. */
export function csvRecords(records: readonly (readonly string[])[]): string {
  return stringify([...records], {
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    // The library's escape_formulas checks only the first character, and escapes numbers too.
    cast: { string: guarded },
  });
}

/** Writes JSON for a cell. Escapes the semicolon before a possible formula, which does not change the meaning of the JSON. */
export function jsonCell(value: unknown): string {
  return JSON.stringify(value).replace(FORMULA, (start) => start.replace(';', '\\u003b'));
}

/** Limits of an Excel sheet. Excel drops or truncates everything beyond them without an error. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const MAX_CELL = 32_767;

/** A guard at most doubles the length of a cell, so short cells need no second guard. */
const isTooLong = (cell: string) => cell.length > MAX_CELL / 2 && guarded(cell).length > MAX_CELL;

/** Counts the rows, columns and cells that exceed the limits of Excel. */
export function excelLimits(header: readonly string[]) {
  let rows = 1;
  const longNames = header.flatMap((name, column) => (isTooLong(name) ? [column + 1] : []));
  let longCells = longNames.length;
  let first = longCells === 0 ? '' : `the name of column ${longNames[0]}`;
  return {
    count(record: readonly string[]) {
      rows += 1;
      for (const [column, cell] of record.entries()) {
        if (!isTooLong(cell)) continue;
        if (longCells === 0) first = `"${header[column]}" of the submission ${record[0]}`;
        longCells += 1;
      }
    },
    warnings: () => [
      ...(rows > MAX_ROWS
        ? [`The table has ${rows} rows. A sheet of Excel shows the first ${MAX_ROWS}.`]
        : []),
      ...(header.length > MAX_COLUMNS
        ? [`The table has ${header.length} columns. A sheet of Excel shows the first ${MAX_COLUMNS}.`]
        : []),
      ...(longCells > 0
        ? [
            `${longCells === 1 ? '1 cell is' : `${longCells} cells are`} longer than the ${MAX_CELL} characters that Excel can hold, the first in ${first}.`,
          ]
        : []),
    ],
  };
}
