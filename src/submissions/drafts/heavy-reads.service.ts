import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../../auth/caller.decorator.js';
import { deadlineOf } from '../../database/connection.js';
import { OverloadedError } from '../../database/database-errors.js';
import { KeyedSemaphore } from '../../database/semaphore.js';
import { tooManyHeavyReadsProblem } from '../../http/errors/problems.js';

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
  async run<Result>(caller: Caller, work: () => Result | Promise<Result>): Promise<Result> {
    await this.enter(caller);
    try {
      return await work();
    } finally {
      this.permits.release(caller.userId);
    }
  }

  private async enter(caller: Caller): Promise<void> {
    const { userId } = caller;
    try {
      await this.permits.acquire(userId, deadlineOf(caller));
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
      throw tooManyHeavyReadsProblem();
    }
  }
}
