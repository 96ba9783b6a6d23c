import type { EntityManager } from 'typeorm';
import { CommandError } from '../../../cli/command-error.js';
import { nameOf } from '../../../cli/people.js';
import type { FoundPeople } from '../../../server/hooks.js';
import { type AccountInAnswers, accountsInAnswers, reasonOf } from './accounts-in-answers.js';
import { shellWord } from './shell-word.js';

/** Accounts that a message names. */
const NAMED = 20;

/**
 * Refuses an address that also stands in answers of other accounts, because it does not say which accounts are the person's (A10). If a
 * user was named otherwise, the name is exact: a sentence only says which accounts have the user's address in answers.
 */
export async function checkNames(
  manager: EntityManager,
  { emails, people }: FoundPeople,
  command: string,
): Promise<readonly string[]> {
  const ids = people.map(({ id }) => id);
  const candidates = await firstInAnswers(manager, emails, ids);
  if (candidates.length > 0) throw new CommandError(refusal({ emails, people }, candidates, command));
  const addresses = people.flatMap(({ email }) => email ?? []);
  const others = await firstInAnswers(manager, addresses, ids);
  if (others.length === 0) return [];
  const names = others.slice(0, NAMED).map(nameOf);
  if (others.length > NAMED) names.push('further accounts');
  const find = `"users find ${ids.map((id) => `--user ${id}`).join(' ')}"`;
  return [
    `Answers of these accounts have an address of the named users, so that they may belong to the same people: ` +
      `${new Intl.ListFormat('en').format(names)}. ${find} says why.`,
  ];
}

/** Returns one account more than messages name, if there are so many. */
async function firstInAnswers(
  manager: EntityManager,
  addresses: readonly string[],
  exceptIds: readonly number[],
): Promise<AccountInAnswers[]> {
  const found: AccountInAnswers[] = [];
  for await (const account of accountsInAnswers(manager, addresses, exceptIds)) {
    found.push(account);
    if (found.length > NAMED) break;
  }
  return found;
}

function refusal(
  { emails, people }: FoundPeople,
  candidates: readonly AccountInAnswers[],
  command: string,
): string {
  const shown = candidates.slice(0, NAMED);
  const isCut = candidates.length > NAMED;
  const named = people.map(({ id }) => id);
  const others = shown.map(({ id }) => id);
  const choices = [
    ...(named.length > 0 ? [named] : []),
    ...others.map((id) => [...named, id]),
    ...(others.length > 1 && !isCut ? [[...named, ...others]] : []),
  ];
  const find = `users find ${emails.map((email) => `--email ${shellWord(email)}`).join(' ')}`;
  return [
    `The address does not say which of these accounts are the person's, so nothing was done:`,
    ...people.map((person) => `  ${nameOf(person)}: named`),
    ...shown.map((account) => `  ${nameOf(account)}: ${account.answers.map(reasonOf).join(', and ')}`),
    ...(isCut ? [`  and further accounts: "${find}" shows all.`] : []),
    'Decide which accounts are the person, and run one of these commands:',
    ...choices.map((ids) => `  formtrail ${command} ${ids.map((id) => `--user ${id}`).join(' ')}`),
  ].join('\n');
}
