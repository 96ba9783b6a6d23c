import { Command } from 'commander';
import type { ImportedForm } from '../forms/definitions/import-forms.js';
import { CommandError } from './command-error.js';
import { alignColumns, print } from './output.js';

export function formsCommand(): Command {
  const forms = new Command('forms').description('import, export and list forms');

  forms
    .command('import')
    .description(
      'make forms what their definition files say, matched by slug: all of the files, or none if one has a mistake.\n' +
        'What is not in a file is deleted from its form, but never a field that holds stored values.',
    )
    .argument('<file...>', 'JSON files, as "forms export" writes them; - for standard input')
    .action(async (names: string[]) => {
      const { readDefinitionFiles } = await import('./definition-files.js');
      const { importForms } = await import('../forms/definitions/import-forms.js');
      const { withDatabase } = await import('./with-database.js');
      const files = await readDefinitionFiles(names);
      await print(importedLines(await withDatabase((dataSource) => importForms(dataSource, files))));
    });

  forms
    .command('export')
    .description('print the definition of a form, for "forms import"')
    .argument('<slug>', 'as "forms list" shows it')
    .action(async (slug: string) => {
      const { exportForm } = await import('../forms/definitions/export-form.js');
      const { withDatabase } = await import('./with-database.js');
      const definition = await withDatabase((dataSource) => exportForm(dataSource, slug));
      if (definition === undefined) throw new CommandError(`There is no form with the slug "${slug}".`);
      await print(JSON.stringify(definition, null, 2));
    });

  forms
    .command('list')
    .description('list all forms: slug, UUID, version, whether active, name')
    .action(async () => {
      const { Form } = await import('../entities.js');
      const { withDatabase } = await import('./with-database.js');
      const listed = await withDatabase(({ manager }) => manager.find(Form, { order: { id: 'ASC' } }));
      const rows = listed.map(({ slug, uuid, version, isActive, name }) => {
        return [slug, uuid, String(version), isActive ? 'yes' : 'no', name];
      });
      await print(alignColumns([['SLUG', 'UUID', 'VERSION', 'ACTIVE', 'NAME'], ...rows]));
    });

  return forms;
}

export function importedLines(forms: readonly ImportedForm[]): string {
  return alignColumns(forms.map(({ slug, uuid, version, change }) => [slug, uuid, String(version), change]));
}
