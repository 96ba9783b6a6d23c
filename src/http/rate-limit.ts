import { Inject, Injectable } from '@nestjs/common';
import { InjectThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ENVIRONMENT } from '../config/configuration.module.js';
import type { Environment } from '../config/environment.js';
import { whenKnown } from '../when-known.js';
import { addHeader } from './answer.js';
import { countedAddress } from './client-address.js';
import { tooManyRequests } from './problems.js';
import type { Hit, WindowStorage } from './rate-limit.storage.js';

const MINUTE = 60_000;

/**
 * Counts requests under the API's prefix, all routes together: against their user where their token is valid, against
 * their IP address otherwise (E4, E5).
 */
@Injectable()
export class RateLimit {
  /** How many requests were let through and refused, since the process started. */
  readonly decisions = {
    user: { allowed: 0, refused: 0 },
    address: { allowed: 0, refused: 0 },
  };

  constructor(
    @InjectThrottlerStorage() private readonly storage: WindowStorage,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Throws 429 where the limit is passed. */
  count(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    return request.userId === undefined
      ? this.hit('address', countedAddress(request.ip), this.environment.throttleLimit, reply)
      : this.hit('user', String(request.userId), this.environment.throttleUserLimit, reply);
  }

  private hit(
    kind: 'user' | 'address',
    key: string,
    limit: number,
    reply: FastifyReply,
  ): void | Promise<void> {
    if (limit === 0) return;
    return whenKnown(this.storage.count(kind, key, MINUTE, limit), (hit) => {
      this.decide(kind, limit, hit, reply);
    });
  }

  private decide(kind: 'user' | 'address', limit: number, hit: Hit, reply: FastifyReply): void {
    addHeader(reply, 'X-RateLimit-Limit', String(limit));
    addHeader(reply, 'X-RateLimit-Remaining', String(Math.max(0, limit - hit.totalHits)));
    this.decisions[kind][hit.isBlocked ? 'refused' : 'allowed'] += 1;
    if (hit.isBlocked) throw tooManyRequests(hit.timeToBlockExpire);
  }
}
