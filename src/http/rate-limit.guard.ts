import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { isApiRequest } from './api-request.js';
import { countedAddress } from './client-address.js';
import { tooManyRequests } from './problems.js';

const MINUTE = 60_000;

/**
 * Counts every request under the API's prefix, all routes together: against its user where its token is valid,
 * against its IP address otherwise (E4, E5).
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /** How many requests were let through and refused, since the process started. */
  readonly decisions = {
    user: { allowed: 0, refused: 0 },
    address: { allowed: 0, refused: 0 },
  };

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    super(options, storage, reflector);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    await this.count(http.getRequest(), http.getResponse());
    return true;
  }

  /** Counts a request once, however often it is called for it; throws 429 where the limit is passed. */
  async count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (request.counted || !isApiRequest(request)) return;
    request.counted = true;
    const byUser = request.userId !== undefined;
    const limit = byUser ? this.environment.throttleUserLimit : this.environment.throttleLimit;
    if (limit === 0) return;
    const [kind, key] = byUser ? ['user', String(request.userId)] : ['address', countedAddress(request.ip)];
    const hit = await this.storageService.increment(key, MINUTE, limit, MINUTE, kind);
    void reply
      .header('x-ratelimit-limit', limit)
      .header('x-ratelimit-remaining', Math.max(0, limit - hit.totalHits));
    this.decisions[byUser ? 'user' : 'address'][hit.isBlocked ? 'refused' : 'allowed'] += 1;
    if (hit.isBlocked) throw tooManyRequests(hit.timeToBlockExpire);
  }
}
