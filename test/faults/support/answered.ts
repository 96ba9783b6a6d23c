import { isAcknowledged, type Load } from './load.js';

/** Milliseconds within which every request gets a response, even without the database (E2). */
const DEADLINE = 5_000;

/**
 * Expects for every request, within 5 s, a success, or a 503 or 409 with Retry-After. A 409 is possible,
 * because a transaction that the database has not aborted yet may hold the same key.
 */
export function expectAnswered({ outcomes }: Load): void {
  const wrong = outcomes.filter((outcome) => {
    const isRefused =
      [409, 503].includes(outcome.status ?? 0) && /^[1-9]\d*$/.test(outcome.headers?.['retry-after'] ?? '');
    return !(isAcknowledged(outcome) || isRefused) || outcome.took >= DEADLINE;
  });
  expect(wrong.slice(0, 3)).toEqual([]);
}
