import { Injectable, Logger } from '@nestjs/common';
import { CONNECTION_TIMEOUT } from '../../database/connection.js';
import { OverloadedError } from '../../database/database-errors.js';
import { KeyedSemaphore } from '../../database/semaphore.js';
import { tooManyHeavyReads } from '../../http/errors/problems.js';

/** Maximum number of heavy reads of one user at a time. Each may take 200 ms of CPU time and 20 MB. */
const CONCURRENT = 2;
/** Milliseconds between two lines in the log. */
const LOG_INTERVAL = 60_000;

/** Limits how many large submissions of one user are read and evaluated at once, so that other users do not wait for them. */
@Injectable()
export class HeavyReadsService {
  private readonly logger = new Logger('Submissions');
  private readonly permits = new KeyedSemaphore<number>(CONCURRENT);
  private loggedAt = -Infinity;

  /** @throws Problem 503 if other heavy reads of the user take too long */
  async run<Result>(userId: number, work: () => Result | Promise<Result>): Promise<Result> {
    await this.enter(userId);
    try {
      return await work();
    } finally {
      this.permits.release(userId);
    }
  }

  private async enter(userId: number): Promise<void> {
    try {
      await this.permits.acquire(userId, performance.now() + CONNECTION_TIMEOUT);
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error;
      const now = performance.now();
      if (now - this.loggedAt > LOG_INTERVAL) {
        this.loggedAt = now;
        this.logger.warn({
          user_id: userId,
          msg: 'A request was rejected, because other requests of its user were reading large submissions. Ask the client to send fewer of them at once.',
        });
      }
      throw tooManyHeavyReads();
    }
  }
}
