import { hash, randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { ApiToken } from './entities/api-token.js';

/** Prefix of API tokens. Prefixes let people and secret scanners recognise a Formtrail token. */
export const API_TOKEN = 'ftk_';
const RANDOM_PART = /^[A-Za-z0-9_-]{43}$/;

export interface IssuedToken {
  /** Show the plain token once, because it is not stored. */
  readonly plainToken: string;
  readonly token: ApiToken;
}

const ISSUE = `
  insert into api_tokens (user_id, name, token_hash, expires_at) values ($1, $2, $3, $4) returning id, created_at`;

/**
 * Issues a bearer token to a user: 256 random bits, of which only the SHA-256 is stored (A2, A6).
 *
 * @param manager the manager of a data source or a transaction. The type requires only `query`, because the full types
 * of two copies of TypeORM are incompatible.
 * @throws QueryFailedError if the user does not exist
 */
export async function issueToken(
  manager: Pick<EntityManager, 'query'>,
  grant: { userId: number; name?: string | null; expiresAt?: Date | null },
): Promise<IssuedToken> {
  const { userId, name = null, expiresAt = null } = grant;
  const plainToken = newToken(API_TOKEN);
  const tokenHash = Buffer.from(hashToken(plainToken), 'hex');
  const [row] = await manager.query<[{ id: number; created_at: Date }]>(ISSUE, [
    userId,
    name,
    tokenHash,
    expiresAt,
  ]);
  const token = Object.assign(new ApiToken(), { userId, name, tokenHash, expiresAt, revokedAt: null });
  return { plainToken, token: Object.assign(token, { id: row.id, createdAt: row.created_at }) };
}

export const newToken = (prefix: string): string => prefix + randomBytes(32).toString('base64url');

/** Whether the text looks like a token that begins with this prefix. */
export const isTokenOf = (prefix: string, text: string): boolean =>
  text.startsWith(prefix) && RANDOM_PART.test(text.slice(prefix.length));

/** Returns the SHA-256 of the token in hexadecimal. */
export const hashToken = (plainToken: string): string => hash('sha256', plainToken, 'hex');
