import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CommandError } from './command-error.js';

/**
 * Goes on where it may: with `--yes`, or with the consent of who sits at the terminal.
 *
 * @throws CommandError where nobody consents, or nobody can be asked
 */
export async function confirm(question: string, { yes = false }: { yes?: boolean }): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) throw new CommandError(`${question} Nobody can be asked here: add --yes.`);
  process.stderr.write(`${question} [y/N] `);
  if (!/^y(es)?$/i.test((await readLine()).trim())) throw new CommandError('Nothing was changed.');
}

/** Empty where the input ends before. The terminal stays as it is, so that Ctrl-C is a signal as ever. */
async function readLine(): Promise<string> {
  const input = createInterface({ input: process.stdin, terminal: false });
  try {
    const line = once(input, 'line').then(([text]) => text as string);
    return await Promise.race([line, once(input, 'close').then(() => '')]);
  } finally {
    input.close();
  }
}
