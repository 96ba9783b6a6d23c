import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Measurements } from '../../process/measurements.js';
import { RetentionService } from './retention.service.js';

@Injectable()
export class RetentionMeasurements implements OnModuleInit {
  constructor(
    private readonly measurements: Measurements,
    private readonly retention: RetentionService,
  ) {}

  onModuleInit(): void {
    const { measurements, retention } = this;
    if (!retention.isOn) return;
    measurements.counter(
      'formtrail_retention_total',
      'Submissions that this server deleted (completed, drafts) or whose personal answers it deleted (personal), because their period had ended.',
      ['reason'],
      () => retention.deleted,
    );
    measurements.counter(
      'formtrail_retention_failures_total',
      'Runs of this server that failed. The server tries again after a minute.',
      [],
      () => retention.failures,
    );
    measurements.gauge(
      'formtrail_retention_last_run_timestamp_seconds',
      'When this server last finished a run.',
      [],
      () => retention.finishedAt,
    );
  }
}
