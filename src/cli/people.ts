import { Any, type DataSource, type EntityManager } from 'typeorm';
import { User } from '../auth/entities/user.js';
import { findUser } from '../auth/find-or-create-user.js';
import { printable } from '../process/printable.js';
import type { CommandOptions, UserNames } from '../server/hooks.js';
import { loadHooks } from '../server/load-hooks.js';
import { CommandError } from './command-error.js';

/** The names by which an operator names users (A10). */
export interface NamedPeople {
  readonly emails: readonly string[];
  readonly users: readonly number[];
  /** Functions that find the users with other names. */
  readonly finders: ReturnType<UserNames['findersOf']>;
}

export interface Person {
  readonly id: number;
  readonly email: string | null;
}

type NameOptions = CommandOptions & { readonly email?: readonly string[]; readonly user?: readonly number[] };

const otherNames = async () => (await loadHooks()).flatMap(({ userNames }) => userNames ?? []);

/** @throws CommandError if the options name nobody */
export async function namesOf(options: NameOptions): Promise<NamedPeople> {
  const { email: emails = [], user: users = [] } = options;
  const others = await otherNames();
  const finders = others.flatMap(({ findersOf }) => findersOf(options));
  if (emails.length + users.length + finders.length > 0) return { emails, users, finders };
  const usages = ['--email ADDRESS', '--user ID', ...others.map(({ usage }) => usage)];
  throw new CommandError(
    `Name a user with ${new Intl.ListFormat('en', { type: 'disjunction' }).format(usages)}.`,
  );
}

/**
 * Finds the users with these names, in the order of their ids.
 *
 * @throws CommandError if a name finds no user
 */
export async function findPeople(
  { manager }: Pick<DataSource, 'manager'>,
  { emails, users, finders }: NamedPeople,
): Promise<Person[]> {
  const ids = new Set<number>();
  for (const email of emails) {
    const found = await findUser(manager, email);
    if (found === null) throw await noUserWithEmail(email);
    ids.add(found.id);
  }
  for (const id of users) {
    if (!(await manager.existsBy(User, { id }))) throw noUserWithId(id);
    ids.add(id);
  }
  for (const findOther of finders) ids.add(await findOther(manager));
  return manager.find(User, { where: { id: Any([...ids]) }, order: { id: 'ASC' } });
}

/** Locks the users before anything that belongs to them, in the order of their ids (docs/architecture.md). */
export async function lockPeople(
  manager: EntityManager,
  people: readonly Pick<Person, 'id'>[],
  strength: 'for no key update' | 'for update',
): Promise<void> {
  const ids = people.map(({ id }) => id);
  const sql = `select from users where id = any ($1) order by id ${strength}`;
  const locked = await manager.query<unknown[]>(sql, [ids]);
  if (locked.length < ids.length)
    throw new CommandError('A user was deleted meanwhile, and nothing was changed. Run the command again.');
}

/** For example `user 12 (ada@example.org)`. */
export const nameOf = ({ id, email }: Person) =>
  `user ${id} (${email === null ? 'no email address' : printable(email)})`;

export async function describePeople(
  { manager }: Pick<DataSource, 'manager'>,
  people: readonly Person[],
): Promise<string> {
  const others = await otherNames();
  const lines: string[] = [];
  for (const person of people) {
    const details: string[] = [];
    for (const { describe } of others) details.push(await describe(manager, person.id));
    lines.push(`Found ${nameOf(person)}${details.join('')}`);
  }
  return lines.join('\n');
}

/** Says which users no address can find, if there are any and somebody was named by an address. */
export async function sayUnfound(
  { manager }: Pick<DataSource, 'manager'>,
  { emails }: NamedPeople,
): Promise<string[]> {
  const sentences: string[] = [];
  for (const { withoutAddress } of emails.length === 0 ? [] : await otherNames()) {
    const sentence = await withoutAddress(manager);
    if (sentence !== undefined) sentences.push(sentence);
  }
  return sentences;
}

async function noUserWithEmail(email: string): Promise<CommandError> {
  const sentence = `There is no user with the email address "${email}". "tokens list" shows the users with tokens.`;
  const advice = (await otherNames()).map((names) => names.advice);
  return new CommandError([sentence, ...advice].join(' '));
}

const noUserWithId = (id: number) =>
  new CommandError(
    `There is no user with the id ${id}. The log has the id of the user of each request, as "user_id".`,
  );
