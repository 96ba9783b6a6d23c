import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database.js';
import { DELETE_EXPIRED_CODES, DELETE_EXPIRED_PROOFS } from './respondent.statements.js';

/** Milliseconds between two deletions. */
const SWEEP_EVERY = 10 * 60_000;

/** Deletes expired resume codes and proofs of work. */
@Injectable()
export class RespondentSweeper implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Respondents');
  private sweeper: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  onModuleInit(): void {
    this.sweeper = setInterval(() => {
      this.sweep().catch((error: unknown) => {
        this.logger.warn({
          reason: (error as Error).message,
          msg: 'Expired resume codes and proofs of work could not be deleted. The service retries in 10 minutes; check the database if this lasts.',
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
  }
}
