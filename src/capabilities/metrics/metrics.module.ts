import { Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { Measurements } from '../../process/measurements.js';
import { measureCore } from './core-measurements.js';
import { Metrics } from './metrics.js';

/** Measures the application that imports this module. */
@Module({})
export class MetricsModule implements OnModuleInit {
  constructor(
    private readonly measurements: Measurements,
    private readonly modules: ModuleRef,
    private readonly host: HttpAdapterHost<FastifyAdapter>,
  ) {}

  onModuleInit(): void {
    Metrics.of(this.measurements).watch(this.host.httpAdapter.getInstance());
    measureCore(this.measurements, this.modules);
  }
}
