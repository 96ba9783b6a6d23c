import { printableLines } from './printable.js';

/** Writes progress or an explanation to standard error, because standard output is for results and the log. */
export function sayToOperator(sentence: string): void {
  process.stderr.write(`${printableLines(sentence)}\n`);
}
