import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Environment } from './environment.js';

/**
 * Provides the {@link Environment} to all modules. The caller reads the environment before it creates the application,
 * because the database is opened first and needs it.
 */
@Global()
@Module({})
export class ConfigurationModule {
  static of(environment: Environment): DynamicModule {
    return {
      module: ConfigurationModule,
      providers: [{ provide: Environment, useValue: environment }],
      exports: [Environment],
    };
  }
}
