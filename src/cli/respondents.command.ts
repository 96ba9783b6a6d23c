import { Command } from 'commander';
import { noFormWithSlug } from './command-error.js';
import { confirm } from './confirm.js';
import { counted, print, printJson, withProgress } from './output.js';

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
      const { revokeRespondents } = await import('../respondents/revoke-respondents.js');
      const { Form } = await import('../entities.js');
      const { recordRevocation } = await import('./record-acts.js');
      const { withDatabase } = await import('./with-database.js');
      const tokens = await withProgress('token', (progress) =>
        withDatabase(async (dataSource) => {
          const form = await dataSource.manager.findOneBy(Form, { slug });
          if (form === null) throw noFormWithSlug(slug);
          await confirm(`End the access of all respondents of the form "${slug}"?`, consent);
          return revokeRespondents(
            dataSource,
            form.id,
            (count) => progress.show(count),
            recordRevocation(slug),
          );
        }),
      );
      await print(`Ended ${counted(tokens, 'token')} of respondents of the form "${slug}".`);
    });
}

interface PurgeOptions {
  readonly form?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
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
    .action(async ({ form: slug, dryRun = false, json = false }: PurgeOptions) => {
      const { countPurgeable, purgeRespondents } = await import('../respondents/purge-respondents.js');
      const { Form } = await import('../entities.js');
      const { recordRespondentPurge } = await import('./record-acts.js');
      const { withDatabase } = await import('./with-database.js');
      const purged = await withProgress('respondent', (progress) =>
        withDatabase(async (dataSource) => {
          const form = slug === undefined ? null : await dataSource.manager.findOneBy(Form, { slug });
          if (slug !== undefined && form === null) throw noFormWithSlug(slug);
          if (dryRun) return countPurgeable(dataSource, form?.id);
          return purgeRespondents(
            dataSource,
            form?.id,
            (count) => progress.show(count),
            recordRespondentPurge(slug),
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
