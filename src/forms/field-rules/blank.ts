/**
 * Matches a character that people can see. All others are white space, control characters, or characters that programs
 * interpret or ignore when they show a text. Unicode counts the blank pattern of Braille (U+2800) as a symbol.
 */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/u;

/** Whether a text has nothing that people can see, so that it is no value for strict completion (J7). */
export function isBlank(value: string): boolean {
  return !VISIBLE.test(value);
}
