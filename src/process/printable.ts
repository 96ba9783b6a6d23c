/** Control characters, line separators, and characters that change the direction of the text after them. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Escapes the characters of a stored text with which its author could colour a terminal, move its cursor, or forge a line. JSON stays
 * the same JSON.
 */
export function printable(text: string): string {
  return text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Like {@link printable}, for a text of several lines. */
export const printableLines = (text: string) => text.split('\n').map(printable).join('\n');
