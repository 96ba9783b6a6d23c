import type { DataSource } from 'typeorm';
import { isoToTheSecond } from '../database/iso-timestamp.js';
import { asOperator } from './as-operator.js';
import { findPeople, lockPeople, type NamedPeople, type Person, sayUnfound } from './people.js';

export interface SignedOut {
  readonly people: readonly Person[];
  /** A sentence about the identities that an address cannot find. */
  readonly unfound: string | undefined;
  readonly since: string;
  /** The number of valid API tokens, which stay valid. */
  readonly tokens: number;
}

/** A later time stays, for example `infinity`, with which an operator rejects all tokens. */
const SIGN_OUT = `update users set tokens_valid_from = greatest(tokens_valid_from, now()) where id = any ($1)`;

const COUNT_TOKENS = `
  select ${isoToTheSecond('now()')} as since, count(*)::integer as tokens from api_tokens
   where user_id = any ($1) and revoked_at is null and (expires_at is null or expires_at > now())`;

/** Rejects the JSON web tokens that the users have until now (A10). */
export function signOut(dataSource: DataSource, names: NamedPeople): Promise<SignedOut> {
  return asOperator(dataSource, async (manager) => {
    const people = await findPeople({ manager }, names);
    await lockPeople(manager, people, 'for no key update');
    const ids = people.map(({ id }) => id);
    await manager.query(SIGN_OUT, [ids]);
    const [counted] = await manager.query<[Pick<SignedOut, 'since' | 'tokens'>]>(COUNT_TOKENS, [ids]);
    return { people, unfound: await sayUnfound({ manager }, names), ...counted };
  });
}
