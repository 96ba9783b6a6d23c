import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Measurements } from '../../process/measurements.js';
import { AvailabilityGuard } from './availability-guard.js';

@Injectable()
export class AvailabilityMeasurements implements OnModuleInit {
  constructor(
    private readonly measurements: Measurements,
    private readonly guard: AvailabilityGuard,
  ) {}

  onModuleInit(): void {
    this.measurements.counter(
      'formtrail_availability_rejected_total',
      'Requests that were rejected because a form was not open, or because it or an option was full.',
      ['reason'],
      () => this.guard.rejected,
    );
  }
}
