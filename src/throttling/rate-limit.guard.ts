import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TokensService } from '../auth/tokens.service.js';
import { Environment } from '../config/environment.js';
import { KeyedSemaphore } from '../database/semaphore.js';
import { isApiRequest } from '../http/api-prefix.js';
import { countedAddress } from '../http/client-address.js';
import { tooManyRequests } from '../http/errors/problems.js';
import type { RateLimitKind } from './rate-limit.options.js';
import type { WindowStorage } from './rate-limit.storage.js';

/**
 * Look-ups of tokens that one address may have in flight. The next look-up waits until one of them is counted, so that an
 * address cannot pass its limit by sending all its tokens at once. It can pass it by one.
 */
const LOOK_UPS_AT_ONCE = 2;
const ADDRESS: RateLimitKind = 'address';
/** Milliseconds that a request waits for its look-up to begin. */
const LOOK_UP_WAIT = 500;

/** Counts the requests under the API's prefix, all routes together, its unknown ones included (E4, E5). */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /**
   * How many requests were allowed and refused since the process started. Requests with a token that is not valid count for
   * their address; here they are told apart.
   */
  readonly decisions = {
    user: { allowed: 0, refused: 0 },
    address: { allowed: 0, refused: 0 },
    invalid_token: { allowed: 0, refused: 0 },
  };

  /** By address. */
  private readonly lookUps: KeyedSemaphore<string>;

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly windows: WindowStorage,
    reflector: Reflector,
    private readonly tokens: TokensService,
    private readonly environment: Environment,
  ) {
    super(options, windows, reflector);
    this.lookUps = new KeyedSemaphore(Math.min(environment.throttleLimit, LOOK_UPS_AT_ONCE));
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isApiRequest(request)) return true;
    if (request.headers.authorization === undefined) return super.canActivate(context);
    const limit = this.environment.throttleLimit;
    let lookedUpFor: string | undefined;
    const beforeLookUp = async () => {
      if (limit === 0) return;
      const address = countedAddress(request.ip);
      await this.lookUps.acquire(address, performance.now() + LOOK_UP_WAIT);
      lookedUpFor = address;
      // Without a look-up the token could be valid or not. Over the limit, the request counts for its address and is
      // rejected: otherwise anybody could cause as many queries as they invent tokens.
      if ((await this.windows.hitsOf(address, ADDRESS)) >= limit) await super.canActivate(context);
    };
    try {
      // Which limit applies depends on the user. The bearer guard decides whether the route needs a user.
      request.user = await this.tokens.authenticate(request, beforeLookUp);
      return await super.canActivate(context);
    } finally {
      // Only now is it counted, so that the next look-up sees it.
      if (lookedUpFor !== undefined) this.lookUps.release(lookedUpFor);
    }
  }

  /** One key for all routes, and headers without the name of the limit: one of them counts a request (E4, E6). */
  protected override async handleRequest(request: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration } = request;
    const name = request.throttler.name as RateLimitKind;
    const http = context.switchToHttp();
    const { user, ip, headers } = http.getRequest<FastifyRequest>();
    const key = user === undefined ? countedAddress(ip) : String(user.id);
    const hit = await this.storageService.increment(key, ttl, limit, blockDuration, name);
    void http
      .getResponse<FastifyReply>()
      .header('X-RateLimit-Limit', limit)
      .header('X-RateLimit-Remaining', Math.max(0, limit - hit.totalHits));
    const kind = name === ADDRESS && headers.authorization !== undefined ? 'invalid_token' : name;
    this.decisions[kind][hit.isBlocked ? 'refused' : 'allowed'] += 1;
    if (hit.isBlocked) throw tooManyRequests(hit.timeToBlockExpire);
    return true;
  }
}
