import { closest, distance } from 'fastest-levenshtein';

/**
 * A sentence for each name that is not known, but nearly: of five letters one may be wrong, and two at most. Names as
 * short as PORT have too many neighbours that are meant as they are.
 */
export function misspeltVariables(names: readonly string[], known: readonly string[]): string[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, nearest: closest(name, known) }))
    .filter(({ name, nearest }) => distance(name, nearest) <= Math.min(2, Math.floor(nearest.length / 5)))
    .map(({ name, nearest }) => `Warning: unknown variable ${name}, did you mean ${nearest}?`);
}
