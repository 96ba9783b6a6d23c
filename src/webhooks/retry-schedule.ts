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

/** Upper bound in seconds for the pause that a receiver requests. */
const MAX_PAUSE = 30 * HOUR;

/** Fraction by which a pause is shortened or lengthened, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/**
 * Returns the seconds until the next attempt, or undefined after the last one.
 *
 * @param attempts number of attempts so far, this one included
 * @param retryAfter seconds that the receiver requested
 * @param random from 0 to 1
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

/** The seconds of a `Retry-After`, a number or a date (RFC 9110, section 10.2.3). Returns undefined for anything else. */
export function retryAfterOf(header: unknown, now: number = Date.now()): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
