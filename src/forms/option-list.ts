import { groupBy } from './group-by.js';

/**
 * Returns the option that a text chooses. Undefined if there is none. White space around a text does not count (J13), except that an
 * option with white space of its own is chosen only by exactly this text.
 */
export function optionIn(options: ReadonlySet<string>, text: string): string | undefined {
  if (options.has(text)) return text;
  const trimmed = text.trim();
  return options.has(trimmed) ? trimmed : undefined;
}

/**
 * Returns a function that reads a text as options separated by commas. An option may contain commas. The function
 * ignores white space around an option. Its result is `'several'` if the text can be read in more than one way, and
 * undefined if it cannot be read. Its time is linear in the length of the text.
 */
export function listReader(
  options: Iterable<string>,
): (text: string) => readonly string[] | 'several' | undefined {
  const known = new Set(options);
  const longest = [...known].reduce((most, option) => Math.max(most, option.split(',').length), 1);
  return (text) => {
    const parts = text.split(',');
    // For the first `n` parts, `readings[n]` is the number of ways to read them, at most 2, and `begins[n]` is the
    // index where their last option begins.
    const readings = [1];
    const begins: number[] = [0];
    for (let end = 1; end <= parts.length; end += 1) {
      readings[end] = 0;
      for (let begin = Math.max(0, end - longest); begin < end; begin += 1) {
        if (readings[begin] === 0 || optionIn(known, parts.slice(begin, end).join(',')) === undefined)
          continue;
        readings[end] = Math.min(2, (readings[end] ?? 0) + (readings[begin] ?? 0));
        begins[end] = begin;
      }
    }
    if (readings[parts.length] === 0) return undefined;
    if (readings[parts.length] === 2) return 'several';
    const found: string[] = [];
    for (let end = parts.length; end > 0; end = begins[end] ?? 0) {
      found.push(optionIn(known, parts.slice(begins[end], end).join(',')) ?? '');
    }
    return found.reverse();
  };
}

/** Two lists of options that give the same text when joined with commas. */
export type Ambiguity = readonly [one: readonly string[], other: readonly string[]];

/** Two lists that begin with the same text. The longer list continues with `rest`. */
interface Overlap {
  readonly longer: readonly string[];
  readonly shorter: readonly string[];
  readonly rest: readonly string[];
}

/**
 * Returns two lists of these options that give the same text, or undefined if every text can be read in only one way. Uses
 * the algorithm of Sardinas and Patterson, with the parts between commas instead of letters.
 */
export function ambiguityOf(options: readonly string[]): Ambiguity | undefined {
  const words = options.map((option) => ({ option, parts: option.split(',').map((part) => part.trim()) }));
  const wordsByFirst = groupBy(words, ({ parts }) => parts[0]);
  const overlaps: Overlap[] = [];
  const seen = new Set<string>();
  const add = (overlap: Overlap) => {
    const key = overlap.rest.join(',');
    if (!seen.has(key)) overlaps.push(overlap);
    seen.add(key);
  };
  for (const similar of wordsByFirst.values()) {
    for (const [index, one] of similar.entries()) {
      for (const other of similar.slice(index + 1)) {
        const [long, short] = one.parts.length < other.parts.length ? [other, one] : [one, other];
        if (!beginsWith(long.parts, short.parts)) continue;
        if (long.parts.length === short.parts.length) return [[long.option], [short.option]];
        add({ longer: [long.option], shorter: [short.option], rest: long.parts.slice(short.parts.length) });
      }
    }
  }
  for (const { longer, shorter, rest } of overlaps) {
    for (const { option, parts } of wordsByFirst.get(rest[0]) ?? []) {
      if (beginsWith(rest, parts)) {
        if (rest.length === parts.length) return [longer, [...shorter, option]];
        add({ longer, shorter: [...shorter, option], rest: rest.slice(parts.length) });
      } else if (beginsWith(parts, rest)) {
        add({ longer: [...shorter, option], shorter: longer, rest: parts.slice(rest.length) });
      }
    }
  }
  return undefined;
}

function beginsWith(parts: readonly string[], start: readonly string[]): boolean {
  return start.length <= parts.length && start.every((part, index) => part === parts[index]);
}
