/** A result; all of it is written when this resolves. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => (error ? reject(new OutputError(error)) : resolve()));
  });
}

/** Progress and explanations, which are not results. */
export function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/** Nobody takes the results any more, or the disk is full. */
export class OutputError extends Error {
  readonly isClosedPipe: boolean;

  constructor({ code, message }: NodeJS.ErrnoException) {
    super(`The output cannot be written (${message}).`);
    this.isClosedPipe = code === 'EPIPE';
  }
}

/** Rows in aligned columns. Control characters could move the terminal's cursor and are shown as `�`. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, '�')));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => Array.from(row[column] ?? '').length)),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - Array.from(cell).length))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
