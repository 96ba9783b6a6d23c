import { Module } from '@nestjs/common';
import { BearerStrategy } from './bearer.strategy.js';
import { TokensService } from './tokens.service.js';

/** `server/app.module.ts` registers the guards of this folder, because all guards must run in a fixed order. */
@Module({ providers: [TokensService, BearerStrategy], exports: [BearerStrategy, TokensService] })
export class AuthModule {}
