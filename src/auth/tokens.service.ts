import { Injectable } from '@nestjs/common';
import { ChangeListener } from '../database/change-listener.js';
import { CoherentCache } from '../database/coherent-cache.js';
import { Database } from '../database/database.js';
import { integer, nullable, statement } from '../database/statement.js';
import type { AuthenticatedUser } from './authenticated-user.js';
import { Authenticates, type Authenticator, Authenticators, type LookUp } from './authenticates.js';
import { API_TOKEN, isTokenOf } from './issue-token.js';

const CACHED_TOKENS = 10_000;

/** SQL of the seconds until a token expires. Null if it never does. */
export const SECONDS_LEFT = `extract(epoch from nullif(expires_at, 'infinity') - now())::float8`;

/** SQL of the condition that a token is valid (A3). */
export const IS_VALID = 'revoked_at is null and (expires_at is null or expires_at > now())';

const FIND_TOKEN = statement(
  'tokens.find',
  `select user_id, ${SECONDS_LEFT} from api_tokens where token_hash = $1 and ${IS_VALID}`,
  { user_id: integer, seconds_left: nullable(Number) },
);

/** A valid row of the table `api_tokens`. */
export interface ValidToken {
  readonly hash: string;
  readonly user: AuthenticatedUser;
  /** When the token expires, in milliseconds on the clock of `performance.now()`. */
  readonly expiresAt: number;
  /** Called with the time of each use. */
  readonly used?: (now: number) => void;
}

/** @param secondsLeft null if the token never expires */
export const expiryAfter = (secondsLeft: number | null): number =>
  secondsLeft === null ? Infinity : performance.now() + secondsLeft * 1000;

type FoundUser = AuthenticatedUser | undefined;

/** Finds the users of API tokens, and caches the tokens of all kinds that are rows of `api_tokens`. */
@Authenticates()
@Injectable()
export class TokensService implements Authenticator {
  readonly cache: CoherentCache<ValidToken>;

  constructor(
    private readonly database: Database,
    listener: ChangeListener,
    private readonly authenticators: Authenticators,
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

  recognises(token: string): boolean {
    return isTokenOf(API_TOKEN, token);
  }

  userOf(_token: string, hash: string, lookUp: LookUp): FoundUser | Promise<FoundUser> {
    return this.cachedUser(hash, lookUp, () => this.find(hash));
  }

  /** Returns the user of a token that is known, not revoked and not expired (A3). Calls `find` if the token is not cached. */
  cachedUser(
    hash: string,
    lookUp: LookUp,
    find: () => Promise<ValidToken | undefined>,
  ): FoundUser | Promise<FoundUser> {
    const token = this.cache.peek(hash);
    return token === undefined
      ? lookUp(async () => this.cache.get(hash, find)).then(userOfValid)
      : userOfValid(token);
  }

  private async find(hash: string): Promise<ValidToken | undefined> {
    const [row] = await this.database.query(FIND_TOKEN, [Buffer.from(hash, 'hex')]);
    if (row === undefined) return undefined;
    const { user_id: id, seconds_left } = row;
    const expiresAt = expiryAfter(seconds_left);
    const scope = await this.authenticators.scopeOf(id, hash);
    return { hash, user: { id, scope }, expiresAt };
  }
}

function userOfValid(token: ValidToken | undefined): FoundUser {
  if (token === undefined) return undefined;
  const now = performance.now();
  token.used?.(now);
  return now < token.expiresAt ? token.user : undefined;
}
