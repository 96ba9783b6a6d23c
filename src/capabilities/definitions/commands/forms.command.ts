import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import type { ImportedForm } from '../imported-form.js';
import { sayToOperator } from '../../../process/say-to-operator.js';
import { CommandError, noFormWithSlug } from '../../../cli/command-error.js';
import { diffCommand, logCommand, versionsCommand } from './form-changes.command.js';
import { parseSlug } from '../../../cli/option-values.js';
import { alignColumns, counted, print, printJson, write } from '../../../cli/output.js';
import { withDatabase } from '../../../cli/with-database.js';

type ImportOptions = Readonly<{ refuseBreaking?: boolean; json?: boolean }>;

export function addFormCommands(forms: Command, packageRoot: string): void {
  forms.description(`begin, import, check, compare, export, ${forms.description()}`);

  forms
    .command('new')
    .description(
      'write a small definition file to edit: two steps, five fields, one condition.\n' +
        '"forms import" accepts it unchanged. Overwrites no file. Needs no database.',
    )
    .argument('<slug>', 'the name of the form for programs, such as contact-request', parseSlug)
    .option('--out <file>', 'the file to write; - for standard output (default: SLUG.json)')
    .action(async (slug: string, { out = `${slug}.json` }: { out?: string }) => {
      const { newDefinition } = await import('../new-definition.js');
      const text = JSON.stringify(newDefinition(slug), null, 2);
      if (out === '-') return print(text);
      await writeFile(out, `${text}\n`, { flag: 'wx' }).catch((error: unknown) => {
        throw notWritten(out, error as NodeJS.ErrnoException);
      });
      return print(
        `Wrote ${out}. Edit it, check it with "forms lint ${out}", and create the form with "forms import ${out}".`,
      );
    });

  forms
    .command('import')
    .description(
      'create or change the form that each definition file describes, by slug. If one file has an error, imports no file.\n' +
        'Deletes parts of a form that its file lacks. Fails if this would delete a field with stored values.\n' +
        'Prints the warnings of "forms lint", which do not prevent the import.',
    )
    .argument('<file...>', 'JSON files, as "forms export" writes them; - for standard input')
    .option(
      '--refuse-breaking',
      'import nothing if the form of any file has a breaking change, as "forms diff" lists them',
    )
    .option('--json', 'print a JSON array with the change of each form')
    .action(async (names: string[], { refuseBreaking = false, json = false }: ImportOptions) => {
      const { readDefinitionFiles } = await import('./definition-files.js');
      const files = await readDefinitionFiles(names);
      const review = refuseBreaking ? (await import('./form-changes.js')).refuseBreaking : undefined;
      const { importForms } = await import('../import-forms.js');
      const { asLine } = await import('../definition-error.js');
      const { nameOperator } = await import('../../../cli/as-operator.js');
      const { forms, warnings } = await withDatabase((dataSource) =>
        importForms(dataSource, files, nameOperator, review),
      );
      for (const warning of warnings) sayToOperator(`Warning: ${asLine(warning)}`);
      await (json ? printJson(forms) : print(importedLines(forms)));
    });

  forms
    .command('lint')
    .description(
      'check definition files as an import into a new database does, and warn of probable oversights, such as a field ' +
        'that is never visible. Needs no database. The exit status is 0 with warnings, and 1 with errors.',
    )
    .argument('<file...>', 'JSON files, as "forms export" writes them; - for standard input')
    .option('--json', 'print a JSON object with warnings and errors')
    .action(async (names: string[], { json = false }: { json?: boolean }) => {
      const { IMPORT_ERROR_HEADING, readDefinitionFiles } = await import('./definition-files.js');
      const { asLine, DefinitionError } = await import('../definition-error.js');
      const { lintFiles } = await import('../lint-files.js');
      const { mistakes, warnings } = lintFiles(await readDefinitionFiles(names));
      if (json) await printJson({ warnings, mistakes });
      const lines = json ? [] : warnings.map(asLine);
      if (lines.length > 0) await print([...lines, `${counted(lines.length, 'warning')}.`].join('\n'));
      if (mistakes.length > 0) throw new DefinitionError(mistakes, IMPORT_ERROR_HEADING);
      if (lines.length === 0 && !json) await print('No warnings.');
    });

  forms.addCommand(diffCommand()).addCommand(versionsCommand()).addCommand(logCommand());

  forms
    .command('export')
    .description('print the definition of a form, for "forms import"')
    .argument('<slug>', 'as "forms list" shows it')
    .action(async (slug: string) => {
      const { exportForm } = await import('../export-form.js');
      const definition = await withDatabase((dataSource) => exportForm(dataSource, slug));
      if (definition === undefined) throw noFormWithSlug(slug);
      await print(JSON.stringify(definition, null, 2));
    });

  forms
    .command('schema')
    .description('print the JSON Schema of definition files, so that editors can complete and check them')
    .action(async () => {
      await write(await readFile(path.join(packageRoot, 'schemas/form-definition.schema.json'), 'utf8'));
    });
}

export function importedLines(forms: readonly ImportedForm[]): string {
  return alignColumns(forms.map(({ slug, uuid, version, change }) => [slug, uuid, String(version), change]));
}

function notWritten(file: string, { code, message }: NodeJS.ErrnoException): CommandError {
  return new CommandError(
    code === 'EEXIST'
      ? `${file} exists already, and is not overwritten. Name another file with --out.`
      : `${file} cannot be written (${message}). Name another file with --out.`,
  );
}
