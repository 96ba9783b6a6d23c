import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Lifecycle } from './lifecycle.js';

@Module({ controllers: [HealthController], providers: [Lifecycle] })
export class HealthModule {}
