import { stringify } from 'csv-stringify/sync';

/**
 * A sign that begins a formula, in full width too, at the start of a cell or of what a spreadsheet of another locale
 * makes a cell of its own: it may split at semicolons, tabs and line breaks, and takes quotes in between for its own.
 */
const FORMULA = /(?:^|[;\t\r\n])(?:[^\S\t\r\n]|")*(?=[=+\-@＝＋－＠])/g;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** Records of RFC 4180. What could be taken for a formula gets an apostrophe before its sign, but for cells that are a number. */
export function csvRecords(records: readonly (readonly string[])[]): string {
  return stringify([...records], {
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    // Its own escape_formulas looks at the first character only, and at numbers too.
    cast: { string: (text) => (NUMBER.test(text) ? text : text.replace(FORMULA, "$&'")) },
  });
}

/** JSON for a cell. The semicolon before what could be taken for a formula is escaped, so that the JSON stays exact. */
export function jsonCell(value: unknown): string {
  return JSON.stringify(value).replace(FORMULA, (start) => start.replace(';', '\\u003b'));
}

/** Limits of a sheet in Excel. It drops or cuts everything beyond them without an error. */
const MAX_ROWS = 1_048_576;
const MAX_CELL = 32_767;

/** Counts the rows and cells that exceed the limits of Excel. */
export function excelLimits(header: readonly string[]) {
  let rows = 1;
  let longCells = 0;
  let first = '';
  return {
    see(record: readonly string[]) {
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
            `${longCells === 1 ? '1 cell is' : `${longCells} cells are`} longer than the ${MAX_CELL} characters that Excel keeps, the first in ${first}.`,
          ]
        : []),
    ],
  };
}
