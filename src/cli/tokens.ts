import type { DataSource } from 'typeorm';
import { asOperator } from './as-operator.js';
import { issueToken } from '../auth/issue-token.js';
import { findOrCreateUser } from '../auth/find-or-create-user.js';
import { isoToTheSecondSql } from '../database/iso-timestamp.js';

export interface ListedToken {
  readonly id: number;
  readonly email: string | null;
  readonly name: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly status: 'valid' | 'expired' | 'revoked';
}

const LISTED_TOKEN = `
  select api_tokens.id, email, name, ${isoToTheSecondSql('api_tokens.created_at')} as created_at,
         ${isoToTheSecondSql(`nullif(expires_at, 'infinity')`)} as expires_at,
         case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'valid' end
           as status
    from api_tokens join users on users.id = user_id`;

/** Issues a token, and creates the user if no user has this address (A6). Rolls back if `show` fails. */
export async function createToken(
  dataSource: DataSource,
  grant: { email: string; name: string | undefined; secondsValid: number | undefined },
  show: (plainToken: string, token: ListedToken) => Promise<void>,
): Promise<void> {
  return asOperator(dataSource, async (manager) => {
    const user = await findOrCreateUser(manager, grant.email);
    // Use the clock of the database, because this clock decides when the token has expired (A3).
    const [{ expires_at }] = await manager.query<[{ expires_at: Date | null }]>(
      'select now() + make_interval(secs => $1) as expires_at',
      [grant.secondsValid ?? null],
    );
    const { plainToken, token } = await issueToken(manager, {
      userId: user.id,
      name: grant.name ?? null,
      expiresAt: expires_at,
    });
    const [listed] = await manager.query<[ListedToken]>(`${LISTED_TOKEN} where api_tokens.id = $1`, [
      token.id,
    ]);
    await show(plainToken, listed);
  });
}

/** Leaves out the tokens that browsers renew by themselves, because there may be millions. */
export async function listTokens(dataSource: DataSource): Promise<ListedToken[]> {
  return dataSource.query<ListedToken[]>(`${LISTED_TOKEN} where not is_renewable order by api_tokens.id`);
}
