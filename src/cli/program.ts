import { Command } from 'commander';
import { CAPABILITIES } from '../capabilities.js';
import { cacheCompiledCode } from './compile-cache.js';
import { packageVersion } from '../server/package-version.js';
import { dbCommand } from './db.command.js';
import { formsCommand } from './forms.command.js';
import { serveCommand } from './serve.command.js';
import { submissionsCommand } from './submissions.command.js';
import { tokensCommand } from './tokens.command.js';
import { usersCommand } from './users.command.js';

export function createProgram(packageRoot: string): Command {
  const program = new Command('formtrail')
    .description('The command line of Formtrail. You can use it while the server runs.')
    .version(packageVersion(packageRoot), '-V, --version', 'print the version')
    .addCommand(tokensCommand())
    .addCommand(formsCommand())
    .addCommand(submissionsCommand())
    .addCommand(usersCommand())
    .addCommand(dbCommand())
    .addCommand(serveCommand(packageRoot))
    .addHelpText(
      'after',
      `
Commands use the database of the server: the one in DATABASE_URL, or else the embedded one in DATA_DIR (by
default .data in the current folder).
Results go to standard output and everything else to standard error. The exit status is 0 only on success.

Examples:
  formtrail tokens create --email ada@example.org --name "Ada's laptop" --expires-in 90d
  formtrail submissions purge --drafts-older-than 90d --dry-run`,
    );
  for (const { addCommands } of CAPABILITIES) addCommands?.(program, packageRoot);
  program.hook('preAction', (_, command) => {
    cacheCompiledCode(command);
  });
  for (const command of [program, ...program.commands.flatMap((group) => [group, ...group.commands])])
    command.showHelpAfterError('Add --help to see the usage.');
  return program;
}
