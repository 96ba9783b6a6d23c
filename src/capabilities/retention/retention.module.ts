import { Module } from '@nestjs/common';
import { RetentionMeasurements } from './retention-measurements.js';
import { RetentionService } from './retention.service.js';

@Module({ providers: [RetentionService, RetentionMeasurements] })
export class RetentionModule {}
