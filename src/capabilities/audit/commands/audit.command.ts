import { Command } from 'commander';
import type { ListedAuditEntry } from './audit.js';
import { parseSince, type PurgeOptions, secondsFrom } from '../../../cli/option-values.js';
import { counted, print, printArray, printJson, printTable } from '../../../cli/output.js';
import { withDatabase } from '../../../cli/with-database.js';

export function auditCommand(): Command {
  return new Command('audit')
    .description(
      'list or purge the audit log: what operators and panels did with tokens, users, webhooks, forms and submissions',
    )
    .addCommand(listCommand())
    .addCommand(purgeCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description(
      'list the acts in the audit log, oldest first: time, actor, database role, action, subject, detail.\n' +
        'The command needs little memory, however long the log is.',
    )
    .option(
      '--since <time>',
      'only acts at this time or later: 2026-11-21 (midnight UTC), 2026-11-21T16:30:00Z, or a duration ' +
        'before now such as 12h, 7d or 2w',
      parseSince,
    )
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      `
Examples:
  formtrail audit list --since 7d
  formtrail audit list --since 2026-11-01 --json`,
    )
    .action(async ({ since, json = false }: { since?: string; json?: boolean }) => {
      const { listAuditEntries } = await import('./audit.js');
      await withDatabase((dataSource) => {
        const pages = listAuditEntries(dataSource, since);
        return json ? printArray(pages) : printPages(pages);
      });
    });
}

/** Aligns columns within each page only, because aligning all pages would require reading every entry first. */
async function printPages(pages: AsyncIterable<readonly ListedAuditEntry[]>): Promise<void> {
  let header: string[][] = [['TIME', 'ACTOR', 'ROLE', 'ACTION', 'SUBJECT', 'DETAIL']];
  for await (const page of pages) {
    const rows = page.map(({ happened_at, actor, database_role, action, subject, detail }) => {
      const time = happened_at.replace(/\.\d+Z$/, 'Z');
      return [time, actor, database_role, action, subject, JSON.stringify(detail)];
    });
    if (header.length + rows.length > 0) await printTable([...header, ...rows]);
    header = [];
  }
}

/** Rejects less than 30 days, because the database does not delete younger entries. */
const parseAge = (text: string) =>
  secondsFrom(30 * 86_400, text, 'days or weeks, such as 90d or 52w, from 30d to 36500d');

function purgeCommand(): Command {
  return new Command('purge')
    .description('delete old acts from the audit log; the database keeps every act for at least 30 days')
    .requiredOption('--older-than <duration>', 'minimum age of an act, such as 30d, 52w or 730d', parseAge)
    .option('--dry-run', 'delete nothing, only count')
    .option('--json', 'print a JSON object')
    .action(async ({ olderThan, dryRun = false, json = false }: PurgeOptions & { olderThan: number }) => {
      const { purgeAuditEntries } = await import('./audit.js');
      const entries = await withDatabase((dataSource) => purgeAuditEntries(dataSource, olderThan, dryRun));
      if (json) return printJson({ acts: entries, dry_run: dryRun });
      return print(`${dryRun ? 'Would delete' : 'Deleted'} ${counted(entries, 'act')}.`);
    });
}
