import type { FileWorker } from '../files/file-worker.js';
import type { StorageGateway } from '../files/storage/storage-gateway.js';
import type { CachedReading } from './cached-reading.js';
import type { ReadMetrics } from './readings.js';

interface Waiting {
  readonly deletion: number;
  readonly scan: number;
}

/** Only if files are switched on. Scans are exported only if there is a clamd. */
export function readFiles(
  metrics: ReadMetrics,
  worker: FileWorker,
  storage: StorageGateway,
  waiting: CachedReading<Waiting>,
  isScanned: boolean,
): void {
  metrics.counter(
    'formtrail_file_work_total',
    'Files whose bytes were deleted, that expired, or that were scanned; and work that failed.',
    ['result'],
    () => Object.entries(worker.counts).map(([result, count]) => [{ result }, count] as const),
  );
  metrics.gauge(
    'formtrail_file_work_waiting',
    'Deletions of bytes and scans that are still to be done, as far as 10000 of each.',
    ['work'],
    async () => {
      const counts = await waiting.read();
      if (counts === undefined) return [];
      const deletions = [{ work: 'deletion' }, counts.deletion] as const;
      return isScanned ? [deletions, [{ work: 'scan' }, counts.scan]] : [deletions];
    },
  );
  metrics.gauge('formtrail_file_deletion_lag_seconds', 'How late the deletion of bytes is.', [], () => [
    [{}, worker.late.seconds],
  ]);
  metrics.counter(
    'formtrail_file_storage_failures_total',
    'Requests that the storage of files failed, or was too slow for.',
    [],
    () => [[{}, storage.failures]],
  );
}
