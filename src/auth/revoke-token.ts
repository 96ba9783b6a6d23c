import type { EntityManager } from 'typeorm';

export type Revocation = 'revoked' | 'was revoked already' | 'unknown';

/** One statement, so that only one of two concurrent calls revokes the token. */
const REVOKE = `
  with revoked as (
    update api_tokens set revoked_at = now() where id = $1 and revoked_at is null returning id
  )
  select case when exists (select from revoked) then 'revoked'
              when exists (select from api_tokens where id = $1) then 'was revoked already'
              else 'unknown' end as outcome`;

/**
 * Revokes a token permanently. After the commit, every instance rejects the token from the next request on (A3).
 *
 * @param manager the manager of a data source or a transaction, as with `issueToken()`
 * @param id the number of the token in the database, not the plain token
 */
export async function revokeToken(manager: Pick<EntityManager, 'query'>, id: number): Promise<Revocation> {
  const [{ outcome }] = await manager.query<[{ outcome: Revocation }]>(REVOKE, [id]);
  return outcome;
}
