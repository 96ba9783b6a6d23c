import { Module } from '@nestjs/common';
import { AvailabilityController } from './availability.controller.js';
import { AvailabilityGuard } from './availability-guard.js';
import { AvailabilityMeasurements } from './availability-measurements.js';
import { AvailabilityService } from './availability.service.js';

@Module({
  controllers: [AvailabilityController],
  providers: [AvailabilityGuard, AvailabilityService, AvailabilityMeasurements],
})
export class AvailabilityModule {}
