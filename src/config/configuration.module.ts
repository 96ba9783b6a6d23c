import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule, getConfigToken, registerAs } from '@nestjs/config';
import type { Environment } from './environment.js';

const NAMESPACE = 'environment';

/** The injection token of the {@link Environment}. */
export const ENVIRONMENT = getConfigToken(NAMESPACE);

/** Provides the configuration to all modules; it was read before there was Nest, and nothing is read past it. */
@Module({})
export class ConfigurationModule {
  static of(environment: Environment): DynamicModule {
    return {
      module: ConfigurationModule,
      imports: [
        ConfigModule.forRoot({
          isGlobal: true,
          ignoreEnvFile: true,
          skipProcessEnv: true,
          load: [registerAs(NAMESPACE, () => environment)],
        }),
      ],
    };
  }
}
