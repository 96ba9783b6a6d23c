import { printable, printableLines } from '../process/printable.js';
import { sayToOperator } from '../process/say-to-operator.js';
import { Interrupted } from './command-error.js';

/** Writes a result and a line feed to standard output, and escapes control characters. Resolves when everything is written. */
export const print = (text: string): Promise<void> => write(`${printableLines(text)}\n`);

/** Aligns columns. Escapes control characters, which could move the cursor of a terminal. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export const printTable = (rows: readonly (readonly string[])[]): Promise<void> => print(alignColumns(rows));

export const printJson = (value: unknown): Promise<void> => print(JSON.stringify(value, null, 2));

/** Prints elements, or pages of elements, as one JSON array. A long result needs little memory. */
export async function printArray(parts: AsyncIterable<object>): Promise<void> {
  let isFirst = true;
  for await (const part of parts) {
    for (const element of [part].flat()) {
      await write(`${isFirst ? '[' : ','}\n  ${printable(JSON.stringify(element))}`);
      isFirst = false;
    }
  }
  await print(isFirst ? '[]' : '\n]');
}

/** Writes a part of a result to standard output unchanged. Resolves when it is written. */
export function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(new OutputError(error)) : resolve()));
  });
}

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Reports an error of closing after another error. The command fails with the first error. */
export function sayClosingFailed({ message }: Error): void {
  sayToOperator(`Closing failed too: ${message}`);
}

/** Milliseconds between two updates of the progress. */
const PROGRESS_EVERY = 1_000;

/** A line of a purge. */
export const purged = (count: number, noun: string, dryRun: boolean): string =>
  dryRun ? `${counted(count, noun)} would be deleted.` : `Deleted ${counted(count, noun)}.`;

/**
 * Runs `work`, which reports a count as it goes. Shows the count in one line that is overwritten, if standard error is a terminal and
 * standard output is not, because results would otherwise mix with it. If `work` is interrupted, reports the last count.
 */
export async function withProgress<T>(
  noun: string,
  work: (show: (count: number) => void) => Promise<T>,
): Promise<T> {
  const isShown = process.stderr.isTTY && !process.stdout.isTTY;
  let [latest, width, shownAt] = [0, 0, performance.now()];
  const clear = () => {
    if (width > 0) process.stderr.write(`\r${' '.repeat(width)}\r`);
    width = 0;
  };
  const show = (count: number) => {
    latest = count;
    if (!isShown || performance.now() - shownAt < PROGRESS_EVERY) return;
    shownAt = performance.now();
    const text = `${counted(count, noun)} so far`;
    process.stderr.write(`\r${text.padEnd(width)}`);
    width = text.length;
  };
  try {
    return await work(show);
  } catch (error) {
    clear();
    if (error instanceof Interrupted) sayToOperator(`Interrupted after at least ${counted(latest, noun)}.`);
    throw error;
  } finally {
    clear();
  }
}

/** Thrown if the output cannot be written, because the reader closed the pipe or the disk is full. */
export class OutputError extends Error {
  readonly isClosedPipe: boolean;

  constructor({ code, message }: NodeJS.ErrnoException) {
    super(`The output cannot be written (${message}).`);
    this.isClosedPipe = code === 'EPIPE';
  }
}
