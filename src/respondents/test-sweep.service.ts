import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { deleteTests } from './delete-tests.js';

/** Milliseconds between two deletions. */
const SWEEP_EVERY = 10 * 60_000;

/** Deletes the submissions of old previews in the background of a server (P10). */
@Injectable()
export class TestSweepService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Previews');
  private sweeper: NodeJS.Timeout | undefined;

  constructor(private readonly dataSource: DataSource) {}

  onModuleInit(): void {
    this.sweeper = setInterval(() => void this.sweep(), SWEEP_EVERY).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.sweeper);
  }

  async sweep(): Promise<void> {
    try {
      await deleteTests(this.dataSource);
    } catch (error) {
      this.logger.warn({
        reason: (error as Error).message,
        msg: 'The submissions of old previews could not be deleted. The service retries in 10 minutes; check the database if this lasts.',
      });
    }
  }
}
