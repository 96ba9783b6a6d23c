import { Command, Option } from 'commander';
import type { ExportFormat } from '../submissions/export/export-formats.js';
import { Interrupted, noFormWithSlug } from './command-error.js';
import { parseAge, parseSince } from './option-values.js';
import { print, printJson, Progress, say, write } from './output.js';

interface ExportOptions {
  readonly form: string;
  readonly status?: 'draft' | 'completed';
  readonly since?: string;
  readonly format: ExportFormat;
}

interface PurgeOptions {
  readonly draftsOlderThan: number;
  readonly form?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function submissionsCommand(): Command {
  return new Command('submissions')
    .description('export submissions, and delete drafts that were abandoned')
    .addCommand(exportCommand())
    .addCommand(purgeCommand());
}

function exportCommand(): Command {
  return new Command('export')
    .description(
      'print the submissions of a form, in the order in which they were created and as of one moment.\n' +
        'Any number of them takes little memory. The exit status is 0 only if all of them were written.',
    )
    .requiredOption('--form <slug>', 'as "forms list" shows it')
    .addOption(new Option('--status <status>', 'only these').choices(['draft', 'completed']))
    .option(
      '--since <time>',
      'only what was written to at this time or later: 2026-11-21 (its midnight in UTC), 2026-11-21T16:30:00Z, ' +
        'or a duration before now such as 12h, 7d or 2w',
      parseSince,
    )
    .addOption(
      new Option('--format <format>', 'a JSON object a line, or a table for spreadsheets')
        .choices(['ndjson', 'csv'])
        .default('ndjson'),
    )
    .addHelpText(
      'after',
      `
In csv, what a spreadsheet could take for a formula has an apostrophe before it; ndjson has every value as it is.

Examples:
  formtrail submissions export --form job-application --status completed > applications.ndjson
  formtrail submissions export --form job-application --since 7d --format csv > week.csv`,
    )
    .action(async ({ form: slug, status, since, format }: ExportOptions) => {
      const { exportSubmissions } = await import('../submissions/export/export-submissions.js');
      const { withDatabase } = await import('./with-database.js');
      const count = await withProgress('submission', (progress) =>
        withDatabase((dataSource) =>
          exportSubmissions(dataSource, { slug, status, since, format }, async (text, soFar) => {
            await write(text);
            progress.show(soFar);
          }),
        ),
      );
      if (count === undefined) throw noFormWithSlug(slug);
      say(`Exported ${counted(count, 'submission')}.`);
    });
}

function purgeCommand(): Command {
  return new Command('purge')
    .description(
      'delete drafts that nobody has written to for so long, with their values; never a completed submission.\n' +
        'It may be interrupted, and run while the server does: what is deleted stays deleted.',
    )
    .requiredOption(
      '--drafts-older-than <duration>',
      'since they were last written to: 12h, 90d or 2w',
      parseAge,
    )
    .option('--form <slug>', 'only drafts of this form, as "forms list" shows it')
    .option('--dry-run', 'delete nothing, and say how many it would be')
    .option('--json', 'print a JSON object')
    .addHelpText(
      'after',
      `
Examples:
  formtrail submissions purge --drafts-older-than 90d --dry-run
  formtrail submissions purge --drafts-older-than 90d --form job-application`,
    )
    .action(async ({ draftsOlderThan, form: slug, dryRun = false, json = false }: PurgeOptions) => {
      const { countAbandonedDrafts, purgeDrafts, secondsAgo } =
        await import('../submissions/lifecycle/purge-drafts.js');
      const { Form } = await import('../entities.js');
      const { withDatabase } = await import('./with-database.js');
      const purge = (progress: Progress) =>
        withDatabase(async (dataSource) => {
          const form = slug === undefined ? null : await dataSource.manager.findOneBy(Form, { slug });
          if (slug !== undefined && form === null) throw noFormWithSlug(slug);
          const before = await secondsAgo(dataSource, draftsOlderThan);
          const abandoned = { formId: form?.id, before };
          const drafts = dryRun
            ? await countAbandonedDrafts(dataSource, abandoned)
            : await purgeDrafts(dataSource, abandoned, (deleted) => progress.show(deleted));
          return { drafts, before };
        });
      const { drafts, before } = await withProgress('draft', purge);
      const found = counted(drafts, 'draft');
      await (json
        ? printJson({ drafts, last_written_before: before, dry_run: dryRun })
        : print(dryRun ? `${found} would be deleted.` : `Deleted ${found}.`));
    });
}

/** Says how far it came where it is interrupted, because that much is done. */
async function withProgress<T>(noun: string, work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = new Progress((count) => `${counted(count, noun)} so far`);
  try {
    return await work(progress);
  } catch (error) {
    progress.end();
    if (error instanceof Interrupted) say(`Interrupted after at least ${counted(progress.count, noun)}.`);
    throw error;
  } finally {
    progress.end();
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
