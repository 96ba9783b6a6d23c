import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Problem, storageUnavailable } from '../../http/errors/problems.js';
import type { FileStorage } from './file-storage.js';

/** Milliseconds that a request waits for the storage: to read 25 MiB there takes a while. */
const DEADLINE = 20_000;

/** The storage as requests reach it: where it is away or too slow they are told so (U7), and that is counted. */
export class GuardedStorage {
  private readonly logger = new Logger('Storage');
  /** Since the process started. */
  failures = 0;

  constructor(private readonly storage: FileStorage) {}

  /** Whether uploads go through the service, instead of to the storage itself. */
  get takesUploads(): boolean {
    return this.storage.write !== undefined;
  }

  /**
   * @throws Problem 503 where the storage fails, or those that `work` throws
   */
  async reach<T>(work: (storage: FileStorage) => Promise<T>, deadline = DEADLINE): Promise<T> {
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
      throw storageUnavailable();
    } finally {
      timer.abort();
    }
  }
}
