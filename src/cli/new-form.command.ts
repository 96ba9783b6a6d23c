import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { CommandError } from './command-error.js';
import { parseSlug } from './option-values.js';
import { print } from './output.js';

const STANDARD_OUTPUT = '-';

export function newFormCommand(): Command {
  return new Command('new')
    .description(
      'write a small definition file to edit: two steps, five fields, one condition.\n' +
        '"forms import" accepts it unchanged. Overwrites no file. Needs no database.',
    )
    .argument('<slug>', 'the name of the form for programs, such as contact-request', parseSlug)
    .option('--out <file>', 'the file to write; - for standard output (default: SLUG.json)')
    .action(async (slug: string, { out = `${slug}.json` }: { out?: string }) => {
      const { newDefinition } = await import('../forms/definitions/new-definition.js');
      const text = JSON.stringify(newDefinition(slug), null, 2);
      if (out === STANDARD_OUTPUT) return print(text);
      await writeFile(out, `${text}\n`, { flag: 'wx' }).catch((error: unknown) => {
        throw notWritten(out, error as NodeJS.ErrnoException);
      });
      return print(
        `Wrote ${out}. Edit it, check it with "forms lint ${out}", and create the form with "forms import ${out}".`,
      );
    });
}

function notWritten(file: string, { code, message }: NodeJS.ErrnoException): CommandError {
  return new CommandError(
    code === 'EEXIST'
      ? `${file} exists already, and is not overwritten. Name another file with --out.`
      : `${file} cannot be written (${message}). Name another file with --out.`,
  );
}
