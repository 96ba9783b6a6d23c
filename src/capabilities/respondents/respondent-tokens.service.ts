import { Injectable, Logger } from '@nestjs/common';
import { Authenticates, type Authenticator, type LookUp } from '../../auth/authenticates.js';
import { hashToken, isTokenOf } from '../../auth/issue-token.js';
import { expiryAfter, TokensService, type ValidToken } from '../../auth/tokens.service.js';
import { Database } from '../../database/database.js';
import type { SharedLimit } from '../../throttling/address-allowance.js';
import { RateLimitGuard } from '../../throttling/rate-limit.guard.js';
import { RespondentScope } from './respondent-scope.js';
import { FIND_RESPONDENT, FIND_TOKEN, type FoundToken, RENEW_TOKEN } from './respondent.statements.js';
import { RESPONDENT_TOKEN } from './respondent-token.js';
import { RespondentSettings } from './settings.js';
import { type RenewalPolicy, renewalPolicyOf } from './token-renewal.js';

/** Milliseconds until a failed renewal is repeated. */
const RETRY_RENEWAL = 60_000;

/** Respondents behind one address share this multiple of its limit, because an office or a school has one address (P6). */
const RESPONDENTS_PER_ADDRESS = 10;

/** Finds the respondents of tokens, and extends the tokens that are used (P2, P4). */
@Authenticates()
@Injectable()
export class RespondentTokens implements Authenticator {
  readonly renewal: RenewalPolicy;
  private readonly logger = new Logger('Tokens');
  private readonly sharedLimit: SharedLimit;

  constructor(
    private readonly database: Database,
    private readonly tokens: TokensService,
    rateLimit: RateLimitGuard,
    { respondentTtl }: RespondentSettings,
  ) {
    this.renewal = renewalPolicyOf(respondentTtl);
    this.sharedLimit = rateLimit.shareLimit('respondent_address', RESPONDENTS_PER_ADDRESS);
  }

  recognises(token: string): boolean {
    return isTokenOf(RESPONDENT_TOKEN, token);
  }

  userOf(_token: string, hash: string, lookUp: LookUp) {
    return this.tokens.cachedUser(hash, lookUp, () => this.find(hash));
  }

  /** An operator may issue an API token to a respondent, which is bound to the form, too. */
  async scopeOf(userId: number, hash: string): Promise<RespondentScope | undefined> {
    const [row] = await this.database.query(FIND_RESPONDENT, [userId]);
    return row && this.scope(hash, row);
  }

  /** Caches a token that `issue` writes to the database, so that the first request with the token needs no query. */
  async cacheNew(plainToken: string, issue: (hash: string) => Promise<FoundToken>): Promise<void> {
    const hash = hashToken(plainToken);
    await this.tokens.cache.get(hash, async () => this.validToken(hash, await issue(hash)));
  }

  private async find(hash: string): Promise<ValidToken | undefined> {
    const [row] = await this.database.query(FIND_TOKEN, [Buffer.from(hash, 'hex')]);
    return row && this.validToken(hash, row);
  }

  private validToken(hash: string, row: FoundToken): ValidToken {
    const expiresAt = expiryAfter(row.seconds_left);
    const token = { hash, user: { id: row.user_id, scope: this.scope(hash, row) }, expiresAt };
    if (!row.is_renewable) return token;
    let renewAt = expiresAt - this.renewal.left * 1000;
    const used = (now: number) => {
      if (now < renewAt) return;
      renewAt = now + RETRY_RENEWAL;
      this.renew(hash);
    };
    return { ...token, used };
  }

  private scope(hash: string, { form_id, is_preview }: Pick<FoundToken, 'form_id' | 'is_preview'>) {
    return new RespondentScope(form_id, is_preview, hash, this.sharedLimit);
  }

  /** Extends the token in the background. The request does not wait (P4). */
  private renew(hash: string): void {
    const { seconds, left } = this.renewal;
    this.database.query(RENEW_TOKEN, [Buffer.from(hash, 'hex'), seconds, left]).catch((error: unknown) => {
      this.logger.warn({
        reason: (error as Error).message,
        msg: 'The token of a respondent could not be renewed. The service retries with the next request after a minute; check the database if this lasts.',
      });
    });
  }
}
