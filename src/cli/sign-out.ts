import type { DataSource } from 'typeorm';
import { isoToTheSecond } from '../database/iso-timestamp.js';
import { asOperator } from './as-operator.js';

export interface SignedOut {
  readonly email: string;
  readonly since: string;
  /** The number of valid API tokens, which stay valid. */
  readonly tokens: number;
}

/** A later time stays, for example `infinity`, with which an operator rejects all tokens. */
const SIGN_OUT = `
  update users set tokens_valid_from = greatest(tokens_valid_from, now()) where lower(email) = lower($1)
  returning email, ${isoToTheSecond('now()')} as since,
    (select count(*)::integer from api_tokens
      where user_id = users.id and revoked_at is null and (expires_at is null or expires_at > now())) as tokens`;

/** Rejects the JSON web tokens that the user has until now (A10). Returns undefined if there is no such user. */
export function signOut(dataSource: DataSource, email: string): Promise<SignedOut | undefined> {
  return asOperator(dataSource, async (manager) => {
    const [rows] = await manager.query<[SignedOut[]]>(SIGN_OUT, [email]);
    return rows[0];
  });
}
