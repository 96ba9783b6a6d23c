import { closest, distance } from 'fastest-levenshtein';

/**
 * A sentence for each name that is not known, but nearly: of five letters one may be wrong, and two at most. Names as
 * short as PORT have too many neighbours that are meant as they are, and so has one whose words are all spelt right, such
 * as DATABASE_HOST.
 */
export function misspeltVariables(names: readonly string[], known: readonly string[]): string[] {
  const words = new Set(known.flatMap((name) => name.split('_')));
  return names
    .filter((name) => !name.split('_').every((word) => words.has(word)))
    .map((name) => ({ name, nearest: closest(name, known) }))
    .filter(({ name, nearest }) => distance(name, nearest) <= Math.min(2, Math.floor(nearest.length / 5)))
    .map(({ name, nearest }) => `Warning: unknown variable ${name}, did you mean ${nearest}?`);
}
