import { Command } from 'commander';
import { packageVersion } from '../server/package-version.js';
import { auditCommand } from '../capabilities/audit/commands/audit.command.js';
import { dbCommand } from './db.command.js';
import { filesCommand } from '../capabilities/files/commands/files.command.js';
import { formsCommand } from '../capabilities/definitions/commands/forms.command.js';
import { respondentsCommand } from '../capabilities/respondents/commands/respondents.command.js';
import { serveCommand } from './serve.command.js';
import { submissionsCommand } from './submissions.command.js';
import { tokensCommand } from './tokens.command.js';
import { usersCommand } from '../capabilities/identities/commands/users.command.js';
import { webhooksCommand } from '../capabilities/webhooks/commands/webhooks.command.js';

export function createProgram(packageRoot: string): Command {
  const program = new Command('formtrail')
    .description('The command line of Formtrail. You can use it while the server runs.')
    .version(packageVersion(packageRoot), '-V, --version', 'print the version')
    .addCommand(tokensCommand())
    .addCommand(usersCommand())
    .addCommand(respondentsCommand())
    .addCommand(formsCommand(packageRoot))
    .addCommand(submissionsCommand())
    .addCommand(filesCommand())
    .addCommand(webhooksCommand(packageRoot))
    .addCommand(auditCommand())
    .addCommand(dbCommand(packageRoot))
    .addCommand(serveCommand(packageRoot))
    .addHelpText(
      'after',
      `
Commands use the database of the server: the one in DATABASE_URL, or else the embedded one in DATA_DIR (by
default .data in the current folder).
Results go to standard output and everything else to standard error. The exit status is 0 only on success.

Examples:
  formtrail tokens create --email ada@example.org --name "Ada's laptop" --expires-in 90d
  formtrail forms export job-application > job-application.json
  formtrail forms import job-application.json
  formtrail submissions export --form job-application --format csv > applications.csv
  formtrail submissions purge --drafts-older-than 90d --dry-run
  formtrail users erase --email ada@example.org
  formtrail webhooks add --url https://crm.example.org/hooks --form job-application
  formtrail audit list --since 7d`,
    );
  for (const command of [program, ...program.commands.flatMap((group) => [group, ...group.commands])])
    command.showHelpAfterError('Add --help to see the usage.');
  return program;
}
