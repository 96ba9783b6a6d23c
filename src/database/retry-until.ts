import { setTimeout as sleep } from 'node:timers/promises';
import { isDeadlock, OverloadedError, RowLockedError, UnreachedServerError } from './database-errors.js';

/** Milliseconds before the second attempt. The pause doubles after each attempt, up to LONGEST_PAUSE. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 50;

/**
 * Milliseconds to wait after a deadlock. A retry after a shorter pause could take the lock that the other program
 * waits for.
 */
const DEADLOCK_PAUSE = 100;

export const isRowLocked = (error: unknown) => error instanceof RowLockedError;

/**
 * After a deadlock, PostgreSQL has rolled our statement back. The other program then gets its locks and finishes, so a
 * retry can succeed.
 */
export const isWorthAnotherAttempt = (error: unknown) =>
  isRowLocked(error) ||
  isDeadlock(error) ||
  (error instanceof UnreachedServerError && error.isWorthAnotherAttempt);

/**
 * Retries an attempt until it succeeds. Some locks last a millisecond and others last long, so the pauses grow. The
 * pauses are random, so that waiting requests do not all retry at once.
 *
 * @throws OverloadedError after `until`, on the clock of `performance.now()`
 */
export async function retryUntil<T>(
  until: number,
  attempt: () => Promise<T>,
  isWorthAnother: (error: unknown) => boolean,
): Promise<T> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isWorthAnother(error)) throw error;
      if (performance.now() + pause > until) throw new OverloadedError('row');
      await sleep(isDeadlock(error) ? DEADLOCK_PAUSE : pause * (0.5 + Math.random() / 2));
    }
  }
}
