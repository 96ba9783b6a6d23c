import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { AuthModule } from '../auth/auth.module.js';
import { AuthenticatedGuard, BearerAuthGuard } from '../auth/bearer-auth.guard.js';
import { ConditionsModule } from '../conditions/conditions.module.js';
import type { ChangeListener } from '../database/change-listener.js';
import { DatabaseModule } from '../database/database.module.js';
import { DocsModule } from './docs/docs.module.js';
import { FormsModule } from '../forms/forms.module.js';
import { HealthModule } from './health/health.module.js';
import { problemsByConstraint } from './catalogue.js';
import { ProblemFilter } from '../http/errors/problem.filter.js';
import { RequestValidationPipe } from '../http/bodies/request-validation.pipe.js';
import { SubmissionsModule } from '../submissions/submissions.module.js';
import { RateLimitGuard } from '../throttling/rate-limit.guard.js';
import type { WindowStorage } from '../throttling/rate-limit.storage.js';
import { ThrottlingModule } from '../throttling/throttling.module.js';
import type { SettingsClass } from '../config/environment.js';
import type { Program } from './program.js';
import { ProgramModule } from './program.module.js';
import { UnknownRoutesController } from './unknown-routes.controller.js';

/** Guards run in this order: find the user, apply the rate limit, reject with 401 (docs/architecture.md). */
const REQUEST_PIPELINE = [
  { provide: APP_GUARD, useClass: BearerAuthGuard },
  { provide: APP_GUARD, useExisting: RateLimitGuard },
  { provide: APP_GUARD, useClass: AuthenticatedGuard },
  { provide: APP_PIPE, useClass: RequestValidationPipe },
  { provide: APP_FILTER, useFactory: () => new ProblemFilter(problemsByConstraint()) },
];

/** Resources that the caller owns and that outlive the Nest application. */
export interface AppDependencies {
  readonly program: Program;
  readonly dataSource: DataSource;
  readonly listener: ChangeListener;
  /** Path of the OpenAPI document that the build wrote. */
  readonly openApiFile: string;
}

@Module({})
export class AppModule {
  static of(
    { program, dataSource, listener, openApiFile }: AppDependencies,
    storage: WindowStorage,
    /** The settings of all capabilities, and the modules of those that are switched on. */
    capabilities: {
      readonly settings: readonly SettingsClass[];
      readonly modules: readonly (Type | DynamicModule)[];
    },
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ProgramModule.of(program, capabilities.settings),
        DatabaseModule.of(dataSource, listener),
        ThrottlingModule.of(program.environment, storage),
        AuthModule,
        FormsModule,
        SubmissionsModule,
        ConditionsModule,
        ...capabilities.modules,
        HealthModule,
        DocsModule.of(openApiFile),
      ],
      controllers: [UnknownRoutesController],
      providers: REQUEST_PIPELINE,
    };
  }
}
