const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds between attempts (W4): ten attempts, the last one 75 hours after the first. */
const PAUSES = [
  30,
  2.5 * MINUTE,
  12 * MINUTE,
  45 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  30 * HOUR,
];

/** Maximum pause in seconds that a receiver can request. */
const MAX_PAUSE = 30 * HOUR;

/** Fraction by which a pause is shortened or lengthened, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/**
 * Returns the seconds until the next attempt, or undefined after the last attempt.
 *
 * @param attempts number of attempts so far, including the attempt that has just failed
 * @param retryAfter seconds that the receiver requested
 * @param random a number from 0 to 1, for the jitter
 */
export function pauseAfter(
  attempts: number,
  retryAfter = 0,
  random: number = Math.random(),
): number | undefined {
  const pause = PAUSES[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.max(pause * (1 - JITTER + 2 * JITTER * random), Math.min(retryAfter, MAX_PAUSE));
}

/**
 * Returns the seconds that a `Retry-After` requests, as a number or a date (RFC 9110,
 * section 10.2.3), or else undefined.
 */
export function retryAfterOf(header: unknown, now: number = Date.now()): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
