import { OverloadedError } from '../database/database-errors.js';
import { Semaphore } from '../database/semaphore.js';

/** Attempts at the same time of one endpoint. */
const ATTEMPTS = 8;

/** Milliseconds that a worker waits for another one's attempt to end. */
const PATIENCE = 100;

/**
 * What one endpoint may have of the workers. Workers that ask for a job at the same moment may all be given jobs of one
 * endpoint, before it is known to have its share: those beyond wait for a moment, which is enough where it responds.
 */
export class EndpointShare {
  private readonly attempts = new Semaphore(ATTEMPTS);
  private workers = 0;

  get isTaken(): boolean {
    return this.workers >= ATTEMPTS;
  }

  /** False, with nothing done, where it would have taken too long to begin. */
  async run(attempt: () => Promise<void>): Promise<boolean> {
    this.workers += 1;
    try {
      await this.attempts.acquire(performance.now() + PATIENCE);
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
