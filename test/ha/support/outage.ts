/** A request to a service or to the database. `sentAt` is on the clock of `performance.now()`. */
export interface Attempt {
  readonly sentAt: number;
  /** The duration in milliseconds. */
  readonly took: number;
  readonly isSuccess: boolean;
}

/**
 * When repeated attempts began to succeed for good: the time of the first success among the attempts that began after
 * the last failure, or Infinity if there is none. Returns undefined if no attempt failed.
 */
export function backAt(attempts: readonly Attempt[]): number | undefined {
  const failures = attempts.filter(({ isSuccess }) => !isSuccess);
  if (failures.length === 0) return undefined;
  const lastFailure = Math.max(...failures.map(({ sentAt }) => sentAt));
  const successes = attempts.filter(({ isSuccess, sentAt }) => isSuccess && sentAt > lastFailure);
  return Math.min(...successes.map(({ sentAt, took }) => sentAt + took));
}
