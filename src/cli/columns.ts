import stringWidth from 'string-width';

/** Rows in columns aligned as terminals show them. Control characters could move the cursor and are shown as `�`. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, '�')));
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
