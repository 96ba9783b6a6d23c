import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerLimitDetail,
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
    try {
      // Which limit counts depends on whose token it is. Whether the route needs one is the bearer guard's to judge.
      request.user = await this.tokens.authenticate(request);
    } catch (error) {
      await super.canActivate(context);
      throw error;
    }
    return super.canActivate(context);
  }

  protected override async handleRequest(request: ThrottlerRequest): Promise<boolean> {
    const isAllowed = await super.handleRequest(request);
    this.decisions[request.throttler.name as RateLimitKind].allowed += 1;
    return isAllowed;
  }

  protected override getTracker({ user, ip }: FastifyRequest): Promise<string> {
    return Promise.resolve(user === undefined ? countedAddress(ip) : String(user.id));
  }

  protected override generateKey(_context: ExecutionContext, tracker: string): string {
    return tracker;
  }

  /** E6: only one limit counts, so that its name is no part of the headers. */
  protected override setResponseHeader(reply: FastifyReply, name: string, value: number): void {
    const header = /^X-RateLimit-(Limit|Remaining)/.exec(name)?.[0];
    if (header !== undefined) void reply.header(header, String(value));
  }

  protected override throwThrottlingException(
    context: ExecutionContext,
    { limit, timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    const http = context.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    this.setResponseHeader(reply, 'X-RateLimit-Limit', limit);
    this.setResponseHeader(reply, 'X-RateLimit-Remaining', 0);
    const { user } = http.getRequest<FastifyRequest>();
    this.decisions[user === undefined ? 'address' : 'user'].refused += 1;
    throw tooManyRequests(timeToBlockExpire);
  }
}
