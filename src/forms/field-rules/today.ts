import type { Today } from '../../conditions/engine/index.js';

const HOUR = 60 * 60 * 1000;
/** Milliseconds from UTC to the time zone where a day ends last, and to the time zone where a day begins first. */
const LAST_ZONE = -12 * HOUR;
const FIRST_ZONE = 14 * HOUR;

/** Formats by time zone, cached because a format is expensive to create. Undefined for a name that Node.js does not know. */
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/**
 * Returns the date in a time zone at the time `now`. If `timeZone` is null or unknown to Node.js, returns the first
 * and the last date that are current anywhere on Earth, so that no user's current date is rejected.
 */
export function todayIn(timeZone: string | null, now = Date.now()): Today {
  const format = timeZone === null ? undefined : formatIn(timeZone);
  if (format === undefined)
    return {
      earliest: dateInUtc(now + LAST_ZONE),
      latest: dateInUtc(now + FIRST_ZONE),
      single: dateInUtc(now),
    };
  const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const date = `${parts['year']}-${parts['month']}-${parts['day']}`;
  return { earliest: date, latest: date, single: date };
}

/** Milliseconds for which a date of today is used again, because finding it takes as long as evaluating many conditions. */
const REUSED = 1000;

/** Returns a function that finds the date of today at most once a second. */
export function currentDateIn(timeZone: string | null): () => Today {
  let known: { readonly today: Today; readonly foundAt: number } | undefined;
  return () => {
    const now = Date.now();
    if (known === undefined || Math.abs(now - known.foundAt) > REUSED)
      known = { today: todayIn(timeZone, now), foundAt: now };
    return known.today;
  };
}

/** Whether the name is in the IANA time zone database of this Node.js. */
export const isTimeZone = (name: string): boolean => formatIn(name) !== undefined;

function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(timeZone)) formats.set(timeZone, newFormat(timeZone));
  return formats.get(timeZone);
}

function newFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  // Newer versions of Node.js also accept offsets such as +01:00, which are not names.
  if (!/^[A-Za-z]/.test(timeZone)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', {
      ...{ timeZone, calendar: 'iso8601', numberingSystem: 'latn' },
      ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    });
  } catch {
    return undefined;
  }
}

const dateInUtc = (time: number): string => new Date(time).toISOString().slice(0, 'YYYY-MM-DD'.length);
