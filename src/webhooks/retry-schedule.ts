const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** W4: seconds between one attempt and the next. Ten attempts, of which the last comes 75 hours after the first. */
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

/** A receiver that asks for more is asked again after the longest pause there is. */
const LONGEST_PAUSE = 30 * HOUR;

/** Each pause may be so much shorter or longer, so that what failed at once does not come again at once. */
const JITTER = 0.1;

/**
 * Seconds until the next attempt; undefined where there is none.
 *
 * @param attempts how many there were, this one included
 * @param retryAfter seconds that the receiver asked for
 * @param random from 0 to 1
 */
export function pauseAfter(
  attempts: number,
  retryAfter = 0,
  random: number = Math.random(),
): number | undefined {
  const pause = PAUSES[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.max(pause * (1 - JITTER + 2 * JITTER * random), Math.min(retryAfter, LONGEST_PAUSE));
}

/** Seconds of a `Retry-After` (RFC 9110, section 10.2.3): a number, or a date; undefined for anything else. */
export function retryAfterOf(header: unknown, now: number = Date.now()): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
