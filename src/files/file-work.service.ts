import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { StartError } from '../config/environment.js';
import { Database } from '../database/database.js';
import { FileWorker } from './file-worker.js';

/** Milliseconds. */
const WORK_EVERY = 2_000;

/** Has the server do the work for files between requests. */
@Injectable()
export class FileWorkService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Files');
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly worker: FileWorker,
    private readonly database: Database,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.database.isOneServer)
      throw new StartError(
        'FILES_URL cannot be set where submissions are distributed over Citus: leave it out.',
      );
    this.running = Promise.all([
      this.repeat((signal) => this.worker.delete(signal)),
      this.repeat((signal) => this.worker.scan(signal)),
    ]);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async repeat(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      try {
        await sleep(WORK_EVERY, undefined, { signal, ref: false });
        await work(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.logger.warn({
          reason: (error as Error).message,
          msg: 'Deleting or scanning files was interrupted, and goes on in 2 seconds. Check the database if this lasts.',
        });
      }
    }
  }
}
