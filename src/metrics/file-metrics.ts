import type { FileWorker } from '../files/file-worker.js';
import type { StorageGateway } from '../files/storage/storage-gateway.js';
import type { CachedReading } from './cached-reading.js';
import type { ReadMetrics } from './readings.js';

interface Waiting {
  readonly deletion: number;
  readonly scan: number;
}

/**
 * Exports metrics of files. Call this only if files are enabled. `isScanned` says whether there is a virus scanner.
 */
export function readFiles(
  metrics: ReadMetrics,
  worker: FileWorker,
  storage: StorageGateway,
  waiting: CachedReading<Waiting>,
  isScanned: boolean,
): void {
  metrics.counter(
    'formtrail_file_work_total',
    'Work on files: deleted contents, expired files, scans, and failures.',
    ['result'],
    () => Object.entries(worker.counts).map(([result, count]) => [{ result }, count] as const),
  );
  metrics.gauge(
    'formtrail_file_work_waiting',
    'Pending deletions of bytes and pending scans, up to 10000 of each.',
    ['work'],
    async () => {
      const counts = await waiting.read();
      if (counts === undefined) return [];
      const deletions = [{ work: 'deletion' }, counts.deletion] as const;
      return isScanned ? [deletions, [{ work: 'scan' }, counts.scan]] : [deletions];
    },
  );
  metrics.gauge(
    'formtrail_file_deletion_lag_seconds',
    'Delay of the deletion of bytes, in seconds.',
    [],
    () => [[{}, worker.late.seconds]],
  );
  metrics.counter(
    'formtrail_file_storage_failures_total',
    'Requests to the file storage that failed or timed out.',
    [],
    () => [[{}, storage.failures]],
  );
}
