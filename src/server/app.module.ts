import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import type { DataSource } from 'typeorm';
import { AuthModule } from '../auth/auth.module.js';
import { BearerAuthGuard } from '../auth/bearer-auth.guard.js';
import { ConditionsModule } from '../conditions/conditions.module.js';
import { ConfigurationModule } from '../config/configuration.module.js';
import type { Environment } from '../config/environment.js';
import type { ChangeListener } from '../database/change-listener.js';
import { DatabaseModule } from '../database/database.module.js';
import { DocsModule } from '../docs/docs.module.js';
import { FormsModule } from '../forms/forms.module.js';
import { HealthModule } from '../health/health.module.js';
import { ProblemFilter } from '../http/errors/problem.filter.js';
import { RateLimitGuard } from '../throttling/rate-limit.guard.js';
import { rateLimits } from '../throttling/throttling.module.js';
import type { WindowStorage } from '../throttling/rate-limit.storage.js';
import { RequestValidationPipe } from '../http/bodies/request-validation.pipe.js';
import { UnknownRoutesController } from './unknown-routes.controller.js';
import { SubmissionsModule } from '../submissions/submissions.module.js';

/** What a request passes, in this order (docs/architecture.md): limit, token, validation; and whatever goes wrong. */
const REQUEST_PIPELINE = [
  RateLimitGuard,
  { provide: APP_GUARD, useExisting: RateLimitGuard },
  { provide: APP_GUARD, useClass: BearerAuthGuard },
  { provide: APP_PIPE, useClass: RequestValidationPipe },
  { provide: APP_FILTER, useClass: ProblemFilter },
];

/** What is there before the application is made, and closed after it by whoever opened it. */
export interface AppParts {
  readonly environment: Environment;
  readonly dataSource: DataSource;
  readonly listener: ChangeListener;
  /** Where the OpenAPI document is, as the build made it. */
  readonly openApiFile: string;
}

@Module({})
export class AppModule {
  static of(
    { environment, dataSource, listener, openApiFile }: AppParts,
    storage: WindowStorage,
    /** Modules of what the environment switches on. */
    switchedOn: readonly Type[] = [],
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigurationModule.of(environment),
        DatabaseModule.of(dataSource, listener),
        ThrottlerModule.forRoot(rateLimits(environment, storage)),
        AuthModule,
        FormsModule,
        SubmissionsModule,
        ConditionsModule,
        ...switchedOn,
        HealthModule,
        DocsModule.of(openApiFile),
      ],
      controllers: [UnknownRoutesController],
      providers: REQUEST_PIPELINE,
    };
  }
}
