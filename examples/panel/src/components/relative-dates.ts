/** A date, or a distance from today, as the inputs show it. */
export interface DateBound {
  /** `date`: the date in `date`. */
  readonly from: 'date' | 'today' | 'before' | 'after';
  readonly date: string;
  /** Empty while a person types it. */
  readonly count: string;
  readonly unit: DateUnit;
}

export const DATE_UNITS = { d: 'day', m: 'month', y: 'year' } as const;
export type DateUnit = keyof typeof DATE_UNITS;

/** Also matches a distance without a number, which the database rejects. */
const DISTANCE = /^today([+-])(\d{0,5})([dmy])$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Reads the text that conditions and rules have, such as `2030-12-31` or `today-18y`. Undefined: it is neither. */
export function dateBoundOf(text: string): DateBound | undefined {
  const empty: DateBound = { from: 'date', date: '', count: '1', unit: 'd' };
  if (text === '' || DATE.test(text)) return { ...empty, date: text };
  if (text === 'today') return { ...empty, from: 'today' };
  const [, sign, count = '', unit] = DISTANCE.exec(text) ?? [];
  if (sign === undefined) return undefined;
  return { ...empty, from: sign === '-' ? 'before' : 'after', count, unit: unit as DateUnit };
}

export function textOfBound({ from, date, count, unit }: DateBound): string {
  if (from === 'date') return date;
  return from === 'today' ? 'today' : `today${from === 'before' ? '-' : '+'}${count}${unit}`;
}

/** For example, `today minus 18 years`. Undefined if the text is no date and no distance. */
export function dateBoundInWords(text: string): string | undefined {
  const bound = dateBoundOf(text);
  if (bound === undefined || text === '') return undefined;
  const { from, date, count, unit } = bound;
  if (from === 'date' || from === 'today') return from === 'date' ? date : 'today';
  return `today ${from === 'before' ? 'minus' : 'plus'} ${numbered(count, DATE_UNITS[unit])}`;
}

/** For example, `1 day` or `3 days`. */
export const numbered = (count: number | string, noun: string) =>
  `${count} ${noun}${String(count) === '1' ? '' : 's'}`;
