import type { DataSource } from 'typeorm';
import { asOperator } from '../../../cli/as-operator.js';
import { describePeople, findPeople, lockPeople, type NamedPeople, sayUnfound } from '../../../cli/people.js';
import { isoToTheSecondSql } from '../../../database/iso-timestamp.js';

/** A later time stays, for example `infinity`, with which an operator rejects all tokens. */
const SIGN_OUT = `update users set tokens_valid_from = greatest(tokens_valid_from, now()) where id = any ($1)`;

const COUNT_TOKENS = `
  select ${isoToTheSecondSql('now()')} as since, count(*)::integer as tokens from api_tokens
   where user_id = any ($1) and revoked_at is null and (expires_at is null or expires_at > now())`;

/** Rejects the JSON web tokens that the users have until now (A10). Returns the number of valid API tokens, which stay valid. */
export function signOut(dataSource: DataSource, names: NamedPeople) {
  return asOperator(dataSource, async (manager) => {
    const people = await findPeople({ manager }, names);
    await lockPeople(manager, people, 'for no key update');
    const ids = people.map(({ id }) => id);
    await manager.query(SIGN_OUT, [ids]);
    const [counted] = await manager.query<[{ since: string; tokens: number }]>(COUNT_TOKENS, [ids]);
    const [found, unfound] = [
      await describePeople({ manager }, people),
      await sayUnfound({ manager }, names),
    ];
    return { people, found, unfound, ...counted };
  });
}
