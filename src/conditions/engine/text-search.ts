/** Maximum characters of a part for which V8 searches in linear time. */
const SHORT_PART = 250;

/** Whether a text contains a part, in time that is linear in both (Knuth, Morris and Pratt 1977, "Fast pattern matching in strings"). */
export function containsText(text: string, part: string): boolean {
  if (part.length <= SHORT_PART) return text.includes(part);
  if (part.length > text.length) return false;
  const borders = bordersOf(part);
  let matched = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    while (matched > 0 && part.charCodeAt(matched) !== character) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === character) matched += 1;
    if (matched === part.length) return true;
  }
  return false;
}

/** For each beginning of a text, the length of its longest shorter beginning that is also its end. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let matched = 0;
  for (let index = 1; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    while (matched > 0 && text.charCodeAt(matched) !== character) matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(matched) === character) matched += 1;
    borders[index] = matched;
  }
  return borders;
}
