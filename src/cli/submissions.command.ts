import { Command, Option } from 'commander';
import type { EntityManager } from 'typeorm';
import type { RecordsOption } from '../capabilities/exports/csv-layouts.js';
import { sayToOperator } from '../process/say-to-operator.js';
import { CommandError, formIdOf, noFormWithSlug } from './command-error.js';
import { confirm } from './confirm.js';
import { parseAge, parseSince, parseUuid, type PurgeOptions } from './option-values.js';
import { counted, print, printJson, withProgress, write } from './output.js';
import { withDatabase } from './with-database.js';

interface ExportOptions {
  readonly form: string;
  readonly status?: 'draft' | 'completed';
  readonly since?: string;
  readonly format: 'ndjson' | 'csv';
  readonly records?: RecordsOption;
  readonly labels?: true;
  readonly excel?: true;
  readonly withHidden?: true;
  readonly files?: string;
  readonly includeTests?: true;
  readonly asShown?: true;
}

interface DraftPurgeOptions extends PurgeOptions {
  readonly draftsOlderThan: number;
  readonly form?: string;
}

export function submissionsCommand(): Command {
  return new Command('submissions')
    .description('export submissions, delete one, or purge abandoned drafts')
    .addCommand(exportCommand())
    .addCommand(purgeCommand())
    .addCommand(deleteCommand());
}

function exportCommand(): Command {
  return new Command('export')
    .description(
      'print the submissions of a form in the order in which they were created, from one snapshot of the database.\n' +
        'Needs little memory, however many there are. The exit status is 0 only if all submissions were written.',
    )
    .requiredOption('--form <slug>', 'as "forms list" shows it')
    .addOption(
      new Option('--status <status>', 'only submissions with this status').choices(['draft', 'completed']),
    )
    .option(
      '--since <time>',
      'only submissions that were written to at this time or later: 2026-11-21 (midnight UTC), 2026-11-21T16:30:00Z, ' +
        'or a duration before now such as 12h, 7d or 2w',
      parseSince,
    )
    .addOption(
      new Option('--format <format>', 'ndjson: a JSON object per line; csv: a table for spreadsheets')
        .choices(['ndjson', 'csv'])
        .default('ndjson'),
    )
    .addOption(
      new Option(
        '--records <how>',
        'in csv: a row for each record (rows, the default), all records as JSON in one cell (json), or ' +
          'values as lines of their cell (lines); lines fails if a value has a line break',
      ).choices(['rows', 'json', 'lines']),
    )
    .option('--labels', 'in csv: labels of fields and options instead of their codes and values')
    .option(
      '--as-shown',
      'labels of fields and options as they were when each submission was completed: in csv like --labels, with the column names ' +
        'of the newest completed version; in ndjson as "label" and "shown" of each value',
    )
    .option(
      '--with-hidden',
      'in csv: also values of fields that were hidden; in ndjson they are marked by "hidden"',
    )
    .option('--excel', 'in csv: begin with a byte order mark, because Excel garbles accents without it')
    .option(
      '--files <dir>',
      'write the files to this folder too, as <uuid of the submission>/<uuid of the file> with their extension',
    )
    .option('--include-tests', 'also submissions of previews, marked by is_test')
    .addHelpText(
      'after',
      `
In csv, an apostrophe precedes text that a spreadsheet could take for a formula. In ndjson, values are unchanged.

Examples:
  formtrail submissions export --form job-application --status completed > applications.ndjson
  formtrail submissions export --form job-application --since 7d --format csv > week.csv
  formtrail submissions export --form job-application --format csv --excel --labels > for-excel.csv`,
    )
    .action(async (options: ExportOptions) => {
      const { form: slug, status, since, files, includeTests, asShown, ...given } = options;
      rejectWithoutCsv(given);
      const format = { ...given, ...(asShown && given.format === 'csv' && { labels: true as const }) };
      const { exportSubmissions } = await import('../capabilities/exports/export-submissions.js');
      const { recordExport } = await import('./record-acts.js');
      const { fileExport } = await import('../capabilities/files/commands/file-export.js');
      const { requireOneServer } = await import('../database/distribution.js');
      const writer = files === undefined ? undefined : await fileExport(files);
      const exportAll = (show: (count: number) => void) =>
        withDatabase(async (dataSource, { hiddenValues }) => {
          if (files !== undefined) await requireOneServer(dataSource, 'Files', 'Leave out --files.');
          const selected = { status, since, files: files !== undefined, include_tests: includeTests };
          const written = { format: format.format, with_hidden: format.withHidden };
          await recordExport(dataSource, slug, { ...selected, ...written });
          const exported = await exportSubmissions(
            dataSource,
            { slug, status, since, includeTests, asShown, hiddenValues, ...format },
            async (text, soFar) => {
              await write(text);
              show(soFar);
            },
            writer?.note,
          );
          await writer?.write(dataSource);
          return exported;
        });
      const exported = await withProgress('submission', exportAll).finally(() => writer?.close());
      if (exported === undefined) throw noFormWithSlug(slug);
      sayToOperator(`Exported ${counted(exported.count, 'submission')}.`);
      exported.warnings.forEach(sayToOperator);
      writer?.end();
    });
}

function rejectWithoutCsv({
  format,
  ...options
}: Pick<ExportOptions, 'format' | 'records' | 'labels' | 'withHidden' | 'excel'>) {
  const [name] = Object.keys(options);
  if (format === 'csv' || name === undefined) return;
  const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new CommandError(`"--${option}" is an option of CSV. Add "--format csv", or leave it out.`);
}

function purgeCommand(): Command {
  return new Command('purge')
    .description(
      'delete drafts without a recent write, with their values; never a completed submission, except tests.\n' +
        'Always deletes the tests of previews that began over 25 hours ago, which servers do too.\n' +
        'You can interrupt the command: deleted drafts stay deleted. The server can run meanwhile.',
    )
    .requiredOption(
      '--drafts-older-than <duration>',
      'minimum time since the last write: 12h, 90d or 2w',
      parseAge,
    )
    .option('--form <slug>', 'only drafts and tests of this form, as "forms list" shows it')
    .option('--dry-run', 'delete nothing, only count')
    .option('--json', 'print a JSON object')
    .addHelpText(
      'after',
      `
Examples:
  formtrail submissions purge --drafts-older-than 90d --dry-run
  formtrail submissions purge --drafts-older-than 90d --form job-application`,
    )
    .action(async ({ draftsOlderThan, form: slug, dryRun = false, json = false }: DraftPurgeOptions) => {
      const { countAbandonedDrafts, purgeDrafts, secondsAgo } =
        await import('../submissions/lifecycle/purge-drafts.js');
      const { countTests, deleteTests } = await import('../capabilities/respondents/delete-tests.js');
      const { recordBatch } = await import('./record-acts.js');
      const purge = (show: (count: number) => void) =>
        withDatabase(async (dataSource) => {
          const formId = slug === undefined ? undefined : await formIdOf(dataSource, slug);
          const before = await secondsAgo(dataSource, draftsOlderThan);
          const abandoned = { formId, before };
          const record = (detail: object) => (manager: EntityManager, submissions: number) =>
            recordBatch(manager, 'submissions.deleted', slug, { ...detail, submissions });
          if (dryRun) {
            const drafts = await countAbandonedDrafts(dataSource, abandoned);
            return { drafts, tests: await countTests(dataSource, formId), before };
          }
          const recordDrafts = record({ status: 'draft', last_written_before: before });
          const drafts = await purgeDrafts(dataSource, abandoned, show, recordDrafts);
          const tests = await deleteTests(dataSource, formId, record({ is_test: true }));
          return { drafts, tests: tests.submissions, before };
        });
      const { drafts, tests, before } = await withProgress('draft', purge);
      const found = [counted(drafts, 'draft'), ...(tests > 0 ? [counted(tests, 'test submission')] : [])];
      await (json
        ? printJson({ drafts, tests, last_written_before: before, dry_run: dryRun })
        : print(
            found.map((count) => (dryRun ? `${count} would be deleted.` : `Deleted ${count}.`)).join('\n'),
          ));
    });
}

function deleteCommand(): Command {
  return new Command('delete')
    .description(
      'delete a submission, completed or not, with its values and records.\n' +
        'The server can run meanwhile. Only a backup can bring the submission back.',
    )
    .argument('<uuid>', 'the UUID of the submission', parseUuid)
    .option('--yes', 'do not ask for confirmation')
    .action(async (uuid: string, consent: { yes?: boolean }) => {
      const { countSubmissions, deleteSubmission } = await import('./deletions.js');
      const { values, records } = await withDatabase(async (dataSource) => {
        const found = await countSubmissions(dataSource.manager, 'uuid', uuid);
        if (found.submissions === 0) throw noSubmission(uuid);
        await confirm(
          `Delete the submission ${uuid} with ${counted(found.values, 'value')} for good?`,
          consent,
        );
        const deleted = await deleteSubmission(dataSource, uuid);
        if (deleted === undefined) throw noSubmission(uuid);
        return deleted;
      });
      const extent = `${counted(values, 'value')} and ${counted(records, 'record')}`;
      await print(`Deleted the submission ${uuid} with ${extent}.`);
    });
}

function noSubmission(uuid: string): CommandError {
  return new CommandError(
    `There is no submission with the UUID ${uuid}. "submissions export" lists the submissions of a form.`,
  );
}
