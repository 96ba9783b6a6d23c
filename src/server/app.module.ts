import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { AuthModule } from '../auth/auth.module.js';
import { AuthenticatedGuard, BearerAuthGuard } from '../auth/bearer-auth.guard.js';
import { ConditionsModule } from '../conditions/conditions.module.js';
import { ConfigurationModule } from '../config/configuration.module.js';
import type { Environment } from '../config/environment.js';
import type { ChangeListener } from '../database/change-listener.js';
import { DatabaseModule } from '../database/database.module.js';
import { DocsModule } from './docs/docs.module.js';
import { FormsModule } from '../forms/forms.module.js';
import { HealthModule } from './health/health.module.js';
import { ProblemFilter } from '../http/errors/problem.filter.js';
import { RequestValidationPipe } from '../http/bodies/request-validation.pipe.js';
import { RespondentsModule } from '../capabilities/respondents/respondents.module.js';
import { SubmissionsModule } from '../submissions/submissions.module.js';
import { RateLimitGuard } from '../throttling/rate-limit.guard.js';
import type { WindowStorage } from '../throttling/rate-limit.storage.js';
import { ThrottlingModule } from '../throttling/throttling.module.js';
import { UnknownRoutesController } from './unknown-routes.controller.js';

/** Guards run in this order: find the user, apply the rate limit, reject with 401 (docs/architecture.md). */
const REQUEST_PIPELINE = [
  { provide: APP_GUARD, useClass: BearerAuthGuard },
  { provide: APP_GUARD, useExisting: RateLimitGuard },
  { provide: APP_GUARD, useClass: AuthenticatedGuard },
  { provide: APP_PIPE, useClass: RequestValidationPipe },
  { provide: APP_FILTER, useClass: ProblemFilter },
];

/** Resources that the caller owns and that outlive the Nest application. */
export interface AppDependencies {
  readonly environment: Environment;
  readonly dataSource: DataSource;
  readonly listener: ChangeListener;
  /** Path of the OpenAPI document that the build wrote. */
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
        ThrottlingModule.of(environment, storage),
        AuthModule,
        FormsModule,
        SubmissionsModule,
        ConditionsModule,
        RespondentsModule,
        ...optionalModules,
        HealthModule,
        DocsModule.of(openApiFile),
      ],
      controllers: [UnknownRoutesController],
      providers: REQUEST_PIPELINE,
    };
  }
}
