import { Command } from 'commander';
import { findCommand } from '../../../cli/find-command.js';
import { ensure, repeated } from '../../../cli/option-values.js';
import { print } from '../../../cli/output.js';
import { exampleOf, withNames } from '../../../cli/users.command.js';
import { withDatabase } from '../../../cli/with-database.js';
import type { CommandOptions } from '../../../server/hooks.js';

export function addUserCommands(program: Command): void {
  const users = findCommand(program, 'users');
  users.description(`${users.description()}, and sign users out`).addCommand(signOutCommand());
  users.commands.forEach(addAccounts);
}

function signOutCommand(): Command {
  return withNames(
    new Command('sign-out').description(
      'reject the JSON web tokens that users have from an identity provider. Tokens from a later sign-in are accepted.\n' +
        'API tokens (ftk_...) stay valid.',
    ),
  ).action(async (options: CommandOptions) => {
    const { nameOf, namesOf } = await import('../../../cli/people.js');
    const { signOut } = await import('./sign-out.js');
    const names = await namesOf(options);
    const signedOut = await withDatabase((dataSource) => signOut(dataSource, names));
    const { people, found, unfound, since, tokens } = signedOut;
    await print(found);
    const users = people.map(nameOf).join(' and ');
    await print(`JSON web tokens of ${users} that were issued before ${since} are rejected from now on.`);
    await print(
      `API tokens that stay valid: ${tokens}. "tokens list" shows them, and "tokens revoke ID" revokes one.`,
    );
    for (const sentence of unfound) await print(sentence);
  });
}

function addAccounts(command: Command): void {
  command
    .option('--issuer <url>', 'with --subject: the user of an account, the claim iss', repeated(parseClaim))
    .option('--subject <text>', 'the account at the issuer, the claim sub', repeated(parseClaim))
    .addHelpText(
      'after',
      `  ${exampleOf(command)} --email ada@example.org --issuer https://id.example.org --subject 248289761001

An address cannot find the account of a person at an identity provider if another user had the address first, or if the
provider has not verified the address.`,
    );
}

function parseClaim(text: string): string {
  const isClaim = text !== '' && Array.from(text).length <= 255;
  return ensure(text, isClaim, '1 to 255 characters, as in the JSON web token');
}
