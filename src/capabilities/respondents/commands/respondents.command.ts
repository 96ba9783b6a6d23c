import { Command } from 'commander';
import { formIdOf } from '../../../cli/command-error.js';
import { confirm } from '../../../cli/confirm.js';
import { counted, print, printJson, withProgress } from '../../../cli/output.js';
import type { PurgeOptions } from '../../../cli/option-values.js';
import { withDatabase } from '../../../cli/with-database.js';

export function respondentsCommand(): Command {
  return new Command('respondents')
    .description('end the access of respondents: visitors of public forms, who have no account')
    .addCommand(revokeCommand())
    .addCommand(purgeCommand());
}

function revokeCommand(): Command {
  return new Command('revoke')
    .description(
      'end the tokens and resume codes of all respondents of a form; the service rejects requests with them from then on.\n' +
        'Their submissions stay. New respondents can still begin: set the access of the form to token to prevent this.',
    )
    .requiredOption('--form <slug>', 'the form, as "forms list" shows it')
    .option('--yes', 'do not ask for confirmation')
    .action(async ({ form: slug, ...consent }: { form: string; yes?: boolean }) => {
      const { revokeRespondents } = await import('../revoke-respondents.js');
      const { recordBatch } = await import('../../../cli/record-batch.js');
      const tokens = await withProgress('token', (show) =>
        withDatabase(async (dataSource) => {
          const formId = await formIdOf(dataSource, slug);
          await confirm(`End the access of all respondents of the form "${slug}"?`, consent);
          return revokeRespondents(dataSource, formId, show, (manager, tokens) =>
            recordBatch(manager, 'respondents.revoked', slug, { tokens }),
          );
        }),
      );
      await print(`Ended ${counted(tokens, 'token')} of respondents of the form "${slug}".`);
    });
}

function purgeCommand(): Command {
  return new Command('purge')
    .description(
      'delete respondents who can no longer continue, with their drafts, and respondents who began nothing within 24 hours.\n' +
        'A completed submission stays, and so does its respondent. A respondent with a valid token or resume code can continue.\n' +
        'You can interrupt the command: what is deleted stays deleted. The server can run meanwhile.',
    )
    .option('--form <slug>', 'only respondents of this form, as "forms list" shows it')
    .option('--dry-run', 'delete nothing, only count')
    .option('--json', 'print a JSON object')
    .action(async ({ form: slug, dryRun = false, json = false }: PurgeOptions & { form?: string }) => {
      const { countPurgeable, purgeRespondents } = await import('../purge-respondents.js');
      const { recordBatch } = await import('../../../cli/record-batch.js');
      const purged = await withProgress('respondent', (show) =>
        withDatabase(async (dataSource) => {
          const formId = slug === undefined ? undefined : await formIdOf(dataSource, slug);
          if (dryRun) return countPurgeable(dataSource, formId);
          return purgeRespondents(dataSource, formId, show, (manager, purged) =>
            recordBatch(manager, 'respondents.purged', slug, { ...purged }),
          );
        }),
      );
      if (typeof purged === 'number')
        return json
          ? printJson({ respondents: purged, dry_run: true })
          : print(`${counted(purged, 'respondent')} would be deleted, or would lose drafts.`);
      const { respondents, drafts } = purged;
      return json
        ? printJson({ respondents, drafts, dry_run: false })
        : print(`Deleted ${counted(respondents, 'respondent')} and ${counted(drafts, 'draft')}.`);
    });
}
