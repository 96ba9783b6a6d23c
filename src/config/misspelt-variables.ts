import { closest, distance } from 'fastest-levenshtein';

/**
 * Returns a warning for each unknown name that is similar to a known name. One letter may differ for every five
 * letters of the known name, but at most two. Names of fewer than five letters, such as PORT, must have the same letters in
 * another order, because too many other names are similar. If each word of the unknown name is known, at most one letter may differ:
 * DATABASE_HOST is not a misspelt DATABASE_PORT.
 */
export function misspeltVariables(names: readonly string[], known: readonly string[]): string[] {
  const words = new Set(known.flatMap((name) => name.split('_')));
  const maxDistance = (name: string) => (name.split('_').every((word) => words.has(word)) ? 1 : 2);
  const isMisspelt = ({ name, nearest }: { name: string; nearest: string }) =>
    sorted(name) === sorted(nearest) ||
    distance(name, nearest) <= Math.min(maxDistance(name), Math.floor(nearest.length / 5));
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({
      name,
      nearest: known.find((one) => sorted(one) === sorted(name)) ?? closest(name, known),
    }))
    .filter(isMisspelt)
    .map(({ name, nearest }) => `Warning: unknown variable ${name}. Did you mean ${nearest}?`);
}

const sorted = (name: string) => Array.from(name).sort().join('');
