/**
 * What can be seen. Everything else is white space, is ignored by what shows it, or controls what is around it. Unicode
 * counts the blank pattern of Braille as a symbol.
 */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/u;

/** J7: text in which nobody sees anything is no value, nor is an empty one (V4). */
export function isBlank(value: string): boolean {
  return !VISIBLE.test(value);
}
