import { isAcknowledged, type Load } from './load.js';

/** Milliseconds in which every request is answered, whatever happens to the database (E2). */
const DEADLINE = 5_000;

/**
 * Every request was answered in time, and what was not acknowledged with when to try again: 503, or 409 while the
 * database has not given up a transaction with the same key.
 */
export function expectAnswered({ outcomes }: Load): void {
  const wrong = outcomes.filter((outcome) => {
    const isRefused =
      [409, 503].includes(outcome.status ?? 0) && /^[1-9]\d*$/.test(outcome.headers?.['retry-after'] ?? '');
    return !(isAcknowledged(outcome) || isRefused) || outcome.took >= DEADLINE;
  });
  expect(wrong.slice(0, 3)).toEqual([]);
}
