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
import { TokensService } from '../auth/tokens.service.js';
import { isApiRequest } from './api-prefix.js';
import { countedAddress } from './client-address.js';
import { tooManyRequests } from './problems.js';
import type { RateLimitKind } from './rate-limit.options.js';

/** Counts the requests under the API's prefix, all routes together, its unknown ones included (E4, E5). */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /** How many requests were allowed and refused since the process started. */
  readonly decisions = {
    user: { allowed: 0, refused: 0 },
    address: { allowed: 0, refused: 0 },
  };

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly tokens: TokensService,
  ) {
    super(options, storage, reflector);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isApiRequest(request)) return true;
    if (request.headers.authorization === undefined) return super.canActivate(context);
    try {
      // Which limit counts depends on whose token it is. Whether the route needs one is the bearer guard's to judge.
      request.user = await this.tokens.authenticate(request);
    } catch (error) {
      await super.canActivate(context);
      throw error;
    }
    return super.canActivate(context);
  }

  /** One key for all routes, and headers without the name of the limit: one of them counts a request (E4, E6). */
  protected override async handleRequest(request: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration } = request;
    const name = request.throttler.name as RateLimitKind;
    const http = context.switchToHttp();
    const { user, ip } = http.getRequest<FastifyRequest>();
    const key = user === undefined ? countedAddress(ip) : String(user.id);
    const hit = await this.storageService.increment(key, ttl, limit, blockDuration, name);
    void http
      .getResponse<FastifyReply>()
      .header('X-RateLimit-Limit', limit)
      .header('X-RateLimit-Remaining', Math.max(0, limit - hit.totalHits));
    this.decisions[name][hit.isBlocked ? 'refused' : 'allowed'] += 1;
    if (hit.isBlocked) throw tooManyRequests(hit.timeToBlockExpire);
    return true;
  }
}
