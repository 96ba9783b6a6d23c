/** How a kind of names for programs is written. */
export interface Naming {
  /** Between words, and before the number of a name that is taken. */
  readonly separator: '_' | '-';
  /** Word for a label without any letter that the name could have, and before a digit that cannot begin the name. */
  readonly fallback: string;
  readonly mayBeginWithDigit: boolean;
}

export const CODES: Naming = { separator: '_', fallback: 'field', mayBeginWithDigit: false };
export const ENTITY_NAMES: Naming = { separator: '_', fallback: 'entity', mayBeginWithDigit: true };
export const OPTION_VALUES: Naming = { separator: '_', fallback: 'option', mayBeginWithDigit: true };
export const SLUGS: Naming = { separator: '-', fallback: 'form', mayBeginWithDigit: true };

/** Letters that Unicode does not decompose into a Latin letter and a mark. */
const LATIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
};
const LONGEST = 60;

/**
 * Proposes a name for a label: its words in lower-case Latin letters and digits, and a number if the name is taken. A label in
 * another script gets the fallback with a number.
 */
export function proposedName(
  label: string,
  { separator, fallback, mayBeginWithDigit }: Naming,
  taken: ReadonlySet<string>,
): string {
  const words = wordsOf(label);
  if (!mayBeginWithDigit && /^\d/.test(words[0] ?? '')) words.unshift(fallback);
  const base = words.length > 0 ? shortened(words, separator) : undefined;
  if (base !== undefined && !taken.has(base)) return base;
  let number = base === undefined ? 1 : 2;
  const numbered = () => `${base ?? fallback}${separator}${number}`;
  while (taken.has(numbered())) number += 1;
  return numbered();
}

function wordsOf(label: string): string[] {
  return (
    label
      .toLowerCase()
      .replace(/[ßæœøđðłıþ]/g, (letter) => LATIN[letter] ?? letter)
      .normalize('NFKD')
      // The marks that were parts of letters, such as the dots of ü, and apostrophes.
      .replace(/[\p{M}'’]/gu, '')
      .match(/[a-z0-9]+/g) ?? []
  );
}

/** Joins as many words as fit. */
function shortened(words: readonly string[], separator: string): string {
  const [first = '', ...others] = words;
  let name = first.slice(0, LONGEST);
  for (const word of others) {
    if (name.length + separator.length + word.length > LONGEST) break;
    name += separator + word;
  }
  return name;
}
