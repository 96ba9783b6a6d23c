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
  const users = new Command('users').description('erase users, and sign users out');

  users
    .command('erase')
    .description(
      'delete a user with all their data: submissions with their values, tokens, and responses stored for retries.\n' +
        'The server can run meanwhile, and rejects the tokens from then on. Only a backup can bring the data back.',
    )
    .requiredOption('--email <address>', 'the user, in any letter case', parseEmail)
    .option('--yes', 'do not ask for confirmation')
    .action(async ({ email, ...consent }: EraseOptions) => {
      const { eraseUser, findUser } = await import('./deletions.js');
      const { withDatabase } = await import('./with-database.js');
      const { erased, user } = await withDatabase(async (dataSource) => {
        const user = await findUser(dataSource, email);
        if (user === undefined) throw noUserWithEmail(email);
        const extent = `${counted(user.submissions, 'submission')} and ${counted(user.tokens, 'token')}`;
        await confirm(`Erase ${user.email} with ${extent} for good?`, consent);
        const erased = await eraseUser(dataSource, email);
        if (erased === undefined) throw noUserWithEmail(email);
        return { erased, user };
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
      await print(`Erased ${user.email}: ${gone.join(', ')}.`);
    });

  users
    .command('sign-out')
    .description(
      'reject the JSON web tokens that a user has from an identity provider. Tokens from a later sign-in are accepted.\n' +
        'API tokens (ftk_...) stay valid.',
    )
    .requiredOption('--email <address>', 'the user, in any letter case', parseEmail)
    .action(async ({ email }: { email: string }) => {
      const { signOut } = await import('./sign-out.js');
      const { withDatabase } = await import('./with-database.js');
      const user = await withDatabase((dataSource) => signOut(dataSource, email));
      if (user === undefined) throw noUserWithEmail(email);
      await print(
        `JSON web tokens of ${user.email} that were issued before ${user.since} are rejected from now on.`,
      );
      await print(
        `API tokens that stay valid: ${user.tokens}. "tokens list" shows them, and "tokens revoke ID" revokes one.`,
      );
    });

  return users;
}

function noUserWithEmail(email: string): CommandError {
  return new CommandError(
    `There is no user with the e-mail address "${email}". "tokens list" shows the users with tokens.`,
  );
}
