import { closest, distance } from 'fastest-levenshtein';

/**
 * A sentence for each name that is not known, but nearly: of five letters one may be wrong, and two at most. Names as
 * short as PORT have too many neighbours that are meant as they are. Where all words are spelt right it is one at most:
 * DATABASE_HOST is no DATABASE_PORT.
 */
export function misspeltVariables(names: readonly string[], known: readonly string[]): string[] {
  const words = new Set(known.flatMap((name) => name.split('_')));
  const mostWrong = (name: string) => (name.split('_').every((word) => words.has(word)) ? 1 : 2);
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, nearest: closest(name, known) }))
    .filter(
      ({ name, nearest }) =>
        distance(name, nearest) <= Math.min(mostWrong(name), Math.floor(nearest.length / 5)),
    )
    .map(({ name, nearest }) => `Warning: unknown variable ${name}, did you mean ${nearest}?`);
}
