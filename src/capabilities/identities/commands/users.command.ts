import { Command } from 'commander';
import { sayToOperator } from '../../../process/say-to-operator.js';
import { CommandError } from '../../../cli/command-error.js';
import { confirm } from '../../../cli/confirm.js';
import { parseClaim, parseEmail, parseUserId } from '../../../cli/option-values.js';
import { counted, print } from '../../../cli/output.js';
import type { NamedPeople } from './people.js';
import { withDatabase } from '../../../cli/with-database.js';

interface NameOptions {
  readonly email?: readonly string[];
  readonly user?: readonly number[];
  readonly issuer?: readonly string[];
  readonly subject?: readonly string[];
}

export function usersCommand(): Command {
  return new Command('users')
    .description('erase users, and sign users out')
    .addCommand(eraseCommand())
    .addCommand(signOutCommand());
}

function eraseCommand(): Command {
  return withNames(
    new Command('erase').description(
      'delete users with all their data: submissions with their values, tokens, and responses stored for retries.\n' +
        'The server can run meanwhile, and rejects the tokens from then on. Only a backup can bring the data back.',
    ),
  )
    .option('--yes', 'do not ask for confirmation')
    .action(async ({ yes, ...options }: NameOptions & { yes?: boolean }) => {
      const names = namesOf(options);
      const { countUser, eraseUsers } = await import('../../../cli/deletions.js');
      const { describePeople, findPeople, nameOf, sayUnfound } = await import('./people.js');
      const erased = await withDatabase(async (dataSource) => {
        const people = await findPeople(dataSource, names);
        const unfound = await sayUnfound(dataSource, names);
        sayToOperator([describePeople(people), ...(unfound === undefined ? [] : [unfound])].join('\n'));
        const extents = [];
        for (const person of people) {
          const { submissions, tokens } = await countUser(dataSource, person);
          extents.push(
            `${nameOf(person)} with ${counted(submissions, 'submission')} and ${counted(tokens, 'token')}`,
          );
        }
        await confirm(`Erase ${extents.join(', and ')} for good?`, yes === undefined ? {} : { yes });
        return eraseUsers(dataSource, people);
      });
      for (const { person, counts } of erased) {
        const { submissions, values, records, idempotencyKeys, tokens } = counts;
        const gone = [
          counted(submissions, 'submission'),
          counted(values, 'value'),
          counted(records, 'record'),
          counted(idempotencyKeys, 'idempotency key'),
          counted(tokens, 'token'),
          counted(1, 'user'),
        ];
        await print(`Erased ${nameOf(person)}: ${gone.join(', ')}.`);
      }
    });
}

function signOutCommand(): Command {
  return withNames(
    new Command('sign-out').description(
      'reject the JSON web tokens that users have from an identity provider. Tokens from a later sign-in are accepted.\n' +
        'API tokens (ftk_...) stay valid.',
    ),
  ).action(async (options: NameOptions) => {
    const names = namesOf(options);
    const { describePeople, nameOf, signOut } = await import('./people.js');
    const { people, unfound, since, tokens } = await withDatabase((dataSource) => signOut(dataSource, names));
    await print(describePeople(people));
    const users = people.map(nameOf).join(' and ');
    await print(`JSON web tokens of ${users} that were issued before ${since} are rejected from now on.`);
    await print(
      `API tokens that stay valid: ${tokens}. "tokens list" shows them, and "tokens revoke ID" revokes one.`,
    );
    if (unfound !== undefined) await print(unfound);
  });
}

function withNames(command: Command): Command {
  const collect =
    <T>(parse: (text: string) => T) =>
    (text: string, before: readonly T[] = []) => [...before, parse(text)];
  return command
    .option('--email <address>', 'the user with this e-mail address, in any letter case', collect(parseEmail))
    .option('--user <id>', 'the user with this id, the "user_id" of the log', collect(parseUserId))
    .option('--issuer <url>', 'with --subject: the user of an account, the claim iss', collect(parseClaim))
    .option('--subject <text>', 'the account at the issuer, the claim sub', collect(parseClaim))
    .addHelpText(
      'after',
      `
Name at least one user. To name several users, repeat the options. An address cannot find the account of a person at an
identity provider if another user had the address first, or if the provider has not verified the address.

Examples:
  formtrail users ${command.name()} --email ada@example.org
  formtrail users ${command.name()} --email ada@example.org --issuer https://id.example.org --subject 248289761001`,
    );
}

function namesOf({ email = [], user = [], issuer = [], subject = [] }: NameOptions): NamedPeople {
  if (issuer.length !== subject.length)
    throw new CommandError('An account has an issuer and a subject: give --issuer and --subject together.');
  const accounts = issuer.map((url, at) => ({ issuer: url, subject: subject[at] ?? '' }));
  if (email.length + user.length + accounts.length === 0)
    throw new CommandError(
      'Name a user with --email ADDRESS, --user ID, or --issuer URL and --subject ACCOUNT.',
    );
  return { emails: email, users: user, accounts };
}
