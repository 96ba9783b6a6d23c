import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import type { DataSource } from 'typeorm';
import { AuthModule } from '../auth/auth.module.js';
import { BearerGuard } from '../auth/bearer.guard.js';
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
import { rateLimits } from '../throttling/rate-limit.options.js';
import type { WindowStorage } from '../throttling/rate-limit.storage.js';
import { RequestValidationPipe } from '../http/bodies/request-validation.pipe.js';
import { UnknownRoutesController } from '../throttling/unknown-routes.controller.js';
import { SubmissionsModule } from '../submissions/submissions.module.js';

/** What a request passes, in this order (docs/architecture.md): limit, token, validation; and whatever goes wrong. */
const REQUEST_PIPELINE = [
  RateLimitGuard,
  { provide: APP_GUARD, useExisting: RateLimitGuard },
  { provide: APP_GUARD, useClass: BearerGuard },
  { provide: APP_PIPE, useClass: RequestValidationPipe },
  { provide: APP_FILTER, useClass: ProblemFilter },
];

/** Resources that the caller owns and that outlive the Nest application. */
export interface AppDependencies {
  readonly environment: Environment;
  readonly dataSource: DataSource;
  readonly listener: ChangeListener;
  /** Where the OpenAPI document is, as the build made it. */
  readonly openApiFile: string;
}

@Module({})
export class AppModule {
  static of(
    { environment, dataSource, listener, openApiFile }: AppDependencies,
    storage: WindowStorage,
    /** Modules that the environment switches on. */
    optionalModules: readonly (Type | DynamicModule)[] = [],
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
        ...optionalModules,
        HealthModule,
        DocsModule.of(openApiFile),
      ],
      controllers: [UnknownRoutesController],
      providers: REQUEST_PIPELINE,
    };
  }
}
