import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Database } from '../../database/database.js';
import { deleteTests } from './delete-tests.js';
import { DELETE_EXPIRED_CODES, DELETE_EXPIRED_PROOFS } from './respondent.statements.js';

/** Milliseconds between two deletions. */
const SWEEP_EVERY = 10 * 60_000;

/** Deletes expired resume codes and proofs of work, and the submissions of old previews (P10). */
@Injectable()
export class RespondentSweeper implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Respondents');
  private sweeper: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.sweeper = setInterval(() => {
      this.sweep().catch((error: unknown) => {
        this.logger.warn({
          reason: (error as Error).message,
          msg: 'Expired resume codes, proofs of work or previews could not be deleted. The service retries in 10 minutes; check the database if this lasts.',
        });
      });
    }, SWEEP_EVERY).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.sweeper);
  }

  async sweep(): Promise<void> {
    await this.database.query(DELETE_EXPIRED_CODES);
    await this.database.query(DELETE_EXPIRED_PROOFS);
    await deleteTests(this.dataSource);
  }
}
