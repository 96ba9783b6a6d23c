/**
 * Matches a character that people can see. All other characters are white space, control characters, or characters that programs
 * interpret or ignore when they show a text. U+2800 is listed, because Unicode classifies this blank Braille pattern as a symbol.
 */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/u;

/** Whether a text has no visible character. Strict completion treats blank text as no value (J7). */
export const isBlank = (value: string): boolean => !VISIBLE.test(value);
