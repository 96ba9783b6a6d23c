/** On the clock of `performance.now()`. */
export interface Attempt {
  readonly sentAt: number;
  /** Milliseconds. */
  readonly took: number;
  readonly isSuccess: boolean;
}

/**
 * When what was tried again and again began to work for good: the first success of those that were begun after the last
 * failure, Infinity where there is none. Undefined: nothing failed.
 */
export function backAt(attempts: readonly Attempt[]): number | undefined {
  const failures = attempts.filter(({ isSuccess }) => !isSuccess);
  if (failures.length === 0) return undefined;
  const lastFailure = Math.max(...failures.map(({ sentAt }) => sentAt));
  const successes = attempts.filter(({ isSuccess, sentAt }) => isSuccess && sentAt > lastFailure);
  return Math.min(...successes.map(({ sentAt, took }) => sentAt + took));
}
