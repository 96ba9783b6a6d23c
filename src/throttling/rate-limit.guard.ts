import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { isApiRequest } from '../http/api-prefix.js';
import { tooManyRequestsProblem } from '../http/errors/problems.js';
import { AddressAllowance, type SharedLimit } from './address-allowance.js';
import { type Hit, MINUTE, type WindowStorage } from './rate-limit.storage.js';

/** Limits the requests under the API's prefix. All routes share a count, including unknown routes (E4, E5). */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /**
   * Numbers of allowed and rejected requests since the process started. A request with an invalid token counts towards the limit of
   * its address, but is listed as `invalid_token` here. Each shared limit adds an entry.
   */
  readonly decisions: Record<string, { allowed: number; rejected: number }> = {
    user: { allowed: 0, rejected: 0 },
    address: { allowed: 0, rejected: 0 },
    invalid_token: { allowed: 0, rejected: 0 },
  };

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly windows: WindowStorage,
    reflector: Reflector,
    private readonly addresses: AddressAllowance,
    @Inject(Environment) private readonly environment: Environment,
  ) {
    super(options, windows, reflector);
  }

  /** Lets a kind of users behind one address share this multiple of its limit. */
  shareLimit(kind: string, multiple: number): SharedLimit {
    this.decisions[kind] = { allowed: 0, rejected: 0 };
    return { kind, limit: this.environment.throttleLimit * multiple };
  }

  /** Counts directly. The method of the base class would resolve each limit again for each request. */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (!isApiRequest(request)) return true;
    const reply = http.getResponse<FastifyReply>();
    const { throttleLimit, throttleUserLimit } = this.environment;
    const { user } = request;
    if (user === undefined) {
      const by = request.headers.authorization === undefined ? 'address' : 'invalid_token';
      if (throttleLimit > 0) this.decide(by, await this.addresses.hit(request), throttleLimit, reply);
      return true;
    }
    const shared = user.scope?.sharedLimit;
    if (shared !== undefined && shared.limit > 0)
      this.decide(shared.kind, await this.addresses.hitShared(request, shared), shared.limit, reply);
    if (throttleUserLimit > 0) {
      const hit = await this.windows.increment(String(user.id), MINUTE, throttleUserLimit, MINUTE, 'user');
      this.decide('user', hit, throttleUserLimit, reply);
    }
    return true;
  }

  /** @throws Problem 429 if the hit is over the limit */
  private decide(by: string, hit: Hit, limit: number, reply: FastifyReply): void {
    void reply
      .header('X-RateLimit-Limit', limit)
      .header('X-RateLimit-Remaining', Math.max(0, limit - hit.totalHits));
    const decisions = (this.decisions[by] ??= { allowed: 0, rejected: 0 });
    decisions[hit.isBlocked ? 'rejected' : 'allowed'] += 1;
    if (hit.isBlocked) throw tooManyRequestsProblem(hit.timeToBlockExpire);
  }
}
