import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
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
const RESPONDENT_ADDRESS: RateLimitKind = 'respondent_address';
/** Respondents behind one address share this multiple of its limit, because an office or a school has one address (P6). */
const RESPONDENTS_PER_ADDRESS = 10;
/**
 * Maximum number of concurrent token look-ups of one address. Another look-up waits until one of these look-ups ends.
 * An address that sends many tokens at once can therefore exceed its limit by one request only.
 */
const CONCURRENT_LOOK_UPS = 2;
/** Maximum milliseconds that a request waits until its look-up begins. */
const MAX_WAIT = 500;

/**
 * Counts each request whose token is not found, for the IP address of the request. Invented tokens would otherwise
 * cause an unlimited number of queries.
 */
@Injectable()
export class AddressAllowance {
  private readonly limit: number;
  /** Maximum number of requests per minute of all respondents behind one address. */
  readonly respondentLimit: number;
  private readonly lookUps: KeyedSemaphore<string>;

  constructor(
    @InjectThrottlerStorage() private readonly windows: WindowStorage,
    { throttleLimit }: Environment,
  ) {
    this.limit = throttleLimit;
    this.respondentLimit = throttleLimit * RESPONDENTS_PER_ADDRESS;
    this.lookUps = new KeyedSemaphore(Math.min(throttleLimit, CONCURRENT_LOOK_UPS));
  }

  /**
   * Returns what `lookUp` finds, or undefined if the address is over its limit. If `lookUp` finds nothing, the request
   * is counted for its address before the next look-up begins.
   *
   * @throws OverloadedError if other look-ups of the address take too long
   */
  async withinLimit<Found>(
    request: FastifyRequest,
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    if (this.limit === 0) return lookUp();
    const address = countedAddress(request.ip);
    await this.lookUps.acquire(address, performance.now() + MAX_WAIT);
    try {
      const isUsedUp = (await this.windows.hitsOf(address, ADDRESS)) >= this.limit;
      // Check again, because a new window may have begun since the previous line.
      if (isUsedUp && (await this.hit(request)).isBlocked) return undefined;
      const found = await lookUp();
      if (found === undefined) await this.hit(request);
      return found;
    } finally {
      this.lookUps.release(address);
    }
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

  /** Counts a request of a respondent for its address, apart from requests without a user. */
  hitOfRespondent(request: FastifyRequest): Promise<Hit> {
    const address = countedAddress(request.ip);
    return this.windows.increment(address, MINUTE, this.respondentLimit, MINUTE, RESPONDENT_ADDRESS);
  }
}
