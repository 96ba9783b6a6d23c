import { Command } from 'commander';
import { CommandError } from './command-error.js';
import { confirm } from './confirm.js';
import { parseEmail } from './option-values.js';
import { counted, print } from './output.js';

interface EraseOptions {
  readonly email: string;
  readonly yes?: boolean;
}

export function usersCommand(): Command {
  const users = new Command('users').description('erase users');

  users
    .command('erase')
    .description(
      'delete a user with all that there is of the person: submissions with their values, tokens, remembered answers.\n' +
        'It can be done while the server runs, which refuses the tokens from then on. There is no way back but a backup.',
    )
    .requiredOption('--email <address>', 'the user, whatever the letter case', parseEmail)
    .option('--yes', 'do not ask')
    .action(async ({ email, ...consent }: EraseOptions) => {
      const { eraseUser, findPerson } = await import('./deletions.js');
      const { withDatabase } = await import('./with-database.js');
      const { erased, person } = await withDatabase(async (dataSource) => {
        const person = await findPerson(dataSource, email);
        if (person === undefined) throw noUserWithEmail(email);
        const extent = `${counted(person.submissions, 'submission')} and ${counted(person.tokens, 'token')}`;
        await confirm(`Erase ${person.email} with ${extent} for good?`, consent);
        const erased = await eraseUser(dataSource, email);
        if (erased === undefined) throw noUserWithEmail(email);
        return { erased, person };
      });
      const { submissions, values, records, idempotencyKeys, tokens } = erased;
      const gone = [
        counted(submissions, 'submission'),
        counted(values, 'value'),
        counted(records, 'record'),
        counted(idempotencyKeys, 'idempotency key'),
        counted(tokens, 'token'),
        counted(1, 'user'),
      ];
      await print(`Erased ${person.email}: ${gone.join(', ')}.`);
    });

  return users;
}

function noUserWithEmail(email: string): CommandError {
  return new CommandError(
    `There is no user with the e-mail address "${email}". "tokens list" shows the users who have tokens.`,
  );
}
