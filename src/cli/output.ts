import { sayToOperator } from '../process/say-to-operator.js';

/** A result and the end of its line; all of it is written when this resolves. */
export function print(text: string): Promise<void> {
  return write(`${text}\n`);
}

/** A result in aligned columns. */
export async function printTable(rows: readonly (readonly string[])[]): Promise<void> {
  const { alignColumns } = await import('./columns.js');
  return print(alignColumns(rows));
}

/** A result for programs. */
export function printJson(value: unknown): Promise<void> {
  return print(JSON.stringify(value, null, 2));
}

/** Part of a result; it is on its way to whoever reads it when this resolves. */
export function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(new OutputError(error)) : resolve()));
  });
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** For an error of a close that follows another error. The command ends with that other error. */
export function sayClosingFailed({ message }: Error): void {
  sayToOperator(`Closing failed too: ${message}`);
}

/** How often progress is shown, in milliseconds. */
const PROGRESS_EVERY = 1_000;

/**
 * Shows what has been done so far, as `sentence` says it, in one line that changes: only on a terminal, and only where
 * no results are written to the same one.
 */
export class Progress {
  private readonly isShown = process.stderr.isTTY && !process.stdout.isTTY;
  private shownAt = performance.now();
  private width = 0;
  private latest = 0;

  constructor(private readonly sentence: (count: number) => string) {}

  /** How much has been done. */
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

  /** Makes way for what is said next. */
  end(): void {
    if (this.width > 0) process.stderr.write(`\r${' '.repeat(this.width)}\r`);
    this.width = 0;
  }
}

/** Nobody takes the results any more, or the disk is full. */
export class OutputError extends Error {
  readonly isClosedPipe: boolean;

  constructor({ code, message }: NodeJS.ErrnoException) {
    super(`The output cannot be written (${message}).`);
    this.isClosedPipe = code === 'EPIPE';
  }
}
