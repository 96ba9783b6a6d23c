/** The date of today in a form (J2), as YYYY-MM-DD. */
export interface Today {
  /** The first and the last date that may be today. They are equal if the form has a time zone. */
  readonly earliest: string;
  readonly latest: string;
  /** The one date that computed values use (K1): in UTC if the form has no time zone. */
  readonly single: string;
}

const NO_TODAY: Today = { earliest: '', latest: '', single: '' };
export const noToday = () => NO_TODAY;

interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
/** `today`, or a number of days, months or years before or after today (J11). */
const RELATIVE = /^today(?:([+-]\d{1,5})([dmy]))?$/;
const MILLISECONDS_OF_DAY = 24 * 60 * 60 * 1000;
const FIRST_YEAR = 1;
const LAST_YEAR = 9999;

/** Whether a text is a full-date of RFC 3339. */
export const isDate = (text: string): boolean => parse(text) !== undefined;

function parse(text: string): CalendarDate | undefined {
  const found = DATE.exec(text);
  if (found === null) return undefined;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
  return exists ? { year, month, day } : undefined;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Undefined if the year is not from 1 to 9999. */
function format({ year, month, day }: CalendarDate): string | undefined {
  if (year < FIRST_YEAR || year > LAST_YEAR) return undefined;
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Returns the date of a bound, such as `2030-12-31` or `today-18y`. Undefined if there is no such date. */
export function dayOf(bound: string, today: string): string | undefined {
  const relative = RELATIVE.exec(bound);
  if (relative === null) return isDate(bound) ? bound : undefined;
  const [, count = '0', unit] = relative;
  if (unit === 'm') return addMonths(today, Number(count));
  if (unit === 'y') return addMonths(today, Number(count) * 12);
  return addDays(today, Number(count));
}

/** Undefined if `date` is not a date, or if the result is not in the years 1 to 9999. */
export function addDays(date: string, days: number): string | undefined {
  const midnight = midnightOf(date);
  if (midnight === undefined) return undefined;
  const moved = new Date(midnight + days * MILLISECONDS_OF_DAY);
  return format({ year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: moved.getUTCDate() });
}

/** A shorter month takes its last day. */
function addMonths(date: string, months: number): string | undefined {
  const start = parse(date);
  if (start === undefined) return undefined;
  const count = start.year * 12 + start.month - 1 + months;
  const year = Math.floor(count / 12);
  const month = count - year * 12 + 1;
  return format({ year, month, day: Math.min(start.day, daysOf(year, month)) });
}

const midnightOf = (date: string): number | undefined =>
  isDate(date) ? Date.parse(`${date}T00:00:00Z`) : undefined;

/** The days from one date to another, negative if the second is earlier. Both texts must be dates. */
export const daysBetween = (first: string, second: string): number =>
  ((midnightOf(second) ?? 0) - (midnightOf(first) ?? 0)) / MILLISECONDS_OF_DAY;

/**
 * The whole months from one date to another, negative if the second is earlier. Both texts must be dates. A month is whole when the
 * second date has reached the day of the first, also if its month is too short for that day.
 */
export function monthsBetween(first: string, second: string): number {
  if (second < first) return -monthsBetween(second, first) || 0;
  const [from, to] = [parse(first), parse(second)];
  if (from === undefined || to === undefined) return 0;
  return (to.year - from.year) * 12 + to.month - from.month - (to.day < from.day ? 1 : 0);
}

export const yearsBetween = (first: string, second: string): number =>
  Math.trunc(monthsBetween(first, second) / 12) || 0;
