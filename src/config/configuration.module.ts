import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from './environment.js';

@Global()
@Module({})
export class ConfigurationModule {
  static of(environment: Environment): DynamicModule {
    return {
      module: ConfigurationModule,
      providers: [{ provide: ENVIRONMENT, useValue: environment }],
      exports: [ENVIRONMENT],
    };
  }
}
