import { Command } from 'commander';
import type { CommandOptions, Purge, PurgeReport, PurgeSelection } from '../server/hooks.js';
import { CommandError, formIdOf } from './command-error.js';
import { confirm } from './confirm.js';
import { parseAge, parseUuid, type PurgeOptions } from './option-values.js';
import { counted, print, printJson, purged, withProgress } from './output.js';
import { withDatabase } from './with-database.js';

interface DraftPurgeOptions extends PurgeOptions, CommandOptions {
  readonly draftsOlderThan?: number;
  readonly form?: string;
}

export function submissionsCommand(): Command {
  return new Command('submissions')
    .description('delete a submission, or purge abandoned drafts')
    .addCommand(purgeCommand())
    .addCommand(deleteCommand());
}

function purgeCommand(): Command {
  return new Command('purge')
    .description(
      'delete drafts without a recent write, with their values. Held submissions stay.\n' +
        'You can interrupt the command: what was deleted stays deleted. The server can run meanwhile.',
    )
    .option(
      '--drafts-older-than <duration>',
      'delete the drafts that were last written to so long ago, such as 12h, 90d or 2w',
      parseAge,
    )
    .option('--form <slug>', 'only submissions of this form, as "forms list" shows it')
    .option('--dry-run', 'delete nothing, only count')
    .option('--json', 'print a JSON object')
    .addHelpText(
      'after',
      `
Examples:
  formtrail submissions purge --drafts-older-than 90d --dry-run
  formtrail submissions purge --drafts-older-than 90d --form job-application`,
    )
    .action(async ({ form: slug, dryRun = false, json = false, ...options }: DraftPurgeOptions) => {
      const { loadHooks } = await import('../server/load-hooks.js');
      const { recordBatch } = await import('./record-batch.js');
      const others = (await loadHooks()).flatMap(({ deletions }) => deletions?.purge ?? []);
      const purges = chosenPurges(options, [DRAFTS, ...others]);
      const record: PurgeSelection['record'] = (
        manager,
        detail,
        { action = 'submissions.deleted', form = slug } = {},
      ) => recordBatch(manager, action, form, detail);
      const reports = await withProgress('submission', (show) =>
        withDatabase(async (dataSource, environment) => {
          const formId = slug === undefined ? undefined : await formIdOf(dataSource, slug);
          const done: PurgeReport[] = [];
          for (const { run } of purges)
            done.push(await run(dataSource, { environment, options, formId, dryRun, show, record }));
          return done;
        }),
      );
      if (json)
        return printJson(Object.assign({}, ...reports.map((report) => report.json), { dry_run: dryRun }));
      return print(reports.flatMap(({ lines }) => lines).join('\n'));
    });
}

const DRAFTS: Purge = {
  option: 'draftsOlderThan',
  async run(dataSource, { options, formId, dryRun, show, record }) {
    const { countAbandonedDrafts, purgeDrafts, secondsAgo } = await import('./purge-drafts.js');
    const before = await secondsAgo(dataSource, options['draftsOlderThan'] as number);
    const abandoned = { formId, before };
    const drafts = dryRun
      ? await countAbandonedDrafts(dataSource, abandoned)
      : await purgeDrafts(dataSource, abandoned, show, (manager, submissions) =>
          record(manager, { status: 'draft', last_written_before: before, submissions }),
        );
    return { json: { drafts, last_written_before: before }, lines: [purged(drafts, 'draft', dryRun)] };
  },
};

/** @throws CommandError unless the options ask for exactly one purge */
function chosenPurges(options: CommandOptions, purges: readonly Purge[]): readonly Purge[] {
  const isAsked = ({ option = '' }: Purge) => options[option] !== undefined;
  const optional = purges.filter(({ option }) => option !== undefined);
  if (optional.filter(isAsked).length === 1)
    return purges.filter((purge) => purge.option === undefined || isAsked(purge));
  const names = optional.map(
    ({ option = '' }) => `"--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}"`,
  );
  const choices = new Intl.ListFormat('en').format(names);
  throw new CommandError(`Give ${names.length === 1 ? '' : 'one of '}${choices}.`);
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
      const { countSubmissions, deleteSubmission, ensureDeletable } = await import('./deletions.js');
      const { values, records } = await withDatabase(async (dataSource) => {
        const selected = { column: 'uuid', key: uuid } as const;
        await ensureDeletable(dataSource.manager, selected);
        const found = await countSubmissions(dataSource.manager, selected);
        if (found.submissions === 0) throw noSubmission(uuid);
        await confirm(
          `Permanently delete the submission ${uuid} with ${counted(found.values, 'value')}?`,
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
