import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import type { Form } from '../entities.js';
import type { ImportedForm } from '../forms/definitions/import-forms.js';
import { noFormWithSlug } from './command-error.js';
import { print, printJson, say, write } from './output.js';

export function formsCommand(packageRoot: string): Command {
  const forms = new Command('forms').description('import, check, export and list forms');

  forms
    .command('import')
    .description(
      'make forms what their definition files say, matched by slug: all of the files, or none if one has a mistake.\n' +
        'What is not in a file is deleted from its form, but never a field that holds stored values.\n' +
        'Warns of what "forms lint" warns of, and imports it.',
    )
    .argument('<file...>', 'JSON files, as "forms export" writes them; - for standard input')
    .option('--json', 'print a JSON array of what became of each form')
    .action(async (names: string[], { json = false }: { json?: boolean }) => {
      const { readDefinitionFiles } = await import('./definition-files.js');
      const { importForms } = await import('../forms/definitions/import-forms.js');
      const { asLine, lintFiles } = await lint();
      const { withDatabase } = await import('./with-database.js');
      const files = await readDefinitionFiles(names);
      const imported = await withDatabase((dataSource) => importForms(dataSource, files));
      for (const warning of lintFiles(files).warnings) say(`Warning: ${asLine(warning)}`);
      await (json ? printJson(imported) : print(await importedLines(imported)));
    });

  forms
    .command('lint')
    .description(
      'warn of what definition files say but can hardly mean, such as a field that is never visible.\n' +
        'Needs no database. The exit status is 0 with warnings, too, and 1 where no import could take the files.',
    )
    .argument('<file...>', 'JSON files, as "forms export" writes them; - for standard input')
    .option('--json', 'print a JSON object with warnings and mistakes')
    .action(async (names: string[], { json = false }: { json?: boolean }) => {
      const { CANNOT_BE_IMPORTED, readDefinitionFiles } = await import('./definition-files.js');
      const { asLine, DefinitionError, lintFiles } = await lint();
      const { mistakes, unverified, warnings } = lintFiles(await readDefinitionFiles(names));
      if (json) await printJson({ warnings: [...unverified, ...warnings], mistakes });
      const lines = json ? [] : [...unverified, ...warnings].map(asLine);
      if (lines.length > 0) await print([...lines, counted(lines.length)].join('\n'));
      if (mistakes.length > 0) throw new DefinitionError(mistakes, CANNOT_BE_IMPORTED);
      if (lines.length === 0 && !json) await print('There is nothing to warn of.');
    });

  forms
    .command('export')
    .description('print the definition of a form, for "forms import"')
    .argument('<slug>', 'as "forms list" shows it')
    .action(async (slug: string) => {
      const { exportForm } = await import('../forms/definitions/export-form.js');
      const { withDatabase } = await import('./with-database.js');
      const definition = await withDatabase((dataSource) => exportForm(dataSource, slug));
      if (definition === undefined) throw noFormWithSlug(slug);
      await print(JSON.stringify(definition, null, 2));
    });

  forms
    .command('schema')
    .description('print the JSON Schema of definition files, by which editors complete and check them')
    .action(async () => {
      await write(await readFile(path.join(packageRoot, 'form-definition.schema.json'), 'utf8'));
    });

  forms
    .command('list')
    .description('list all forms: slug, UUID, version, whether active, name')
    .option('--json', 'print a JSON array')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { Form } = await import('../entities.js');
      const { withDatabase } = await import('./with-database.js');
      const listed = await withDatabase(({ manager }) => manager.find(Form, { order: { id: 'ASC' } }));
      if (json) return printJson(listed.map(presentForm));
      const rows = listed.map(({ slug, uuid, version, isActive, name }) => {
        return [slug, uuid, String(version), isActive ? 'yes' : 'no', name];
      });
      const { alignColumns } = await import('./columns.js');
      return print(alignColumns([['SLUG', 'UUID', 'VERSION', 'ACTIVE', 'NAME'], ...rows]));
    });

  return forms;
}

function presentForm({ slug, uuid, version, isActive, name }: Form) {
  return { slug, uuid, version, is_active: isActive, name };
}

function counted(warnings: number): string {
  return warnings === 1 ? '1 warning.' : `${warnings} warnings.`;
}

/** Free of the database. */
async function lint() {
  return {
    ...(await import('../forms/definitions/definition-error.js')),
    ...(await import('../forms/definitions/lint-files.js')),
  };
}

export async function importedLines(forms: readonly ImportedForm[]): Promise<string> {
  const { alignColumns } = await import('./columns.js');
  return alignColumns(forms.map(({ slug, uuid, version, change }) => [slug, uuid, String(version), change]));
}
