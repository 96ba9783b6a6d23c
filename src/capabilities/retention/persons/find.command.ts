import { Command } from 'commander';
import { print, printArray } from '../../../cli/output.js';
import { withNames } from '../../../cli/users.command.js';
import { withDatabase } from '../../../cli/with-database.js';
import { sayToOperator } from '../../../process/say-to-operator.js';
import type { CommandOptions } from '../../../server/hooks.js';

export function findPersonCommand(): Command {
  return withNames(
    new Command('find').description(
      'list all accounts that may be a person, and why: users with the name, and users whose answers in email fields are the address.\n' +
        'Changes nothing. Answers in fields of other types are not searched.',
    ),
  )
    .option('--json', 'print a JSON array')
    .action(async ({ json = false, ...options }: CommandOptions & { json?: boolean }) => {
      const { describePeople, namesOf, sayUnfound } = await import('../../../cli/people.js');
      const { findAccounts } = await import('./find-accounts.js');
      const { reasonOf } = await import('./accounts-in-answers.js');
      const { describeNumbers } = await import('./submission-numbers.js');
      const names = await namesOf(options);
      await withDatabase(async (dataSource) => {
        const accounts = findAccounts(dataSource.manager, names, options);
        if (json) await printArray(accounts);
        else
          for await (const account of accounts) {
            const named = account.named_by.map((option) => `--${option}`).join(' and ');
            const reasons = named === '' ? account.answers.map(reasonOf) : [`Named by ${named}`];
            await print(await describePeople(dataSource, [account]));
            for (const sentence of [...reasons, describeNumbers(account.submissions)])
              await print(`  ${sentence}.`);
          }
        for (const sentence of await sayUnfound(dataSource, names))
          if (json) sayToOperator(sentence);
          else await print(sentence);
      });
    });
}
