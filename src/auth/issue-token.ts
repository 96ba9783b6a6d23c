import { hash, randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { ApiToken } from './entities/api-token.js';

/** Marks a Formtrail token, so that secret scanners and people know one when they see it. */
const PREFIX = 'ftk_';
const PATTERN = /^ftk_[A-Za-z0-9_-]{43}$/;

export interface IssuedToken {
  /** Shown once, stored nowhere. */
  readonly plainToken: string;
  readonly token: ApiToken;
}

/**
 * Issues a bearer token to a user: 256 random bits, of which only the SHA-256 is stored (A2, A6).
 *
 * @param manager of a data source, or of the transaction to take part in
 * @throws QueryFailedError when there is no such user
 */
export async function issueToken(
  manager: EntityManager,
  grant: { userId: number; name?: string | null; expiresAt?: Date | null },
): Promise<IssuedToken> {
  const plainToken = PREFIX + randomBytes(32).toString('base64url');
  const token = await manager.save(
    manager.create(ApiToken, {
      userId: grant.userId,
      name: grant.name ?? null,
      expiresAt: grant.expiresAt ?? null,
      tokenHash: Buffer.from(hashToken(plainToken), 'hex'),
    }),
  );
  return { plainToken, token };
}

/** SHA-256, hexadecimal. */
export function hashToken(plainToken: string): string {
  return hash('sha256', plainToken, 'hex');
}

export function looksLikeToken(text: string): boolean {
  return PATTERN.test(text);
}
