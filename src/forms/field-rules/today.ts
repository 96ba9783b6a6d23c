/** The first and the last date that counts as today, as YYYY-MM-DD (J2). They are the same where it is known whose day counts. */
export interface Today {
  readonly earliest: string;
  readonly latest: string;
}

const HOUR = 60 * 60 * 1000;
/** Offsets from UTC of the time zones where a day ends last, and where it begins first. */
const LAST_ZONE = -12 * HOUR;
const FIRST_ZONE = 14 * HOUR;

/** By time zone, because a format is expensive to make; undefined for a name that Node.js does not know. */
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/**
 * The date in a time zone at a moment. Without a time zone, and with one that this Node.js does not know, every date counts
 * that it is somewhere on Earth, so that nobody's own day is refused.
 */
export function todayIn(timeZone: string | null, now = Date.now()): Today {
  const format = timeZone === null ? undefined : formatIn(timeZone);
  if (format === undefined)
    return { earliest: dateInUtc(now + LAST_ZONE), latest: dateInUtc(now + FIRST_ZONE) };
  const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const date = `${parts['year']}-${parts['month']}-${parts['day']}`;
  return { earliest: date, latest: date };
}

/** Whether the name is one of the IANA time zone database that this Node.js has. */
export function isTimeZone(name: string): boolean {
  return formatIn(name) !== undefined;
}

function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(timeZone)) formats.set(timeZone, newFormat(timeZone));
  return formats.get(timeZone);
}

function newFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  // Newer versions take offsets such as +01:00 too, which are no names.
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

function dateInUtc(time: number): string {
  return new Date(time).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
