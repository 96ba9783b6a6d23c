import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ThrottlerModule, type ThrottlerOptions } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';
import { AddressAllowance } from './address-allowance.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { MINUTE, type RateLimitKind, type WindowStorage } from './rate-limit.storage.js';

/** Limits the requests per minute of a user or, without a user, of an IP address (E4, E5). */
@Global()
@Module({})
export class ThrottlingModule {
  static of({ throttleLimit, throttleUserLimit }: Environment, storage: WindowStorage): DynamicModule {
    const throttlers = [throttler('user', throttleUserLimit), throttler('address', throttleLimit)];
    return {
      module: ThrottlingModule,
      imports: [ThrottlerModule.forRoot({ storage, throttlers })],
      providers: [AddressAllowance, RateLimitGuard],
      exports: [AddressAllowance, RateLimitGuard],
    };
  }
}

/** A limit of 0 means that there is no limit. */
function throttler(name: RateLimitKind, limit: number): ThrottlerOptions {
  return {
    name,
    ttl: MINUTE,
    limit,
    skipIf: (context) => {
      const { user } = context.switchToHttp().getRequest<FastifyRequest>();
      return limit === 0 || name !== (user === undefined ? 'address' : 'user');
    },
  };
}
