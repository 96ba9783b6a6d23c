import { Command } from 'commander';
import type { FormChange } from '../form-changes.js';
import type { FormVersionSummary, LoggedVersion } from '../kept-versions.js';
import { printable } from '../../../process/printable.js';
import { CommandError } from '../../../cli/command-error.js';
import { parseNumber } from '../../../cli/option-values.js';
import { alignColumns, counted, print, printArray, printJson, printTable } from '../../../cli/output.js';
import { withDatabase } from '../../../cli/with-database.js';

type DiffOptions = Readonly<{ from?: number; to?: number; json?: boolean }>;

const parseVersion = (text: string) => parseNumber(text, '"forms versions"');

export function diffCommand(): Command {
  return new Command('diff')
    .description(
      'list what importing a definition file would change in a form, or what changed between two versions of it.\n' +
        'Each change is breaking or compatible. Changes nothing. The exit status is 0, also with breaking changes.',
    )
    .argument('<slug>', 'as "forms list" shows it')
    .argument('[file]', 'a JSON file, as "forms export" writes it; - for standard input')
    .option('--from <version>', 'compare this version, as "forms versions" shows it', parseVersion)
    .option('--to <version>', 'with this version (default: the current version)', parseVersion)
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      `
Breaking changes can make drafts, stored values or clients of the earlier state fail, such as a field that became
required or was removed. A change that might do so counts as breaking. "forms import --refuse-breaking" rejects them.
In a file, a field with a new code is a removed and an added field. Between versions, it is a renamed field.
Versions in which no submission was completed are not kept. They cannot be compared, except the current version.

Examples:
  formtrail forms diff job-application job-application.json
  formtrail forms diff job-application --from 3 --to 5`,
    )
    .action(async (slug: string, file: string | undefined, { from, to, json = false }: DiffOptions) => {
      const changes = await compare(slug, file, from, to);
      await (json ? printJson(changes) : print(changedLines(changes)));
    });
}

async function compare(slug: string, name?: string, from?: number, to?: number): Promise<FormChange[]> {
  const { compareVersions, compareWithFile } = await import('./form-changes.js');
  if (name === undefined && from !== undefined)
    return withDatabase((dataSource) => compareVersions(dataSource, slug, from, to));
  if (name === undefined || from !== undefined || to !== undefined)
    throw new CommandError(
      `Name either a file or versions: "forms diff ${slug} FILE" or "forms diff ${slug} --from 1 --to 2".`,
    );
  const { readDefinitionFiles } = await import('./definition-files.js');
  const files = await readDefinitionFiles([name]);
  return withDatabase((dataSource) => compareWithFile(dataSource, slug, files));
}

function changedLines(changes: readonly FormChange[]): string {
  if (changes.length === 0) return 'No changes.';
  const breaking = changes.filter(({ kind }) => kind === 'breaking').length;
  const compatible = changes.length - breaking;
  return `${alignColumns(changes.map(({ kind, path, message }) => [kind, path, message]))}
${counted(breaking, 'breaking change')}, ${counted(compatible, 'compatible change')}.`;
}

export function versionsCommand(): Command {
  return new Command('versions')
    .description(
      'list the versions of a form, newest first: version, when and by whom it was made, number of submissions completed in it\n' +
        '(without tests), and whether it is current. Only the current version, and versions in which a submission was ' +
        'completed, are listed.',
    )
    .argument('<slug>', 'as "forms list" shows it')
    .option('--json', 'print a JSON array')
    .action(async (slug: string, { json = false }: { json?: boolean }) => {
      const { withVersions } = await import('./form-changes.js');
      const versions = await withDatabase((dataSource) =>
        withVersions(dataSource, slug, (form) => Promise.resolve(form.versions)),
      );
      if (json) return printJson(versions);
      const rows = versions.map((version) => [
        String(version.version),
        timeOf(version),
        actorOf(version),
        String(version.completed),
        version.is_current ? 'yes' : 'no',
      ]);
      return printTable([['VERSION', 'CHANGED', 'BY', 'COMPLETED', 'CURRENT'], ...rows]);
    });
}

export function logCommand(): Command {
  return new Command('log')
    .description(
      'show who changed a form, when and how, newest first. Versions in which no submission was completed are not kept.\n' +
        'Their changes are listed under the next version that is kept, with the name of the person who made that version.',
    )
    .argument('<slug>', 'as "forms list" shows it')
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      `
The name is that of the user at the command line, or what the administration panel sets in its transaction:
set local formtrail.actor = 'ada@example.org'. Without it, the name is "unknown".`,
    )
    .action(async (slug: string, { json = false }: { json?: boolean }) => {
      const { withVersions } = await import('./form-changes.js');
      const { logVersions } = await import('../kept-versions.js');
      await withDatabase((dataSource) =>
        withVersions(dataSource, slug, (form, manager) =>
          (json ? printArray : printLog)(logVersions(manager, form)),
        ),
      );
    });
}

async function printLog(versions: AsyncIterable<LoggedVersion>): Promise<void> {
  for await (const version of versions) {
    const current = version.is_current ? ' (current)' : '';
    const heading = `Version ${version.version}${current}, ${timeOf(version)}, by ${actorOf(version)}`;
    const { compared_with: since, changes, is_readable: isReadable } = version;
    const text = !isReadable
      ? 'This version cannot be read, because its row in form_versions holds no schema. Another program wrote it.'
      : since === null
        ? 'No earlier version is kept.'
        : `Changes since version ${since}:\n${changedLines(changes)}`;
    await print([heading, ...text.split('\n').map((line) => `  ${line}`), ''].join('\n'));
  }
}

const timeOf = ({ changed_at }: FormVersionSummary) => changed_at.replace(/\.\d+Z$/, 'Z');
const actorOf = ({ changed_by }: FormVersionSummary) => printable(changed_by ?? 'unknown');
