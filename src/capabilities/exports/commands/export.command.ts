import { Command, Option } from 'commander';
import { CommandError, noFormWithSlug } from '../../../cli/command-error.js';
import { parseSince, parseUntil } from '../../../cli/option-values.js';
import { counted, sayClosingFailed, withProgress, write } from '../../../cli/output.js';
import { withDatabase } from '../../../cli/with-database.js';
import { type Close, closeAfter } from '../../../process/close-all.js';
import { sayToOperator } from '../../../process/say-to-operator.js';
import type { CommandOptions, ExportExtension } from '../../../server/hooks.js';
import type { RecordsOption } from '../csv-layouts.js';

interface ExportOptions {
  readonly form: string;
  readonly status?: 'draft' | 'completed';
  readonly since?: string;
  readonly from?: string;
  readonly to?: string;
  readonly format: 'ndjson' | 'csv';
  readonly records?: RecordsOption;
  readonly labels?: true;
  readonly excel?: true;
  readonly withHidden?: true;
  readonly includeTests?: true;
  readonly asShown?: true;
}

export function exportCommand(): Command {
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
      'only submissions that were written to or anonymised at this time or later: 2026-11-21 (midnight UTC), ' +
        '2026-11-21T16:30:00Z, or a duration before now such as 12h, 7d or 2w',
      parseSince,
    )
    .option(
      '--from <time>',
      'only submissions that were completed at this time or later (drafts: last written to), in the formats of --since',
      parseSince,
    )
    .option(
      '--to <time>',
      'only submissions that were completed before this time (drafts: last written to); a date includes its day',
      parseUntil,
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
    .option('--include-tests', 'also submissions of previews, marked by is_test')
    .addHelpText(
      'after',
      `
In csv, an apostrophe precedes text that a spreadsheet could take for a formula. In ndjson, values are unchanged.

Examples:
  formtrail submissions export --form job-application --status completed > applications.ndjson
  formtrail submissions export --form job-application --since 7d --format csv > week.csv
  formtrail submissions export --form job-application --status completed --from 2026-11-01 --to 2026-11-30 > november.ndjson
  formtrail submissions export --form job-application --format csv --excel --labels > for-excel.csv`,
    )
    .action(async (options: ExportOptions & CommandOptions) => {
      rejectWithoutCsv(options);
      const {
        form: slug,
        status,
        since,
        from,
        to,
        includeTests,
        asShown,
        format,
        records,
        withHidden,
        excel,
      } = options;
      const labels = asShown && format === 'csv' ? true : options.labels;
      const { exportSubmissions } = await import('../export-submissions.js');
      const { recordExport } = await import('./record-export.js');
      const { loadHooks } = await import('../../../server/load-hooks.js');
      const parts: ExportExtension[] = [];
      const exportAll = (show: (count: number) => void) =>
        withDatabase(async (dataSource, { hiddenValues }) => {
          let detail = {
            status,
            since,
            from,
            to,
            include_tests: includeTests,
            format,
            with_hidden: withHidden,
          };
          for (const part of parts) detail = { ...detail, ...(await part.begin(dataSource)) };
          await recordExport(dataSource, slug, detail);
          const selected = { slug, status, since, from, to, includeTests, asShown, hiddenValues };
          const exported = await exportSubmissions(
            dataSource,
            { ...selected, format, records, labels, withHidden, excel },
            async (text, soFar) => {
              await write(text);
              show(soFar);
            },
            parts,
          );
          for (const part of parts) await part.finish?.(dataSource);
          return exported;
        });
      const closing: Close[] = [];
      const work = async () => {
        for (const { beginExport } of await loadHooks()) {
          const part = await beginExport?.(options);
          if (part === undefined) continue;
          parts.push(part);
          closing.push(async () => part.close?.());
        }
        const exported = await withProgress('submission', exportAll);
        if (exported === undefined) throw noFormWithSlug(slug);
        sayToOperator(`Exported ${counted(exported.count, 'submission')}.`);
        exported.warnings.forEach(sayToOperator);
      };
      await closeAfter(work, closing, sayClosingFailed);
      for (const part of parts) part.report?.();
    });
}

const OF_CSV = ['records', 'labels', 'withHidden', 'excel'];

function rejectWithoutCsv({ format, ...options }: Pick<ExportOptions, 'format'> & CommandOptions): void {
  const name = Object.keys(options).find((option) => OF_CSV.includes(option));
  if (format === 'csv' || name === undefined) return;
  const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new CommandError(`"--${option}" is an option of CSV. Add "--format csv", or leave it out.`);
}
