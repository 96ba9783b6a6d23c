import { OverloadedError } from '../database/database-errors.js';
import { Semaphore } from '../database/semaphore.js';

/** Maximum number of concurrent attempts for one endpoint. */
const ATTEMPTS = 8;

/** Maximum milliseconds that a worker waits for another attempt to end. */
const MAX_WAIT = 100;

/**
 * Limits the workers that one endpoint may occupy. Workers that fetch jobs at the same moment can all get jobs of one
 * endpoint, because its share is not full yet. The surplus workers wait up to 100 ms for an attempt to end.
 */
export class EndpointShare {
  private readonly attempts = new Semaphore(ATTEMPTS);
  private workers = 0;

  get isFull(): boolean {
    return this.workers >= ATTEMPTS;
  }

  /** Returns false, without calling `attempt`, if too many other attempts still run after {@link MAX_WAIT}. */
  async run(attempt: () => Promise<void>): Promise<boolean> {
    this.workers += 1;
    try {
      await this.attempts.acquire(performance.now() + MAX_WAIT);
      await attempt().finally(() => {
        this.attempts.release();
      });
      return true;
    } catch (error) {
      if (error instanceof OverloadedError) return false;
      throw error;
    } finally {
      this.workers -= 1;
    }
  }
}
