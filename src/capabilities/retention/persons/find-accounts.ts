import type { EntityManager } from 'typeorm';
import { CommandError } from '../../../cli/command-error.js';
import { lookUp, type NamedPeople, noUserWithEmail } from '../../../cli/people.js';
import type { CommandOptions, Person } from '../../../server/hooks.js';
import { loadHooks } from '../../../server/load-hooks.js';
import { type AnswersWithAddress, accountsInAnswers } from './accounts-in-answers.js';
import { countSubmissionsOf, type SubmissionNumbers } from './submission-numbers.js';

export interface FoundAccount extends Person {
  /** The options of the command that named the account, such as `email`. Empty: its answers have an address. */
  readonly named_by: readonly string[];
  readonly answers: readonly AnswersWithAddress[];
  readonly submissions: SubmissionNumbers;
  /** What capabilities store of the account. */
  readonly [property: string]: unknown;
}

/**
 * Finds the named accounts, and then the accounts whose answers have a named address, or the address of a user who was named otherwise.
 *
 * @throws CommandError before it yields an account, if a name finds nothing
 */
export async function* findAccounts(
  manager: EntityManager,
  names: NamedPeople,
  options: CommandOptions,
): AsyncGenerator<FoundAccount> {
  const { people, unknown } = await lookUp(manager, names);
  const ids = people.map(({ id }) => id);
  for (const email of unknown) {
    const { done } = await accountsInAnswers(manager, [email], ids).next();
    if (done === true)
      throw new CommandError(
        `${(await noUserWithEmail(email)).message} No answer in an email field is this address.`,
      );
  }
  const addresses = people.flatMap(({ email }) => email ?? []);
  for (const person of people) yield describe(manager, person, namesOf(person, names, options), []);
  for await (const account of accountsInAnswers(manager, [...names.emails, ...addresses], ids))
    yield describe(manager, account, [], account.answers);
}

function namesOf({ id, email }: Person, { emails, users }: NamedPeople, options: CommandOptions): string[] {
  const byEmail = emails.some((one) => one.toLowerCase() === email?.toLowerCase());
  const names = [...(byEmail ? ['email'] : []), ...(users.includes(id) ? ['user'] : [])];
  return names.length > 0 ? names : Object.keys(options).filter((name) => !['email', 'user'].includes(name));
}

async function describe(
  manager: EntityManager,
  { id, email }: Person,
  named_by: readonly string[],
  answers: readonly AnswersWithAddress[],
): Promise<FoundAccount> {
  const submissions = await countSubmissionsOf(manager, id);
  const found = { id, email, named_by, answers, submissions };
  for (const { personalData } of await loadHooks())
    Object.assign(found, await personalData?.ofUser?.(manager, id));
  return found;
}
