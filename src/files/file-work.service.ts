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
  private timer: NodeJS.Timeout | undefined;
  private running = Promise.resolve();

  constructor(
    private readonly worker: FileWorker,
    private readonly database: Database,
  ) {}

  onApplicationBootstrap(): void {
    if (this.database.shards !== undefined)
      throw new StartError(
        'FILES_URL cannot be set where submissions are distributed over Citus: leave it out.',
      );
    this.schedule();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(): void {
    this.timer = setTimeout(() => {
      this.running = this.work().then(() => {
        if (!this.stopping.signal.aborted) this.schedule();
      });
    }, WORK_EVERY).unref();
  }

  private async work(): Promise<void> {
    try {
      await this.worker.work(this.stopping.signal);
    } catch (error) {
      this.logger.warn(`the work for files stopped, will go on: ${(error as Error).message}`);
    }
  }
}
