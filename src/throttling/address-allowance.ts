import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Environment } from '../config/environment.js';
import { KeyedSemaphore } from '../database/semaphore.js';
import { countedAddress } from '../http/client-address.js';
import { type Hit, MINUTE, type RateLimitKind, type WindowStorage } from './rate-limit.storage.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The result of counting this request for its IP address. Undefined if the request has not been counted. */
    addressHit: Promise<Hit> | undefined;
  }
}

const ADDRESS: RateLimitKind = 'address';
const LOOK_UP: RateLimitKind = 'look_up';
/**
 * Maximum number of concurrent look-ups of unfamiliar tokens of one address. Another look-up waits until one of these look-ups
 * ends. An address that sends many tokens at once can therefore exceed its limit by one request only.
 */
const CONCURRENT_LOOK_UPS = 2;
/** Maximum milliseconds that a request waits until its look-up begins. */
const MAX_WAIT = 500;
/** Invalid tokens that are looked up in a minute for an address that is over its limit. Only look-ups use this number up. */
const LOOK_UPS_OVER_LIMIT = 60;
/** Tokens that the instance remembers as accepted, and how long in milliseconds after their last use. */
const ACCEPTED_TOKENS = 50_000;
const ACCEPTED_FOR = 24 * 60 * MINUTE;
/** Tokens that the instance remembers as invalid. */
const INVALID_TOKENS = 10_000;

/** The requests of many users behind one address, which are counted together, and for each user. */
export interface SharedLimit {
  /** The name of the count, also where decisions are measured. */
  readonly kind: string;
  /** Maximum number of requests per minute of all users behind one address. 0: no limit. */
  readonly limit: number;
}

/**
 * Limits the requests with invalid tokens per IP address. Otherwise, invented tokens would cause an unlimited number of queries.
 *
 * Many people may share an address, so the invalid tokens of one person must not lock the others out (E5). When an address is over
 * its limit, the instance still looks up every token that it has accepted before. It also looks up a fixed number of other tokens,
 * but none that it has found to be invalid.
 */
@Injectable()
export class AddressAllowance {
  private readonly limit: number;
  private readonly lookUps: KeyedSemaphore<string>;
  /**
   * SHA-256 of tokens. An entry grants only a look-up, so the entries need no invalidation. They remain when the caches of tokens are
   * emptied, which happens with each loss of the database.
   */
  private readonly accepted = new LRUCache<string, true>({ max: ACCEPTED_TOKENS, ttl: ACCEPTED_FOR });
  /** SHA-256 of tokens. For a window only, because a signed token may become valid when new keys arrive. */
  private readonly invalid = new LRUCache<string, true>({ max: INVALID_TOKENS, ttl: MINUTE });

  constructor(
    @InjectThrottlerStorage() private readonly windows: WindowStorage,
    { throttleLimit }: Environment,
  ) {
    this.limit = throttleLimit;
    this.lookUps = new KeyedSemaphore(Math.min(throttleLimit, CONCURRENT_LOOK_UPS), 'token');
  }

  /** Remembers that the token with this SHA-256 was accepted. */
  accept(hash: string): void {
    if (this.limit > 0) this.accepted.set(hash, true);
  }

  /**
   * Returns what `lookUp` finds, or undefined if the address is over its limit and the token with this SHA-256 must not be looked
   * up. If `lookUp` finds nothing, the request is counted for its address before the next look-up begins.
   *
   * @throws OverloadedError if other look-ups of the address take too long
   */
  async withinLimit<Found>(
    request: FastifyRequest,
    hash: string,
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    if (this.limit === 0) return lookUp();
    const address = countedAddress(request.ip);
    if (this.accepted.has(hash)) return this.counted(request, address, hash, lookUp);
    await this.lookUps.acquire(address, performance.now() + MAX_WAIT);
    try {
      // Check again, because a new window may have begun since the first check.
      if ((await this.isUsedUp(address, hash)) && (await this.hit(request)).isBlocked) return undefined;
      return await this.counted(request, address, hash, lookUp);
    } finally {
      this.lookUps.release(address);
    }
  }

  private async isUsedUp(address: string, hash: string): Promise<boolean> {
    return (
      (await this.windows.hitsOf(address, ADDRESS)) >= this.limit &&
      (this.invalid.has(hash) || (await this.windows.hitsOf(address, LOOK_UP)) >= LOOK_UPS_OVER_LIMIT)
    );
  }

  private async counted<Found>(
    request: FastifyRequest,
    address: string,
    hash: string,
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const found = await lookUp();
    if (found !== undefined) return found;
    this.accepted.delete(hash);
    this.invalid.set(hash, true);
    const { isBlocked } = await this.hit(request);
    if (isBlocked) await this.windows.increment(address, MINUTE, LOOK_UPS_OVER_LIMIT, MINUTE, LOOK_UP);
    return undefined;
  }

  /** Counts the request for its address. Further calls do not count the request again. */
  hit(request: FastifyRequest): Promise<Hit> {
    return (request.addressHit ??= this.windows.increment(
      countedAddress(request.ip),
      MINUTE,
      this.limit,
      MINUTE,
      ADDRESS,
    ));
  }

  /** Counts a request of a user for its address, apart from requests without a user. */
  hitShared(request: FastifyRequest, { kind, limit }: SharedLimit): Promise<Hit> {
    return this.windows.increment(countedAddress(request.ip), MINUTE, limit, MINUTE, kind);
  }
}
