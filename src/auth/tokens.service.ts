import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { ChangeListener } from '../database/change-listener.js';
import { Database } from '../database/database.js';
import { boolean, integer, nullable, statement } from '../database/statement.js';
import { RespondentSettings } from '../capabilities/respondents/settings.js';
import { CoherentCache } from '../database/coherent-cache.js';
import type { AuthenticatedUser } from './authenticated-user.js';
import { hashToken, isRespondentToken, looksLikeToken } from './issue-token.js';
import { JWT_USERS, type JwtUsers, type LookUp } from '../capabilities/identities/jwt-users.js';
import {
  expiryIn,
  LATEST_EXPIRY,
  type Renewal,
  renewalOf,
} from '../capabilities/respondents/token-renewal.js';

const CACHED_TOKENS = 10_000;

/** Milliseconds until a failed renewal is repeated. */
const RETRY_RENEWAL = 60_000;

const FIND_TOKEN = statement<ValidTokenRow>(
  'tokens.find',
  `select user_id, form_id, is_preview,
          extract(epoch from nullif(expires_at, 'infinity') - now())::float8 as seconds_left,
          is_renewable and expires_at < ${LATEST_EXPIRY} as is_renewable
     from api_tokens left join respondents using (user_id)
    where token_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
  {
    user_id: integer,
    form_id: nullable(integer),
    is_preview: nullable(boolean),
    seconds_left: nullable(Number),
    is_renewable: nullable(boolean),
  },
);

/** Several instances may renew a token at once: only the first one changes it. */
const RENEW_TOKEN = statement(
  'tokens.renew',
  `update api_tokens set expires_at = ${expiryIn('$2')}
     from respondents
    where token_hash = $1 and respondents.user_id = api_tokens.user_id and is_renewable and revoked_at is null
      and expires_at > now() and expires_at < now() + make_interval(secs => $3)`,
  {},
);

/** A valid token, as the database or its issuer knows it. */
export interface ValidTokenRow {
  readonly user_id: number;
  /** Null if the user is not a respondent, as `is_preview`. */
  readonly form_id: number | null;
  readonly is_preview: boolean | null;
  /** Null if the token never expires. */
  readonly seconds_left: number | null;
  /** Whether use extends the token further (P4). */
  readonly is_renewable: boolean | null;
}

interface ValidToken {
  readonly hash: string;
  readonly user: AuthenticatedUser;
  /** When the token expires, in milliseconds on the clock of `performance.now()`. */
  readonly expiresAt: number;
  /** When the next use extends the token, on the same clock. */
  renewAt: number;
}

@Injectable()
export class TokensService {
  readonly cache: CoherentCache<ValidToken>;

  private readonly logger = new Logger('Tokens');
  private readonly renewal: Renewal;

  constructor(
    private readonly database: Database,
    listener: ChangeListener,
    { respondentTtl }: RespondentSettings,
    @Optional() @Inject(JWT_USERS) private readonly jwtUsers: JwtUsers | undefined,
  ) {
    this.renewal = renewalOf(respondentTtl);
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
   * Returns the user of a token that is known, not revoked and not expired (A3), or of a valid JSON web token (A7).
   *
   * @param hash the SHA-256 of the token
   * @param lookUp is called if the token is not cached. `lookUp` decides whether to call `find`, which queries the database.
   */
  async userOf(plainToken: string, hash: string, lookUp: LookUp): Promise<AuthenticatedUser | undefined> {
    if (!looksLikeToken(plainToken)) return this.jwtUsers?.userOf(plainToken, hash, lookUp);
    const token =
      this.cache.peek(hash) ??
      (await lookUp(async () => this.cache.get(hash, () => this.find(plainToken, hash))));
    if (token === undefined) return undefined;
    const now = performance.now();
    if (now >= token.renewAt) this.renew(token, now);
    return now < token.expiresAt ? token.user : undefined;
  }

  /** Caches a token that `issue` writes to the database, so that the first request with the token needs no query. */
  async cacheNew(plainToken: string, issue: (hash: string) => Promise<ValidTokenRow>): Promise<void> {
    const hash = hashToken(plainToken);
    await this.cache.get(hash, async () => this.validToken(hash, await issue(hash)));
  }

  private async find(plainToken: string, hash: string): Promise<ValidToken | undefined> {
    const [row] = await this.database.query(FIND_TOKEN, [Buffer.from(hash, 'hex')]);
    // Without its row in respondents, a respondent would not be bound to a form.
    if (row === undefined || (row.form_id === null && isRespondentToken(plainToken))) return undefined;
    return this.validToken(hash, row);
  }

  private validToken(hash: string, row: ValidTokenRow): ValidToken {
    const { user_id: id, form_id: formId, is_preview } = row;
    const expiresAt = row.seconds_left === null ? Infinity : performance.now() + row.seconds_left * 1000;
    const respondent =
      formId === null ? undefined : { formId, isPreview: is_preview === true, tokenHash: hash };
    const renewAt = row.is_renewable === true ? expiresAt - this.renewal.left * 1000 : Infinity;
    return { hash, user: { id, respondent }, expiresAt, renewAt };
  }

  /** Extends the token in the background. The request does not wait (P4). */
  private renew(token: ValidToken, now: number): void {
    token.renewAt = now + RETRY_RENEWAL;
    const { seconds, left } = this.renewal;
    this.database
      .query(RENEW_TOKEN, [Buffer.from(token.hash, 'hex'), seconds, left])
      .catch((error: unknown) => {
        this.logger.warn({
          reason: (error as Error).message,
          msg: 'The token of a respondent could not be renewed. The service retries with the next request after a minute; check the database if this lasts.',
        });
      });
  }
}
