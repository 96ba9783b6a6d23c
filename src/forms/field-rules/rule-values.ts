/** A relative bound of a date rule: `today`, or a number of days before or after today (J2). */
const RELATIVE = /^today(?:([+-]\d{1,5})d)?$/;
const DAY = 24 * 60 * 60 * 1000;

/** Whether a text is a full-date of RFC 3339. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const midnight = new Date(`${text}T00:00:00Z`);
  // JavaScript reads 30 February as a date in March, and 32 January as an invalid date.
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

/** Returns the date of a bound, given the date of today. Returns undefined if the bound is not a valid date. */
export function dayOf(bound: string, today: string): string | undefined {
  const relative = RELATIVE.exec(bound);
  if (relative === null) return isDate(bound) ? bound : undefined;
  return new Date(Date.parse(today) + Number(relative[1] ?? 0) * DAY).toISOString().slice(0, today.length);
}

/** Counts code points, as PostgreSQL does. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/**
 * Matches a character that people can see. All other characters are white space, control characters, or characters that programs
 * interpret or ignore when they show a text. U+2800 is listed, because Unicode classifies this blank Braille pattern as a symbol.
 */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/u;

/** Whether a text has no visible character. Strict completion treats blank text as no value (J7). */
export const isBlank = (value: string): boolean => !VISIBLE.test(value);
