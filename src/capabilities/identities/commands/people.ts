import type { DataSource, EntityManager } from 'typeorm';
import { isoToTheSecond } from '../../../database/iso-timestamp.js';
import { printable } from '../../../process/printable.js';
import { asOperator } from '../../../cli/as-operator.js';
import { CommandError } from '../../../cli/command-error.js';

/** The names by which an operator names users (A10). */
export interface NamedPeople {
  readonly emails: readonly string[];
  readonly users: readonly number[];
  readonly accounts: readonly Account[];
}

export interface Account {
  readonly issuer: string;
  readonly subject: string;
}

export interface Person {
  readonly id: number;
  readonly email: string | null;
  readonly identities: readonly (Account & { readonly id: number })[];
}

const BY_EMAIL = 'select id from users where lower(email) = lower($1)';
const BY_ID = 'select id from users where id = $1';
const BY_ACCOUNT = 'select user_id as id from user_identities where issuer = $1 and subject = $2';

const FIND = `
  select id, email, (
           select coalesce(json_agg(json_build_object('id', id, 'issuer', issuer, 'subject', subject) order by id), '[]')
             from user_identities where user_id = users.id) as identities
    from users where id = any ($1) order by id`;

/**
 * Finds the users with these names, in the order of their ids.
 *
 * @throws CommandError if a name finds no user
 */
export async function findPeople(
  { manager }: Pick<DataSource, 'manager'>,
  { emails, users, accounts }: NamedPeople,
): Promise<Person[]> {
  const ids = new Set<number>();
  const find = async (sql: string, values: readonly unknown[], missing: () => CommandError) => {
    const [found] = await manager.query<{ id: number }[]>(sql, [...values]);
    if (found === undefined) throw missing();
    ids.add(found.id);
  };
  for (const email of emails) await find(BY_EMAIL, [email], () => noUserWithEmail(email));
  for (const id of users) await find(BY_ID, [id], () => noUserWithId(id));
  for (const { issuer, subject } of accounts)
    await find(BY_ACCOUNT, [issuer, subject], () => noUserWithAccount(issuer, subject));
  return manager.query<Person[]>(FIND, [[...ids]]);
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
export const nameOf = ({ id, email }: Pick<Person, 'id' | 'email'>) =>
  `user ${id} (${email === null ? 'no e-mail address' : printable(email)})`;

export function describePeople(people: readonly Person[]): string {
  const lines = people.flatMap((person) => [
    `Found ${nameOf(person)}, with ${person.identities.length === 0 ? 'no identity' : 'these identities:'}`,
    ...person.identities.map(
      ({ id, issuer, subject }) =>
        `  identity ${id}: subject "${printable(subject)}" of ${printable(issuer)}`,
    ),
  ]);
  return lines.join('\n');
}

/** Says which identities no address can find, if there are any and somebody was named by an address. */
export async function sayUnfound({ manager }: Pick<DataSource, 'manager'>, { emails }: NamedPeople) {
  if (emails.length === 0) return undefined;
  const [{ count }] = await manager.query<[{ count: number }]>(
    `select count(*)::integer as count from user_identities join users on users.id = user_id where email is null`,
  );
  if (count === 0) return undefined;
  return (
    `--email cannot find an account whose user has no address, for example because another user had the address first. Users ` +
    `without an address have ${count === 1 ? '1 identity' : `${count} identities`}. If the person signs in at an identity provider, ` +
    'also name the account with --issuer and --subject.'
  );
}

const noUserWithEmail = (email: string) =>
  new CommandError(
    `There is no user with the e-mail address "${email}". "tokens list" shows the users with tokens. If the person signs in at an ` +
      'identity provider, name the account with --issuer and --subject.',
  );

const noUserWithId = (id: number) =>
  new CommandError(
    `There is no user with the id ${id}. The log has the id of the user of each request, as "user_id".`,
  );

const noUserWithAccount = (issuer: string, subject: string) =>
  new CommandError(
    `There is no identity with the subject "${subject}" of ${issuer}. They are the claims sub and iss of the person's JSON web tokens.`,
  );

/** A later time stays, for example `infinity`, with which an operator rejects all tokens. */
const SIGN_OUT = `update users set tokens_valid_from = greatest(tokens_valid_from, now()) where id = any ($1)`;

const COUNT_TOKENS = `
  select ${isoToTheSecond('now()')} as since, count(*)::integer as tokens from api_tokens
   where user_id = any ($1) and revoked_at is null and (expires_at is null or expires_at > now())`;

/** Rejects the JSON web tokens that the users have until now (A10). Returns the number of valid API tokens, which stay valid. */
export function signOut(dataSource: DataSource, names: NamedPeople) {
  return asOperator(dataSource, async (manager) => {
    const people = await findPeople({ manager }, names);
    await lockPeople(manager, people, 'for no key update');
    const ids = people.map(({ id }) => id);
    await manager.query(SIGN_OUT, [ids]);
    const [counted] = await manager.query<[{ since: string; tokens: number }]>(COUNT_TOKENS, [ids]);
    return { people, unfound: await sayUnfound({ manager }, names), ...counted };
  });
}
