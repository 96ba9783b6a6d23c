import { Injectable } from '@nestjs/common';
import { ChangeListener } from '../database/change-listener.js';
import { Database } from '../database/database.js';
import { integer, nullable, statement } from '../database/statement.js';
import { CoherentCache } from '../database/coherent-cache.js';
import type { AuthenticatedUser } from './authenticated-user.js';
import { hashToken, looksLikeToken } from './issue-token.js';

const CACHED_TOKENS = 10_000;

const FIND_TOKEN = statement(
  'tokens.find',
  `select user_id, extract(epoch from nullif(expires_at, 'infinity') - now())::float8 as seconds_left
     from api_tokens
    where token_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
  { user_id: integer, seconds_left: nullable(Number) },
);

interface ValidToken {
  readonly hash: string;
  readonly user: AuthenticatedUser;
  /** When the token expires, in milliseconds on the clock of `performance.now()`. */
  readonly expiresAt: number;
}

@Injectable()
export class TokensService {
  readonly cache: CoherentCache<ValidToken>;

  constructor(
    private readonly database: Database,
    listener: ChangeListener,
  ) {
    this.cache = new CoherentCache<ValidToken>(listener, {
      maxSize: CACHED_TOKENS,
      sizeOf: () => 1,
      keysOf: (token) => [token.hash],
    });
    listener.on('token', (hash) => {
      this.cache.forget(hash);
    });
  }

  /**
   * Returns the user of a token that is known, not revoked and not expired (A3).
   *
   * @param lookUp is called if the token is not cached. `lookUp` decides whether to call `find`, which queries the
   * database.
   */
  async userOf(
    plainToken: string,
    lookUp: (find: () => Promise<ValidToken | undefined>) => Promise<ValidToken | undefined>,
  ): Promise<AuthenticatedUser | undefined> {
    if (!looksLikeToken(plainToken)) return undefined;
    const hash = hashToken(plainToken);
    const token =
      this.cache.peek(hash) ?? (await lookUp(async () => this.cache.get(hash, () => this.find(hash))));
    return token !== undefined && performance.now() < token.expiresAt ? token.user : undefined;
  }

  private async find(hash: string): Promise<ValidToken | undefined> {
    const [row] = await this.database.query(FIND_TOKEN, [Buffer.from(hash, 'hex')]);
    if (row === undefined) return undefined;
    const expiresAt = row.seconds_left === null ? Infinity : performance.now() + row.seconds_left * 1000;
    return { hash, user: { id: row.user_id }, expiresAt };
  }
}
