import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Authenticators } from './authenticates.js';
import { BearerStrategy } from './bearer.strategy.js';
import { TokensService } from './tokens.service.js';

/** `server/app.module.ts` registers the guards of this folder, because all guards must run in a fixed order. */
@Module({
  imports: [DiscoveryModule],
  providers: [Authenticators, TokensService, BearerStrategy],
  exports: [BearerStrategy, TokensService],
})
export class AuthModule {}
