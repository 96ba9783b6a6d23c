import { Injectable, type OnModuleInit } from '@nestjs/common';
import { readingOf } from '../../database/reading-of.js';
import { Database } from '../../database/database.js';
import { Measurements } from '../../process/measurements.js';
import { COUNT_WAITING_WORK } from './file.statements.js';
import { FileWorker } from './file-worker.js';
import { FileSettings } from './settings.js';
import { StorageGateway } from './storage/storage-gateway.js';

@Injectable()
export class FileMeasurements implements OnModuleInit {
  constructor(
    private readonly measurements: Measurements,
    private readonly database: Database,
    private readonly worker: FileWorker,
    private readonly storage: StorageGateway,
    private readonly settings: FileSettings,
  ) {}

  onModuleInit(): void {
    const { measurements, worker, storage } = this;
    const isScanned = this.settings.clamdUrl !== undefined;
    const waiting = readingOf(this.database, COUNT_WAITING_WORK);
    measurements.counter(
      'formtrail_file_work_total',
      'Work on files: deleted contents, expired files, scans, and failures.',
      ['result'],
      () => worker.counts,
    );
    measurements.gauge(
      'formtrail_file_work_waiting',
      'Pending deletions of content and pending scans, up to 10000 of each.',
      ['work'],
      async () => {
        const counts = await waiting.read();
        return counts && { deletion: counts.deletion, scan: isScanned ? counts.scan : undefined };
      },
    );
    measurements.gauge(
      'formtrail_file_deletion_lag_seconds',
      'Delay of the deletion of content, in seconds.',
      [],
      () => worker.late.seconds,
    );
    measurements.counter(
      'formtrail_file_storage_failures_total',
      'Requests to the file storage that failed or timed out.',
      [],
      () => storage.failures,
    );
  }
}
