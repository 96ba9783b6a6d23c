import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { decodeJwt, type JSONWebKeySet } from 'jose';
import { LRUCache } from 'lru-cache';
import { IdentitySettings } from './settings.js';
import type { JwtIssuer } from './jwt-issuers.js';
import { ChangeListener } from '../../database/change-listener.js';
import { CoherentCache } from '../../database/coherent-cache.js';
import { Database } from '../../database/database.js';
import { isUniqueViolation } from '../../database/database-errors.js';
import { Problem } from '../../http/errors/problems.js';
import type { AuthenticatedUser } from '../../auth/authenticated-user.js';
import { Authenticates, type Authenticator, type LookUp } from '../../auth/authenticates.js';
import { CREATE_IDENTITY, CREATE_USER, FIND_IDENTITY, IS_ENDED } from './identity.statements.js';
import { KeyFetcher } from './fetch-keys.js';
import { KeySet } from './key-set.js';
import { RejectionLog } from './rejection-log.js';
import { checkKeys } from './usable-keys.js';
import { type VerifiedToken, verifyJwt } from './verifier.js';

/** A signed token has three parts in base64url. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const CACHED_TOKENS = 10_000;
const CACHED_IDENTITIES = 10_000;
/** Milliseconds between two checks of the age of the keys, so that an unreachable provider shows even if no token arrives. */
const CHECK_KEYS_EVERY = 60_000;
const HOUR = 3_600_000;
/** Maximum number of unusable keys in a log line. */
const MAX_LOGGED_KEYS = 20;

interface Identity {
  readonly id: number;
  readonly key: string;
  readonly user: AuthenticatedUser;
  /** Tokens that were issued before are rejected (A10). Seconds since 1970, -Infinity: no token is. */
  readonly validFrom: number;
}

export interface KeysOfIssuer {
  readonly issuer: string;
  /** The number of keys that verify tokens. 0: tokens of the issuer get 503 or 401. */
  readonly count: number;
  /** Seconds since the last successful fetch. Before the first one: since the start of the process. */
  readonly age: number;
}

interface Issuer {
  readonly settings: JwtIssuer;
  readonly keys: KeySet;
}

interface CachedToken {
  readonly key: string;
  readonly token: VerifiedToken;
}

/**
 * Finds the users of JSON web tokens, and creates a user when an identity is used for the first time (A7 to A10). Tokens are
 * cached until they expire. Identities are cached until the database changes them.
 */
@Authenticates()
@Injectable()
export class IdentitiesService implements Authenticator, OnModuleInit, OnModuleDestroy {
  readonly cache: CoherentCache<Identity>;
  private readonly tokens = new LRUCache<string, CachedToken>({ max: CACHED_TOKENS });
  private readonly issuers: ReadonlyMap<string, Issuer>;
  private readonly logger = new Logger('Identities');
  private readonly rejections = new RejectionLog(this.logger);
  private checking: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    listener: ChangeListener,
    { jwtIssuers }: IdentitySettings,
  ) {
    this.cache = new CoherentCache<Identity>(listener, {
      maxSize: CACHED_IDENTITIES,
      sizeOf: () => 1,
      keysOf: ({ id, key }) => [String(id), key],
    });
    listener.on('changed identity', (id) => {
      this.cache.forget(id);
    });
    this.issuers = new Map(jwtIssuers.map((settings) => [settings.issuer, this.openIssuer(settings)]));
  }

  /** Fetches the keys ahead of the first token. Does not wait, because the service must start without the provider. */
  onModuleInit(): void {
    const fetchDue = () => {
      for (const { keys } of this.issuers.values()) keys.ready().catch(() => undefined);
    };
    fetchDue();
    this.checking = setInterval(fetchDue, CHECK_KEYS_EVERY).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.checking);
  }

  keys(): readonly KeysOfIssuer[] {
    return [...this.issuers].map(([issuer, { keys }]) => ({ issuer, ...keys.state }));
  }

  recognises(token: string): boolean {
    return COMPACT.test(token);
  }

  userOf(
    jwt: string,
    hash: string,
    lookUp: LookUp,
  ): AuthenticatedUser | undefined | Promise<AuthenticatedUser | undefined> {
    const cached = this.cachedToken(hash);
    const identity = cached && this.cache.peek(cached.key);
    return cached !== undefined && identity !== undefined
      ? userFor(cached, identity)
      : this.find(jwt, hash, cached, lookUp);
  }

  private async find(jwt: string, hash: string, cached: CachedToken | undefined, lookUp: LookUp) {
    const issuer = cached === undefined ? this.issuerOf(jwt) : undefined;
    if (cached === undefined && issuer === undefined) return undefined;
    await issuer?.keys.ready();
    return lookUp(async () => {
      const verified = cached ?? (issuer && (await this.verify(jwt, hash, issuer)));
      if (verified === undefined) return undefined;
      const identity = await this.cache.get(verified.key, () => this.findOrCreate(verified));
      return identity && userFor(verified, identity);
    });
  }

  private cachedToken(hash: string): CachedToken | undefined {
    const cached = this.tokens.get(hash);
    return cached !== undefined && Date.now() < cached.token.expiresAt ? cached : undefined;
  }

  /** Returns the configured issuer that the token names. The token is not verified yet. */
  private issuerOf(jwt: string): Issuer | undefined {
    try {
      return this.issuers.get(decodeJwt(jwt).iss ?? '');
    } catch {
      return undefined;
    }
  }

  private async verify(jwt: string, hash: string, issuer: Issuer): Promise<CachedToken | undefined> {
    try {
      const token = await verifyJwt(jwt, issuer.settings, issuer.keys);
      const cached = { key: JSON.stringify([token.issuer, token.subject]), token };
      this.tokens.set(hash, cached);
      return cached;
    } catch (error) {
      if (error instanceof Problem) throw error;
      this.rejections.report(issuer.settings.issuer, error);
      return undefined;
    }
  }

  private async findOrCreate(cached: CachedToken): Promise<Identity | undefined> {
    const found = await this.findIdentity(cached);
    if (found !== undefined) return found;
    const { issuer, subject, issuedAt } = cached.token;
    const [ended] = await this.database.query(IS_ENDED, [issuer, subject, issuedAt]);
    if (ended?.is_ended === true) return undefined;
    await this.create(cached.token);
    return this.findIdentity(cached);
  }

  private async findIdentity({
    key,
    token: { issuer, subject },
  }: CachedToken): Promise<Identity | undefined> {
    const [row] = await this.database.query(FIND_IDENTITY, [issuer, subject]);
    if (row === undefined) return undefined;
    return {
      id: row.id,
      key,
      user: { id: row.user_id, scope: undefined },
      validFrom: row.valid_from ?? -Infinity,
    };
  }

  /** Creates the user and the identity, unless another request has just created them. */
  private async create({ issuer, subject, email }: VerifiedToken): Promise<void> {
    const work = this.database.transaction(async (executor) => {
      const [user] = email === null ? [undefined] : await executor.query(CREATE_USER, [email]);
      const [created] = user === undefined ? await executor.query(CREATE_USER, [null]) : [user];
      await executor.query(CREATE_IDENTITY, [created?.id, issuer, subject]);
    });
    await work.catch((error: unknown) => {
      // The transaction is rolled back together with its user.
      if (!isUniqueViolation(error)) throw error;
    });
  }

  private openIssuer(settings: JwtIssuer): Issuer {
    const { issuer } = settings;
    const fetcher = new KeyFetcher(settings);
    const fetchUsable = this.withoutUnusable(settings, () => fetcher.fetch());
    const keys = new KeySet(fetchUsable, {
      failed: (reason, timeLeft) => {
        this.logger.warn({
          issuer,
          reason,
          keys_end_in_hours: Math.round((10 * timeLeft) / HOUR) / 10,
          msg:
            'The keys of an identity provider cannot be fetched. Keys that were fetched before work for 24 hours; without them, ' +
            'JSON web tokens of this issuer get 503. The service keeps trying. Check the provider and JWT_ISSUERS.',
        });
      },
      recovered: () => {
        this.logger.log({ issuer, msg: 'The keys of the identity provider are fetched again.' });
      },
    });
    return { settings, keys };
  }

  /** Fetches keys, and leaves out the unusable ones. Logs them when they change, not with every fetch. */
  private withoutUnusable({ issuer, algorithms }: JwtIssuer, fetch: () => Promise<JSONWebKeySet>) {
    let logged = '[]';
    return async () => {
      const { usable, unusable } = await checkKeys(await fetch(), algorithms);
      const found = JSON.stringify(unusable);
      if (found !== logged && unusable.length > 0)
        this.logger.warn({
          issuer,
          keys: unusable.slice(0, MAX_LOGGED_KEYS),
          msg: 'An identity provider publishes keys that cannot verify tokens. Tokens of these keys get 401; other keys work. Replace the keys at the provider: RSA keys need 2048 bits or more.',
        });
      logged = found;
      return usable;
    };
  }
}

function userFor({ token }: CachedToken, { user, validFrom }: Identity): AuthenticatedUser | undefined {
  return token.issuedAt < validFrom ? undefined : user;
}
