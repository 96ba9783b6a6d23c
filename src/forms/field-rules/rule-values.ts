/** `today` or a number of days from it, as the bound of a rule for dates (J2). */
const RELATIVE = /^today(?:([+-]\d{1,5})d)?$/;
const DAY = 24 * 60 * 60 * 1000;

/** RFC 3339, full-date. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const midnight = new Date(`${text}T00:00:00Z`);
  // A day beyond the end of its month is taken as one of the next month, or as none.
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

/** The day that the bound of a rule for dates means where `today` is this date; undefined where it is none. */
export function dayOf(bound: string, today: string): string | undefined {
  const relative = RELATIVE.exec(bound);
  if (relative === null) return isDate(bound) ? bound : undefined;
  return new Date(Date.parse(today) + Number(relative[1] ?? 0) * DAY).toISOString().slice(0, today.length);
}

/** Code points, as PostgreSQL counts characters too. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/**
 * Matches a character that people can see. All others are white space, control characters, or characters that programs
 * interpret or ignore when they show a text. Unicode counts the blank pattern of Braille (U+2800) as a symbol.
 */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/u;

/** Whether people see nothing of a text. Strict completion treats it as no value (J7). */
export function isBlank(value: string): boolean {
  return !VISIBLE.test(value);
}
