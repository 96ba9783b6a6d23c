import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { Measurements } from '../../process/measurements.js';
import { Program } from '../../server/program.js';
import { measureOutboxOf } from './webhook-metrics.js';

const WEBHOOKS = Symbol('webhooks');

/** Delivers webhooks while the application runs. */
@Module({})
export class WebhooksModule implements OnModuleInit {
  /** @param isDelivering whether this process delivers. If not, it does not load the code that delivers. */
  static of(isDelivering: boolean): DynamicModule {
    const delivery = {
      provide: WEBHOOKS,
      inject: [Program],
      useFactory: async (program: Program) => {
        const { Webhooks } = await import('./webhooks.service.js');
        return Webhooks.of(program);
      },
    };
    return { module: WebhooksModule, providers: isDelivering ? [delivery] : [] };
  }

  constructor(
    private readonly measurements: Measurements,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    measureOutboxOf(this.measurements, this.database);
  }
}
