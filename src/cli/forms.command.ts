import { Command } from 'commander';
import { CommandError, formIdOf, noFormWithSlug } from './command-error.js';
import { confirm } from './confirm.js';
import { counted, print, printJson, printTable } from './output.js';
import { withDatabase } from './with-database.js';

type ListedForm = Readonly<{ slug: string; uuid: string; version: number; is_active: boolean; name: string }>;
type DeleteOptions = Readonly<{ withSubmissions?: boolean; yes?: boolean }>;

export function formsCommand(): Command {
  const forms = new Command('forms').description('list, retire and delete forms');

  forms
    .command('list')
    .description('list all forms: slug, UUID, version, whether active, name')
    .option('--json', 'print a JSON array')
    .action(async ({ json = false }: { json?: boolean }) => {
      const listed = await withDatabase((dataSource) =>
        dataSource.query<ListedForm[]>('select slug, uuid, version, is_active, name from forms order by id'),
      );
      if (json) return printJson(listed);
      const rows = listed.map(({ slug, uuid, version, is_active, name }) => {
        return [slug, uuid, String(version), is_active ? 'yes' : 'no', name];
      });
      return printTable([['SLUG', 'UUID', 'VERSION', 'ACTIVE', 'NAME'], ...rows]);
    });

  forms
    .command('retire')
    .description(
      'make a form reject new submissions. The service no longer lists the form, but its drafts can still be completed.',
    )
    .argument('<slug>', 'as "forms list" shows it')
    .option('--yes', 'do not ask for confirmation')
    .action(async (slug: string, consent: { yes?: boolean }) => {
      const { retireForm } = await import('./deletions.js');
      const outcome = await withDatabase(async (dataSource) => {
        await formIdOf(dataSource, slug);
        await confirm(`Close the form "${slug}" to new submissions?`, consent);
        return retireForm(dataSource, slug);
      });
      if (outcome === 'unknown') throw noFormWithSlug(slug);
      await print(
        outcome === 'retired' ? `The form ${slug} is retired.` : `The form ${slug} is already retired.`,
      );
    });

  forms
    .command('delete')
    .description(
      'delete a form with its steps and fields. The server can run meanwhile. Only a backup can bring the form back.\n' +
        'Fails if the form has submissions.',
    )
    .argument('<slug>', 'as "forms list" shows it')
    .option(
      '--with-submissions',
      'delete the submissions of the form too, completed or not, with their values',
    )
    .option('--yes', 'do not ask for confirmation')
    .action(async (slug: string, { withSubmissions = false, ...consent }: DeleteOptions) => {
      const { countSubmissions, deleteForm, ensureDeletable } = await import('./deletions.js');
      const deleted = await withDatabase(async (dataSource) => {
        const formId = await formIdOf(dataSource, slug);
        const { submissions } = await countSubmissions(dataSource.manager, {
          column: 'form_id',
          key: formId,
        });
        if (submissions > 0 && !withSubmissions) throw hasSubmissions(slug);
        await ensureDeletable(dataSource.manager, { column: 'form_id', key: formId });
        const extent = submissions === 0 ? '' : ` with ${counted(submissions, 'submission')}`;
        await confirm(`Permanently delete the form "${slug}"${extent}?`, consent);
        return deleteForm(dataSource, slug, { withSubmissions });
      });
      if (deleted === undefined) throw noFormWithSlug(slug);
      if (deleted === 'has submissions') throw hasSubmissions(slug);
      const { submissions, values, records } = deleted;
      const extent = `${counted(submissions, 'submission')}, ${counted(values, 'value')} and ${counted(records, 'record')}`;
      await print(`Deleted the form ${slug} with ${extent}.`);
    });

  return forms;
}

function hasSubmissions(slug: string): CommandError {
  return new CommandError(
    `The form "${slug}" has submissions. Keep them with "forms retire ${slug}", or add --with-submissions after ` +
      `"submissions export --form ${slug}".`,
  );
}
