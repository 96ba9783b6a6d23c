import { Command } from 'commander';
import type { EntityManager } from 'typeorm';
import { CommandError, formIdOf } from './command-error.js';
import { confirm } from './confirm.js';
import { parseAge, parseUuid, type PurgeOptions } from './option-values.js';
import { counted, print, printJson, withProgress } from './output.js';
import { withDatabase } from './with-database.js';

interface DraftPurgeOptions extends PurgeOptions {
  readonly draftsOlderThan: number;
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
      'delete drafts without a recent write, with their values; never a completed submission, except tests.\n' +
        'You can interrupt the command: deleted drafts stay deleted. The server can run meanwhile.',
    )
    .requiredOption(
      '--drafts-older-than <duration>',
      'minimum time since the last write, such as 12h, 90d or 2w',
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
        await import('../submissions/drafts/purge-drafts.js');
      const { loadHooks } = await import('../server/load-hooks.js');
      const { recordBatch } = await import('./record-batch.js');
      const purges = (await loadHooks()).flatMap(({ deletions }) => deletions?.purge ?? []);
      const record = (manager: EntityManager, detail: Readonly<Record<string, unknown>>) =>
        recordBatch(manager, 'submissions.deleted', slug, detail);
      const purge = (show: (count: number) => void) =>
        withDatabase(async (dataSource) => {
          const formId = slug === undefined ? undefined : await formIdOf(dataSource, slug);
          const before = await secondsAgo(dataSource, draftsOlderThan);
          const abandoned = { formId, before };
          const drafts = dryRun
            ? await countAbandonedDrafts(dataSource, abandoned)
            : await purgeDrafts(dataSource, abandoned, show, (manager, submissions) =>
                record(manager, { status: 'draft', last_written_before: before, submissions }),
              );
          const counts: Record<string, number> = {};
          for (const { key, run } of purges) counts[key] = await run(dataSource, { formId, dryRun, record });
          return { drafts, counts, before };
        });
      const { drafts, counts, before } = await withProgress('draft', purge);
      if (json) return printJson({ drafts, ...counts, last_written_before: before, dry_run: dryRun });
      const others = purges.map(({ key, noun }) => ({ noun, count: counts[key] ?? 0 }));
      const found = [{ noun: 'draft', count: drafts }, ...others.filter(({ count }) => count > 0)];
      const lines = found
        .map(({ count, noun }) => counted(count, noun))
        .map((count) => (dryRun ? `${count} would be deleted.` : `Deleted ${count}.`));
      return print(lines.join('\n'));
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
      const { countSubmissions, deleteSubmission, ensureDeletable } = await import('./deletions.js');
      const { values, records } = await withDatabase(async (dataSource) => {
        const selected = { column: 'uuid', key: uuid } as const;
        const found = await countSubmissions(dataSource.manager, selected);
        if (found.submissions === 0) throw noSubmission(uuid);
        await ensureDeletable(dataSource.manager, selected);
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
