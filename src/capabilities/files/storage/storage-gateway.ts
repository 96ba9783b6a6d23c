import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Problem } from '../../../http/errors/problems.js';
import type { FileStorage } from './file-storage.js';
import { storageUnavailableProblem } from '../problems.js';

/** Milliseconds that a request waits for the storage: enough to read 25 MiB. */
const DEADLINE = 20_000;

/** Runs the storage operations of requests. Counts failures and timeouts, and turns them into 503 (U7). */
export class StorageGateway {
  private readonly logger = new Logger('Storage');
  failures = 0;

  constructor(private readonly storage: FileStorage) {}

  /** Whether uploads go through the service, not directly to the storage. */
  get takesUploads(): boolean {
    return this.storage.write !== undefined;
  }

  /** @throws Problem 503 if the storage fails, or a problem that `work` throws */
  async run<T>(work: (storage: FileStorage) => Promise<T>, deadline = DEADLINE): Promise<T> {
    const timer = new AbortController();
    const late = sleep(deadline, undefined, { signal: timer.signal, ref: false }).then(() => {
      throw new Error(`the storage of files has not responded for ${deadline / 1000} seconds`);
    });
    late.catch(() => undefined);
    try {
      return await Promise.race([work(this.storage), late]);
    } catch (error) {
      if (error instanceof Problem) throw error;
      this.failures += 1;
      this.logger.warn({
        reason: (error as Error).message,
        msg: 'The storage of files failed, and a request got 503. Check the storage that FILES_URL names.',
      });
      throw storageUnavailableProblem();
    } finally {
      timer.abort();
    }
  }
}
