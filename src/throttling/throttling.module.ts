import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import type { Environment } from '../config/environment.js';
import { AddressAllowance } from './address-allowance.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { MINUTE, type WindowStorage } from './rate-limit.storage.js';

/** Limits the requests per minute of a user or, without a user, of an IP address (E4, E5). A limit of 0 means that there is no limit. */
@Global()
@Module({})
export class ThrottlingModule {
  static of({ throttleLimit, throttleUserLimit }: Environment, storage: WindowStorage): DynamicModule {
    const throttlers = [
      { name: 'user', ttl: MINUTE, limit: throttleUserLimit },
      { name: 'address', ttl: MINUTE, limit: throttleLimit },
    ];
    return {
      module: ThrottlingModule,
      imports: [ThrottlerModule.forRoot({ storage, throttlers })],
      providers: [AddressAllowance, RateLimitGuard],
      exports: [AddressAllowance, RateLimitGuard, ThrottlerModule],
    };
  }
}
