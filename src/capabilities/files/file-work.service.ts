import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { repeat } from '../../process/repeat.js';
import { FileWorker } from './file-worker.js';
import { Clamd } from './scanning/clamd.js';

/** Milliseconds between two runs of the worker. */
const WORK_EVERY = 2_000;

/** Runs the {@link FileWorker} in the background of a server. */
@Injectable()
export class FileWorkService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Files');
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly worker: FileWorker,
    @Inject(Clamd) private readonly clamd: Clamd | undefined,
  ) {}

  onApplicationBootstrap(): void {
    const { signal } = this.stopping;
    const everyTwoSeconds = (work: () => Promise<void>) =>
      repeat(WORK_EVERY, work, signal, ({ message: reason }) => {
        this.logger.warn({
          reason,
          msg: 'Deleting or scanning files was interrupted and continues in 2 seconds. Check the database if this lasts.',
        });
      });
    this.running = Promise.all([
      everyTwoSeconds(() => this.worker.delete(signal)),
      everyTwoSeconds(() => this.worker.scan(signal)),
      this.pingClamd(signal),
    ]);
  }

  /** Tells the operator at the start that clamd is away, instead of with the first file. */
  private async pingClamd(signal: AbortSignal): Promise<void> {
    const { clamd } = this;
    if (clamd === undefined) return;
    await clamd.ping(signal).catch((error: unknown) => {
      if (signal.aborted) return;
      const { message, code } = error as NodeJS.ErrnoException;
      this.logger.warn({
        // The message is empty if several addresses of one name failed.
        reason: message || code,
        msg: `clamd does not respond at ${clamd.url}. New files stay unscanned until it does. Start clamd, or change CLAMD_URL.`,
      });
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }
}
