import { Module } from '@nestjs/common';
import { BearerStrategy } from './bearer.strategy.js';
import { TokensService } from './tokens.service.js';

/** The guards are in `server/app.module.ts`, with all others. */
@Module({
  providers: [TokensService, BearerStrategy],
  exports: [BearerStrategy, TokensService],
})
export class AuthModule {}
