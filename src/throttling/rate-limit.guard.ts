import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isApiRequest } from '../http/api-prefix.js';
import { tooManyRequests } from '../http/errors/problems.js';
import { AddressAllowance } from './address-allowance.js';

/** Limits the requests under the API's prefix. All routes share a count, including unknown routes (E4, E5). */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /**
   * Requests that were allowed and rejected since the process started. Requests with an invalid token are counted for
   * their address, but have their own entry here.
   */
  readonly decisions = {
    user: { allowed: 0, refused: 0 },
    address: { allowed: 0, refused: 0 },
    invalid_token: { allowed: 0, refused: 0 },
  };

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly addresses: AddressAllowance,
  ) {
    super(options, storage, reflector);
  }

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(!isApiRequest(context.switchToHttp().getRequest<FastifyRequest>()));
  }

  /** Uses one key for all routes, and headers without the name of the limit, because only one limit counts a request (E4, E6). */
  protected override async handleRequest(request: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration, throttler } = request;
    const http = context.switchToHttp();
    const counted = http.getRequest<FastifyRequest>();
    const { user, headers } = counted;
    const hit =
      user === undefined
        ? await this.addresses.hit(counted)
        : await this.storageService.increment(
            String(user.id),
            ttl,
            limit,
            blockDuration,
            throttler.name ?? '',
          );
    void http
      .getResponse<FastifyReply>()
      .header('X-RateLimit-Limit', limit)
      .header('X-RateLimit-Remaining', Math.max(0, limit - hit.totalHits));
    const withoutUser = headers.authorization === undefined ? 'address' : 'invalid_token';
    this.decisions[user === undefined ? withoutUser : 'user'][hit.isBlocked ? 'refused' : 'allowed'] += 1;
    if (hit.isBlocked) throw tooManyRequests(hit.timeToBlockExpire);
    return true;
  }
}
