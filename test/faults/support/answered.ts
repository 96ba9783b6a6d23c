import { isAcknowledged, type Load } from './load.js';

/** Milliseconds in which every request is answered, whatever happens to the database (E2). */
const DEADLINE = 5_000;

/** Every request was answered in time, and what was not acknowledged with 503 and when to try again. */
export function expectAnswered({ outcomes }: Load): void {
  const wrong = outcomes.filter((outcome) => {
    const isUnavailable = outcome.status === 503 && /^[1-9]\d*$/.test(outcome.headers?.['retry-after'] ?? '');
    return !(isAcknowledged(outcome) || isUnavailable) || outcome.took >= DEADLINE;
  });
  expect(wrong.slice(0, 3)).toEqual([]);
}
