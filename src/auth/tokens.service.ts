import { Injectable } from '@nestjs/common';
import { ChangeListener } from '../database/change-listener.js';
import { Database } from '../database/database.js';
import { integer, nullable, statement } from '../database/statement.js';
import { FreshMemory } from '../database/fresh-memory.js';
import { whenKnown } from '../when-known.js';
import { bearerToken } from './bearer-token.js';
import { hashToken, looksLikeToken } from './issue-token.js';

const REMEMBERED_TOKENS = 10_000;

const FIND_TOKEN = statement(
  'tokens.find',
  `select user_id, extract(epoch from expires_at - now())::float8 as seconds_left
     from api_tokens
    where token_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
  { user_id: integer, seconds_left: nullable(Number) },
);

interface Carried {
  readonly authorization: string;
  readonly hash: string;
}

interface ValidToken {
  readonly hash: string;
  readonly userId: number;
  /** On the clock of `performance.now()`. */
  readonly expiresAt: number;
}

@Injectable()
export class TokensService {
  readonly memory: FreshMemory<ValidToken>;
  /** What each connection carried last: most carry no other, which then is not hashed again. */
  private readonly carried = new WeakMap<object, Carried>();

  constructor(
    private readonly database: Database,
    listener: ChangeListener,
  ) {
    this.memory = new FreshMemory<ValidToken>(listener, {
      maxSize: REMEMBERED_TOKENS,
      sizeOf: () => 1,
      keysOf: (token) => [token.hash],
    });
    listener.on('token', (hash) => {
      this.memory.forget(hash);
    });
  }

  /**
   * The user of a token that is known, not revoked and not expired (A3), in the `Authorization` header of a request on
   * this connection. A promise only where memory does not tell.
   */
  userOf(
    authorization: string | undefined,
    connection: object,
  ): number | undefined | Promise<number | undefined> {
    if (authorization === undefined) return undefined;
    let carried = this.carried.get(connection);
    if (carried?.authorization !== authorization) {
      const plainToken = bearerToken(authorization);
      if (plainToken === undefined || !looksLikeToken(plainToken)) return undefined;
      carried = { authorization, hash: hashToken(plainToken) };
      this.carried.set(connection, carried);
    }
    const { hash } = carried;
    return whenKnown(
      this.memory.get(hash, () => this.find(hash)),
      userOfValid,
    );
  }

  private async find(hash: string): Promise<ValidToken | undefined> {
    const [row] = await this.database.query(FIND_TOKEN, [Buffer.from(hash, 'hex')]);
    if (row === undefined) return undefined;
    const expiresAt = row.seconds_left === null ? Infinity : performance.now() + row.seconds_left * 1000;
    return { hash, userId: row.user_id, expiresAt };
  }
}

function userOfValid(token: ValidToken | undefined): number | undefined {
  return token !== undefined && performance.now() < token.expiresAt ? token.userId : undefined;
}
