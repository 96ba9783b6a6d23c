import { Command } from 'commander';
import type { DataSource } from 'typeorm';
import { sayToOperator } from '../process/say-to-operator.js';
import type { CommandOptions } from '../server/hooks.js';
import { CommandError } from './command-error.js';
import { confirm } from './confirm.js';
import { parseEmail, parseUserId, repeated } from './option-values.js';
import { counted, print } from './output.js';
import { withDatabase } from './with-database.js';

export function usersCommand(): Command {
  return new Command('users').description('erase users').addCommand(eraseCommand());
}

function eraseCommand(): Command {
  return withNames(
    new Command('erase').description(
      'delete users with all their data: submissions with their values, tokens, and responses stored for retries.\n' +
        'The server can run meanwhile, and rejects the tokens from then on. Only a backup can bring the data back.',
    ),
  )
    .option('--yes', 'do not ask for confirmation')
    .action(async ({ yes, ...options }: CommandOptions & { yes?: boolean }) => {
      const { countUserData, eraseUsers } = await import('./deletions.js');
      const { describePeople, findOnlyPeople, nameOf, namesOf, sayUnfound, whatStays } =
        await import('./people.js');
      const names = await namesOf(options);
      const erase = async (dataSource: DataSource) => {
        const { people, doubts } = await findOnlyPeople(dataSource, names, 'users erase');
        const unfound = await sayUnfound(dataSource, names);
        sayToOperator([await describePeople(dataSource, people), ...doubts, ...unfound].join('\n'));
        const extents = [];
        for (const person of people) {
          const { submissions, tokens } = await countUserData(dataSource, person);
          extents.push(
            `${nameOf(person)} with ${counted(submissions, 'submission')} and ${counted(tokens, 'token')}`,
          );
        }
        await confirm(`Permanently erase ${extents.join(', and ')}?`, yes === undefined ? {} : { yes });
        return eraseUsers(dataSource, people);
      };
      const erased = await withDatabase(erase);
      for (const { person, counts, held } of erased) {
        const { submissions, values, records, idempotencyKeys, tokens } = counts;
        const gone = [
          counted(submissions, 'submission'),
          counted(values, 'value'),
          counted(records, 'record'),
          counted(idempotencyKeys, 'idempotency key'),
          counted(tokens, 'token'),
          ...(held.length === 0 ? [counted(1, 'user')] : []),
        ];
        const what = held.length === 0 ? 'Erased' : 'Erased the data of';
        await print(`${what} ${nameOf(person)}: ${gone.join(', ')}.`);
      }
      await print(['This stays:', ...(await whatStays())].join('\n- '));
      rejectHeld(erased);
    });
}

/** @throws CommandError if held submissions stay, together with their users */
function rejectHeld(
  erased: readonly { readonly person: { readonly id: number }; readonly held: readonly string[] }[],
): void {
  const kept = erased.flatMap(({ person, held }) => (held.length === 0 ? [] : { ...person, held }));
  if (kept.length === 0) return;
  const named = kept.map(
    ({ id, held }) => `Kept user ${id} and ${counted(held.length, 'held submission')}: ${held.join(', ')}.`,
  );
  const what = kept.flatMap(({ held }) => held).length === 1 ? 'it' : 'them';
  throw new CommandError(
    `${named.join(' ')} Set submissions.held of ${what} to false, for example in the administration panel, then run the command again.`,
  );
}

/** Returns the beginning of an example, with the options that the command requires. */
export const exampleOf = (command: Command): string =>
  [
    'formtrail users',
    command.name(),
    ...command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags.replace('<dir>', 'ada')),
  ].join(' ');

/** Adds options that name users. Capabilities may add options for other names: see `UserNames`. */
export function withNames(command: Command): Command {
  return command
    .option('--email <address>', 'the user with this email address, in any letter case', repeated(parseEmail))
    .option('--user <id>', 'the user with this id, the "user_id" of the log', repeated(parseUserId))
    .addHelpText(
      'after',
      `
Name at least one user. To name several users, repeat the options.

Examples:
  ${exampleOf(command)} --email ada@example.org`,
    );
}
