import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { Metrics } from './metrics.js';

/** Measures the application that imports this module. */
@Module({})
export class MetricsModule implements OnModuleInit {
  static of(metrics: Metrics): DynamicModule {
    return { module: MetricsModule, providers: [{ provide: Metrics, useValue: metrics }] };
  }

  constructor(
    private readonly metrics: Metrics,
    private readonly modules: ModuleRef,
    private readonly host: HttpAdapterHost<FastifyAdapter>,
  ) {}

  onModuleInit(): void {
    this.metrics.watch(this.modules, this.host.httpAdapter.getInstance());
  }
}
