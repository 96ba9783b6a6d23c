import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerModuleOptions, ThrottlerOptions, ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';

/** Whom a request is counted against: the user of its token, or its IP address (E5). */
export type RateLimitKind = 'user' | 'address';

const MINUTE = 60_000;

/** The limits of requests a minute (E4, E5); 0 is no limit. */
export function rateLimits(
  { throttleLimit, throttleUserLimit }: Environment,
  storage: ThrottlerStorage,
): ThrottlerModuleOptions {
  const throttler = (name: RateLimitKind, limit: number): ThrottlerOptions => ({
    name,
    ttl: MINUTE,
    limit,
    skipIf: (context) => limit === 0 || countedAgainst(context) !== name,
  });
  return { storage, throttlers: [throttler('user', throttleUserLimit), throttler('address', throttleLimit)] };
}

function countedAgainst(context: ExecutionContext): RateLimitKind {
  const { user } = context.switchToHttp().getRequest<FastifyRequest>();
  return user === undefined ? 'address' : 'user';
}
