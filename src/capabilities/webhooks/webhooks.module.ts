import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { readingOf } from '../../database/reading-of.js';
import { integer, statement } from '../../database/statement.js';
import { Measurements } from '../../process/measurements.js';
import { Program } from '../../server/program.js';
import { measureOutbox, type OutboxState } from './webhook-metrics.js';

const WEBHOOKS = Symbol('webhooks');

/** Returns no row if there is no endpoint. The SQL function has rights that the service's role lacks. */
const FIND_OUTBOX_STATE = statement<OutboxState>(
  'webhooks.state',
  `select events, deliveries, oldest_pending_seconds, oldest_due_seconds, disabled_endpoints
     from formtrail_webhooks_state()`,
  {
    events: integer,
    deliveries: integer,
    oldest_pending_seconds: Number,
    oldest_due_seconds: Number,
    disabled_endpoints: integer,
  },
);

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
    measureOutbox(this.measurements, readingOf(this.database, FIND_OUTBOX_STATE));
  }
}
