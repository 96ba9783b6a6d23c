import { InvalidArgumentError } from 'commander';
import { isEmailAddress } from '../auth/email-address.js';
import { isSlug } from '../forms/limits.js';
import { UUID } from '../http/bodies/uuid.js';

const SECONDS = { m: 60, h: 3_600, d: 86_400, w: 604_800 };
const MAX_DAYS = 36_500;
const MOMENT =
  /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-](?:0\d|1[0-4]):\d{2}))?$/;

export interface PurgeOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function ensure<Value>(value: Value, isValid: boolean, expected: string): Value {
  if (!isValid) throw new InvalidArgumentError(`It must be ${expected}.`);
  return value;
}

export const parseEmail = (text: string) =>
  ensure(text, isEmailAddress(text), 'an email address such as ada@example.org, up to 255 characters');

export function parseTokenName(text: string): string {
  const isLine = text !== '' && !/\p{Cc}/u.test(text) && Array.from(text).length <= 255;
  return ensure(text, isLine, '1 to 255 characters on one line');
}

export const parseDuration = (text: string) =>
  secondsFrom(1, text, `minutes, hours, days or weeks, such as 30m, 12h, 90d or 2w, up to ${MAX_DAYS}d`);

/** Rejects less than an hour, so that a typing error purges no draft in progress. */
export const parseAge = (text: string) =>
  secondsFrom(SECONDS.h, text, `hours, days or weeks, such as 12h, 90d or 2w, from 1h to ${MAX_DAYS}d`);

/** @param expected ends the sentence of the error, with the least duration and the greatest, 36500d */
export function secondsFrom(least: number, text: string, expected: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,9})([mhdw])$/.exec(text) ?? [];
  const seconds = Number(amount) * SECONDS[unit as keyof typeof SECONDS];
  const isWithin = seconds >= least && seconds <= MAX_DAYS * SECONDS.d;
  return ensure(seconds, isWithin, `a whole number of ${expected}`);
}

/** Accepts a date (midnight UTC), a time with its offset, or a duration before now. Returns ISO 8601, with any microseconds. */
export function parseSince(text: string): string {
  if (/^\d+[mhdw]$/.test(text)) return new Date(Date.now() - parseDuration(text) * 1000).toISOString();
  const [, year, month, day, time = 'T00:00Z'] = MOMENT.exec(text) ?? [];
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const moment = `${year}-${month}-${day}${time}`;
  const isMoment = Number(year) >= 1970 && Number(day) <= days && !Number.isNaN(Date.parse(moment));
  const expected =
    'a date such as 2026-11-21, a time with its offset such as 2026-11-21T16:30:00Z, or a duration such as 12h, 7d or 2w';
  return ensure(moment, isMoment, expected);
}

/** Like {@link parseSince}, for an end. A date counts as a whole day: the result is the midnight after it. */
export function parseUntil(text: string): string {
  const moment = parseSince(text);
  if (!/^[\d-]{10}$/.test(text)) return moment;
  return new Date(Date.parse(moment) + SECONDS.d * 1_000).toISOString();
}

/** Returns the UUID in lower case, as the service writes UUIDs. */
export function parseUuid(text: string): string {
  const uuid = text.toLowerCase();
  return ensure(uuid, UUID.test(uuid), 'a UUID such as 0199c2f4-8a6b-7c1e-9f51-2f7d0c6b4a10');
}

export function parseSlug(text: string): string {
  const expected =
    'lower-case letters and digits with single hyphens, such as contact-request, up to 255 characters';
  return ensure(text, isSlug(text), expected);
}

export const parseId = (text: string) => parseNumber(text, '"tokens list"');
export const parseUserId = (text: string) => parseNumber(text, '"user_id" in the log');

/** @param listing where the operator finds the number */
export function parseNumber(text: string, listing: string): number {
  const id = Number(text);
  const isId = /^\d+$/.test(text) && id >= 1 && id <= 2_147_483_647;
  return ensure(id, isId, `a whole number from 1, as ${listing} shows it`);
}

/** For an option that can be repeated: collects the values in an array. */
export const repeated =
  <Value>(parse: (text: string) => Value) =>
  (text: string, before: readonly Value[] = []) => [...before, parse(text)];
