/** Limits of a sheet in Excel, which drops or cuts everything beyond them without an error. */
const MAX_ROWS = 1_048_576;
const MAX_CELL = 32_767;

/** Remembers what Excel cannot hold of the rows that it sees. */
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
