import stringWidth from 'string-width';
import { printable } from '../process/printable.js';

/** Aligns columns by the width in a terminal. Escapes control characters, which could move the cursor. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => stringWidth(row[column] ?? ''))),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - stringWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
