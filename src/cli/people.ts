import { Any, type DataSource, type EntityManager } from 'typeorm';
import { User } from '../auth/entities/user.js';
import { findUser } from '../auth/find-or-create-user.js';
import { printable } from '../process/printable.js';
import type { CommandOptions, FoundPeople, Person, UserNames } from '../server/hooks.js';
import { loadHooks } from '../server/load-hooks.js';
import { CommandError } from './command-error.js';

/** The names by which an operator names users (A10). */
export interface NamedPeople {
  readonly emails: readonly string[];
  readonly users: readonly number[];
  /** Functions that find the users with other names. */
  readonly finders: ReturnType<UserNames['findersOf']>;
}

export type { Person };

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
  names: NamedPeople,
): Promise<Person[]> {
  const { people, unknown } = await lookUp(manager, names);
  for (const email of unknown) throw await noUserWithEmail(email);
  return people;
}

/**
 * Like {@link findPeople}, for a command that must not guess. Also returns sentences about other accounts that may belong to the people.
 *
 * @throws CommandError also if an address may mean other accounts
 */
export async function findOnlyPeople(
  { manager }: Pick<DataSource, 'manager'>,
  names: NamedPeople,
  command: string,
): Promise<{ people: Person[]; doubts: readonly string[] }> {
  const { people, unknown } = await lookUp(manager, names);
  const doubts: string[] = [];
  for (const { checkNames } of await loadHooks())
    doubts.push(...((await checkNames?.(manager, { emails: names.emails, people }, command)) ?? []));
  for (const email of unknown) throw await noUserWithEmail(email);
  return { people, doubts };
}

/**
 * Finds the users with these names. `unknown` are the addresses that no user has.
 *
 * @throws CommandError if another name finds no user
 */
export async function lookUp(
  manager: EntityManager,
  { emails, users, finders }: NamedPeople,
): Promise<FoundPeople & { unknown: readonly string[] }> {
  const ids = new Set<number>();
  const unknown: string[] = [];
  for (const email of emails) {
    const found = await findUser(manager, email);
    if (found === null) unknown.push(email);
    else ids.add(found.id);
  }
  for (const id of users) {
    if (!(await manager.existsBy(User, { id }))) throw noUserWithId(id);
    ids.add(id);
  }
  for (const findOther of finders) ids.add(await findOther(manager));
  const people = await manager.find(User, { where: { id: Any([...ids]) }, order: { id: 'ASC' } });
  return { emails, people, unknown };
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

export async function noUserWithEmail(email: string): Promise<CommandError> {
  const sentence = `There is no user with the email address "${email}". "tokens list" shows the users with tokens.`;
  const advice = (await otherNames()).map((names) => names.advice);
  return new CommandError([sentence, ...advice].join(' '));
}

const noUserWithId = (id: number) =>
  new CommandError(
    `There is no user with the id ${id}. The log has the id of the user of each request, as "user_id".`,
  );

/** Returns what an erasure leaves, and an export of a person's data leaves out. */
export async function whatStays(): Promise<string[]> {
  const ofCapabilities = (await loadHooks()).flatMap(({ staysBehind }) => staysBehind ?? []);
  return [
    ...ofCapabilities,
    'Kept versions of forms: they contain no answers.',
    'Backups and earlier exports: they have copies until they are deleted.',
    'Logs: they contain ids and UUIDs, but no answers and no addresses, until they are deleted.',
  ];
}
