import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ThrottlerModule, type ThrottlerStorage } from '@nestjs/throttler';
import type { DataSource } from 'typeorm';
import { AuthModule } from './auth/auth.module.js';
import { ConditionsModule } from './conditions/conditions.module.js';
import { ConfigurationModule } from './config/configuration.module.js';
import type { Environment } from './config/environment.js';
import type { ChangeListener } from './database/change-listener.js';
import { DatabaseModule } from './database/database.module.js';
import { FormsModule } from './forms/forms.module.js';
import { HealthModule } from './health/health.module.js';
import { ProblemFilter } from './http/problem.filter.js';
import { RateLimit } from './http/rate-limit.js';
import { SubmissionsModule } from './submissions/submissions.module.js';

@Module({})
export class AppModule {
  static of(
    environment: Environment,
    dataSource: DataSource,
    listener: ChangeListener,
    storage: ThrottlerStorage,
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigurationModule.of(environment),
        DatabaseModule.of(dataSource, listener),
        ThrottlerModule.forRoot({
          throttlers: [{ ttl: 60_000, limit: environment.throttleLimit }],
          storage,
        }),
        AuthModule,
        FormsModule,
        SubmissionsModule,
        ConditionsModule,
        HealthModule,
      ],
      providers: [RateLimit, ProblemFilter, { provide: APP_FILTER, useExisting: ProblemFilter }],
    };
  }
}
