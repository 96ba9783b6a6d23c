import { type DynamicModule, Module } from '@nestjs/common';
import { Webhooks } from './webhooks.service.js';

/** Delivers webhooks while the application runs. */
@Module({})
export class WebhooksModule {
  static of(webhooks: Webhooks): DynamicModule {
    return { module: WebhooksModule, providers: [{ provide: Webhooks, useValue: webhooks }] };
  }
}
