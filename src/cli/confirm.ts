import { createInterface } from 'node:readline';
import { printable } from '../process/printable.js';
import { CommandError } from './command-error.js';

/**
 * Returns if `--yes` is set or the user at the terminal agrees.
 *
 * @throws CommandError if the user does not agree, or standard input is not a terminal
 */
export async function confirm(question: string, { yes = false }: { yes?: boolean }): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY)
    throw new CommandError(`${question} Standard input is not a terminal: add --yes.`);
  process.stderr.write(`${printable(question)} [y/N] `);
  if (!/^y(es)?$/i.test((await readLine()).trim())) throw new CommandError('Nothing was changed.');
}

/** Returns '' if the input ends without a line. Does not change the mode of the terminal, so that Ctrl-C remains a signal. */
async function readLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin, terminal: false })) return line;
  return '';
}
