import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ConfigModule, getConfigToken, registerAs } from '@nestjs/config';
import { Environment } from './environment.js';

const NAMESPACE = 'environment';

/** Provides the {@link Environment} to all modules; it was read before there was Nest, and nothing is read past it. */
@Global()
@Module({})
export class ConfigurationModule {
  static of(environment: Environment): DynamicModule {
    return {
      module: ConfigurationModule,
      imports: [
        ConfigModule.forRoot({
          ignoreEnvFile: true,
          skipProcessEnv: true,
          load: [registerAs(NAMESPACE, () => environment)],
        }),
      ],
      providers: [{ provide: Environment, useExisting: getConfigToken(NAMESPACE) }],
      exports: [Environment],
    };
  }
}
