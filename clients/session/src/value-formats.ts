// Reads values as the service does.
import type { Field } from 'formtrail-client';

export type WithOptions = Pick<Field, 'options'>;

/**
 * Returns the chosen options of a checkbox question. Reads them as the service does: separated by commas, with or without white space.
 * An option may contain commas. A part that is no option is returned too, because the form may have changed since it was stored.
 */
export function chosenIn(value: string, { options }: WithOptions): string[] {
  const known = new Set(options.map((option) => option.value));
  const longest = Math.max(1, ...options.map((option) => option.value.split(',').length));
  const parts = value.split(',');
  const itemIn = (begin: number, end: number) => {
    const text = parts.slice(begin, end).join(',');
    return known.has(text) ? text : text.trim();
  };
  // For the first `n` parts, `unknown[n]` is the smallest number of parts that are no options, and `begins[n]` is the index where the
  // last item then begins.
  const unknown = [0];
  const begins = [0];
  for (let end = 1; end <= parts.length; end += 1) {
    for (let begin = end - 1; begin >= Math.max(0, end - longest); begin -= 1) {
      const count = (unknown[begin] ?? 0) + (known.has(itemIn(begin, end)) ? 0 : end - begin);
      if (count >= (unknown[end] ?? Infinity)) continue;
      unknown[end] = count;
      begins[end] = begin;
    }
  }
  const chosen: string[] = [];
  for (let end = parts.length; end > 0; end = begins[end] ?? 0) chosen.push(itemIn(begins[end] ?? 0, end));
  return chosen.filter((one) => one !== '').reverse();
}

/** Whether the value is an existing date. */
export function isDate(value: string): boolean {
  const date = new Date(value);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === value;
}
