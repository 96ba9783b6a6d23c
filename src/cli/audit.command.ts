import { Command } from 'commander';
import type { ListedAct } from './audit.js';
import { parseAuditAge, parseSince } from './option-values.js';
import { counted, print, printJson, printTable, write } from './output.js';

interface ListOptions {
  readonly since?: string;
  readonly json?: boolean;
}

interface PurgeOptions {
  readonly olderThan: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function auditCommand(): Command {
  return new Command('audit')
    .description(
      'list what operators and panels did with tokens, users, webhooks, forms, exports and deletions',
    )
    .addCommand(listCommand())
    .addCommand(purgeCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description(
      'list the acts in the audit log, the oldest first: time, actor, database role, action, subject, detail.\n' +
        'Any number of them takes little memory.',
    )
    .option(
      '--since <time>',
      'only what happened at this time or later: 2026-11-21 (its midnight in UTC), 2026-11-21T16:30:00Z, or a duration ' +
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
    .action(async ({ since, json = false }: ListOptions) => {
      const { listActs } = await import('./audit.js');
      const { withDatabase } = await import('./with-database.js');
      const writePages = json ? writeArray : writeTable;
      await withDatabase((dataSource) => writePages(listActs(dataSource, since)));
    });
}

type Pages = AsyncIterable<readonly ListedAct[]>;

async function writeArray(pages: Pages): Promise<void> {
  let isFirst = true;
  for await (const page of pages) {
    for (const act of page) {
      await write(`${isFirst ? '[' : ','}\n  ${JSON.stringify(act)}`);
      isFirst = false;
    }
  }
  await print(isFirst ? '[]' : '\n]');
}

/** Columns are aligned within a page: to align them all, every act would have to be read first. */
async function writeTable(pages: Pages): Promise<void> {
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

function purgeCommand(): Command {
  return new Command('purge')
    .description('delete old acts from the audit log; the database keeps each for 30 days at least')
    .requiredOption('--older-than <duration>', 'since it happened: 30d, 52w or 730d', parseAuditAge)
    .option('--dry-run', 'delete nothing, and say how many it would be')
    .option('--json', 'print a JSON object')
    .action(async ({ olderThan, dryRun = false, json = false }: PurgeOptions) => {
      const { purgeActs } = await import('./audit.js');
      const { withDatabase } = await import('./with-database.js');
      const acts = await withDatabase((dataSource) => purgeActs(dataSource, olderThan, dryRun));
      if (json) return printJson({ acts, dry_run: dryRun });
      return print(`${dryRun ? 'Would delete' : 'Deleted'} ${counted(acts, 'act')}.`);
    });
}
