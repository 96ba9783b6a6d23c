import { OverloadedError } from '../database/database-errors.js';
import { Semaphore } from '../database/semaphore.js';

/** Attempts at the same time for one endpoint. */
const ATTEMPTS = 8;

/** Milliseconds that a worker waits until another attempt ends. */
const PATIENCE = 100;

/**
 * The share of the workers that one endpoint may take. Workers that ask at the same moment can all get jobs of one endpoint
 * before its share is known to be taken. The surplus workers wait for a moment, which suffices if the endpoint responds.
 */
export class EndpointShare {
  private readonly attempts = new Semaphore(ATTEMPTS);
  private workers = 0;

  get isTaken(): boolean {
    return this.workers >= ATTEMPTS;
  }

  /** Returns false without an attempt if it could not begin in time. */
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
