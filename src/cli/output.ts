import { printable, printableLines } from '../process/printable.js';
import { sayToOperator } from '../process/say-to-operator.js';
import { Interrupted } from './command-error.js';

/** Writes a result and a line feed to standard output, and escapes control characters. Resolves when everything is written. */
export function print(text: string): Promise<void> {
  return write(`${printableLines(text)}\n`);
}

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

export function printTable(rows: readonly (readonly string[])[]): Promise<void> {
  return print(alignColumns(rows));
}

export function printJson(value: unknown): Promise<void> {
  return print(JSON.stringify(value, null, 2));
}

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

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Reports an error of closing after another error. The command fails with the first error. */
export function sayClosingFailed({ message }: Error): void {
  sayToOperator(`Closing failed too: ${message}`);
}

/** Milliseconds between two updates of the progress. */
const PROGRESS_EVERY = 1_000;

/**
 * Shows progress as `sentence` formats it, in one line that is overwritten. The line appears only if standard error
 * is a terminal and standard output is not, because results would otherwise mix with the progress.
 */
export class Progress {
  private readonly isShown = process.stderr.isTTY && !process.stdout.isTTY;
  private shownAt = performance.now();
  private width = 0;
  private latest = 0;

  constructor(private readonly sentence: (count: number) => string) {}

  get count(): number {
    return this.latest;
  }

  show(count: number): void {
    this.latest = count;
    if (!this.isShown || performance.now() - this.shownAt < PROGRESS_EVERY) return;
    this.shownAt = performance.now();
    const text = this.sentence(count);
    process.stderr.write(`\r${text.padEnd(this.width)}`);
    this.width = text.length;
  }

  end(): void {
    if (this.width > 0) process.stderr.write(`\r${' '.repeat(this.width)}\r`);
    this.width = 0;
  }
}

/** Shows the progress of `work`. If `work` is interrupted, reports the last count. */
export async function withProgress<T>(noun: string, work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = new Progress((count) => `${counted(count, noun)} so far`);
  try {
    return await work(progress);
  } catch (error) {
    progress.end();
    if (error instanceof Interrupted)
      sayToOperator(`Interrupted after at least ${counted(progress.count, noun)}.`);
    throw error;
  } finally {
    progress.end();
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
