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
