import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { InjectThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { addHeader } from './answer.js';
import { isApiRequest } from './api-request.js';
import { countedAddress } from './client-address.js';
import { tooManyRequests } from './problems.js';
import type { Hit, WindowStorage } from './rate-limit.storage.js';

const MINUTE = 60_000;

/**
 * Counts every request under the API's prefix, all routes together: against its user where its token is valid,
 * against its IP address otherwise (E4, E5).
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  /** How many requests were let through and refused, since the process started. */
  readonly decisions = {
    user: { allowed: 0, refused: 0 },
    address: { allowed: 0, refused: 0 },
  };

  constructor(
    @InjectThrottlerStorage() private readonly storage: WindowStorage,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const http = context.switchToHttp();
    return this.count(http.getRequest(), http.getResponse());
  }

  /** Counts a request once, however often it is called for it; throws 429 where the limit is passed. */
  count(request: FastifyRequest, reply: FastifyReply): true | Promise<true> {
    if (request.counted || !isApiRequest(request)) return true;
    request.counted = true;
    const { userId } = request;
    const [kind, key, limit] =
      userId === undefined
        ? (['address', countedAddress(request.ip), this.environment.throttleLimit] as const)
        : (['user', String(userId), this.environment.throttleUserLimit] as const);
    if (limit === 0) return true;
    const hit = this.storage.count(kind, key, MINUTE, limit);
    return hit instanceof Promise
      ? hit.then((counted) => this.decide(kind, limit, counted, reply))
      : this.decide(kind, limit, hit, reply);
  }

  private decide(kind: 'user' | 'address', limit: number, hit: Hit, reply: FastifyReply): true {
    addHeader(reply, 'X-RateLimit-Limit', String(limit));
    addHeader(reply, 'X-RateLimit-Remaining', String(Math.max(0, limit - hit.totalHits)));
    this.decisions[kind][hit.isBlocked ? 'refused' : 'allowed'] += 1;
    if (hit.isBlocked) throw tooManyRequests(hit.timeToBlockExpire);
    return true;
  }
}
