import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BearerStrategy } from './bearer.strategy.js';
import { ApiToken } from './entities/api-token.js';
import { User } from './entities/user.js';
import { TokensService } from './tokens.service.js';

@Module({
  imports: [PassportModule, TypeOrmModule.forFeature([User, ApiToken])],
  providers: [TokensService, BearerStrategy],
  exports: [TokensService],
})
export class AuthModule {}
