import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import type { ImportedForm } from '../import-forms.js';
import { API_PREFIX } from '../../../http/api-prefix.js';
import { sayToOperator } from '../../../process/say-to-operator.js';
import { CommandError, formIdOf, noFormWithSlug } from '../../../cli/command-error.js';
import { confirm } from '../../../cli/confirm.js';
import { diffCommand, logCommand, versionsCommand } from './form-changes.command.js';
import { parseSlug } from '../../../cli/option-values.js';
import { alignColumns, counted, print, printJson, printTable, write } from '../../../cli/output.js';
import { withDatabase } from '../../../cli/with-database.js';

type ListedForm = Readonly<{ slug: string; uuid: string; version: number; is_active: boolean; name: string }>;
type DeleteOptions = Readonly<{ withSubmissions?: boolean; yes?: boolean }>;
type ImportOptions = Readonly<{ refuseBreaking?: boolean; json?: boolean }>;

export function formsCommand(packageRoot: string): Command {
  const forms = new Command('forms').description(
    'begin, import, check, compare, export, list, preview, retire and delete forms',
  );

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
      'create or change the form that each definition file describes, by slug. If one file has a mistake, imports no file.\n' +
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
        'that is never visible. Needs no database. The exit status is 0 with warnings, and 1 with mistakes.',
    )
    .argument('<file...>', 'JSON files, as "forms export" writes them; - for standard input')
    .option('--json', 'print a JSON object with warnings and mistakes')
    .action(async (names: string[], { json = false }: { json?: boolean }) => {
      const { CANNOT_BE_IMPORTED, readDefinitionFiles } = await import('./definition-files.js');
      const { asLine, DefinitionError } = await import('../definition-error.js');
      const { lintFiles } = await import('../lint-files.js');
      const { mistakes, warnings } = lintFiles(await readDefinitionFiles(names));
      if (json) await printJson({ warnings, mistakes });
      const lines = json ? [] : warnings.map(asLine);
      if (lines.length > 0) await print([...lines, `${counted(lines.length, 'warning')}.`].join('\n'));
      if (mistakes.length > 0) throw new DefinitionError(mistakes, CANNOT_BE_IMPORTED);
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
    .command('preview')
    .description(
      'issue a token for one form and one hour, and print only the token. With it you can fill in the form even if it is\n' +
        'inactive. Its submissions are tests: no export, webhook or count includes them, and they are deleted after a day.',
    )
    .argument('<slug>', 'as "forms list" shows it')
    .action(async (slug: string) => {
      const { previewForm } = await import('../../respondents/commands/preview-form.js');
      const { readEnvironment } = await import('../../../server/read-environment.js');
      const { port, publicUrl = `http://127.0.0.1:${port}` } = await readEnvironment(process.env);
      const isKnown = await withDatabase((dataSource) =>
        previewForm(dataSource, slug, async ({ plainToken, formUuid, expiresAt }) => {
          await print(plainToken);
          sayToOperator(
            `The token previews the form ${slug} and expires at ${expiresAt}. Its submissions are tests.\n` +
              `With the token in $TOKEN, begin one:\n\n` +
              `  curl -sS ${publicUrl}${API_PREFIX}/submissions -H "Authorization: Bearer $TOKEN" \\\n` +
              `    -H 'Content-Type: application/json' -d '{"form_uuid": "${formUuid}"}'\n`,
          );
        }),
      );
      if (!isKnown) throw noFormWithSlug(slug);
    });

  forms
    .command('retire')
    .description(
      'make a form reject new submissions. The service no longer lists the form, but its drafts can still be completed.',
    )
    .argument('<slug>', 'as "forms list" shows it')
    .option('--yes', 'do not ask for confirmation')
    .action(async (slug: string, consent: { yes?: boolean }) => {
      const { retireForm } = await import('../../../cli/deletions.js');
      const outcome = await withDatabase(async (dataSource) => {
        await formIdOf(dataSource, slug);
        await confirm(`Let the form "${slug}" accept no new submissions?`, consent);
        return retireForm(dataSource, slug);
      });
      if (outcome === 'unknown') throw noFormWithSlug(slug);
      await print(
        outcome === 'retired' ? `The form ${slug} is retired.` : `The form ${slug} was retired already.`,
      );
    });

  forms
    .command('delete')
    .description(
      'delete a form with its steps and fields. Fails if the form has submissions, or a webhook endpoint of its own.\n' +
        'The server can run meanwhile. Only a backup can bring the form back.',
    )
    .argument('<slug>', 'as "forms list" shows it')
    .option(
      '--with-submissions',
      'delete the submissions of the form too, completed or not, with their values',
    )
    .option('--yes', 'do not ask for confirmation')
    .action(async (slug: string, { withSubmissions = false, ...consent }: DeleteOptions) => {
      const { countSubmissions, deleteForm, findEndpointsOfForm } = await import('../../../cli/deletions.js');
      const deleted = await withDatabase(async (dataSource) => {
        const formId = await formIdOf(dataSource, slug);
        const { submissions } = await countSubmissions(dataSource.manager, 'form_id', formId);
        if (submissions > 0 && !withSubmissions) throw hasSubmissions(slug);
        const endpoints = await findEndpointsOfForm(dataSource.manager, formId);
        if (endpoints.length > 0) throw hasEndpoints(slug, endpoints);
        const extent = submissions === 0 ? '' : ` with ${counted(submissions, 'submission')}`;
        await confirm(`Delete the form "${slug}"${extent} for good?`, consent);
        return deleteForm(dataSource, slug, { withSubmissions });
      });
      if (deleted === undefined) throw noFormWithSlug(slug);
      if (deleted === 'has submissions') throw hasSubmissions(slug);
      if ('endpoints' in deleted) throw hasEndpoints(slug, deleted.endpoints);
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

function hasEndpoints(slug: string, ids: readonly number[]): CommandError {
  const [first] = ids;
  const sentence =
    ids.length === 1
      ? `Webhook endpoint ${first} is for the form "${slug}" only. Remove it first, with "webhooks remove ${first}".`
      : `Webhook endpoints ${ids.slice(0, -1).join(', ')} and ${ids.at(-1)} are for the form "${slug}" only. ` +
        `Remove each of them first, with "webhooks remove ${first}" and so on.`;
  return new CommandError(sentence);
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
