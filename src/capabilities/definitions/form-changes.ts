import { isDeepStrictEqual } from 'node:util';
import type { Translations } from '../../forms/named-texts.js';
import { listed, quote } from './definition-error.js';

/** A difference between two states of a form (N5). */
export interface FormChange {
  /** The changed part, such as `fields.email.rules.max_length`. */
  readonly path: string;
  /** A breaking change can make drafts, stored values or clients of the earlier state fail. */
  readonly kind: 'breaking' | 'compatible';
  readonly message: string;
}

export type ReportChange = (isBreaking: boolean, path: string, message: string) => void;

/** Both states of a row. A row was added if it has no `old`, and removed if it has no `now`. */
export interface Pair<Row> {
  readonly old?: Row;
  readonly now?: Row;
  /** `now`, or else `old`. */
  readonly row: Row;
}

/** Pairs the rows of two states, in the order of `after`, followed by the removed rows. */
export function pairs<Row>(
  before: readonly Row[],
  after: readonly Row[],
  keyOf: (row: Row) => unknown,
  keyOfOld = keyOf,
): Pair<Row>[] {
  const oldByKey = new Map(before.map((row) => [keyOfOld(row), row]));
  const remaining = new Set(after.map(keyOf));
  return [
    ...after.map((row) => {
      const old = oldByKey.get(keyOf(row));
      return old === undefined ? { now: row, row } : { old, now: row, row };
    }),
    ...before.filter((row) => !remaining.has(keyOfOld(row))).map((row) => ({ old: row, row })),
  ];
}

/**
 * Reports each changed key as compatible, except `judged` keys. The caller reports those. New keys of definitions are therefore
 * never overlooked.
 */
export function reportOtherKeys(
  owner: string,
  path: string,
  before: object,
  after: object,
  judged: readonly string[],
  report: ReportChange,
): void {
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  for (const key of new Set([...now.keys(), ...old.keys()])) {
    const [from, to] = [old.get(key) ?? undefined, now.get(key) ?? undefined];
    if (judged.includes(key) || isDeepStrictEqual(from, to)) continue;
    if (key === 'translations') {
      reportTranslations(owner, path, from as Translations, to as Translations, report);
      continue;
    }
    const isObject = typeof (from ?? to) === 'object' || typeof to === 'object';
    const values = isObject ? '' : ` from ${quote(from)} to ${quote(to)}`;
    report(
      false,
      path === '' ? key : `${path}.${key}`,
      `The ${key.replaceAll('_', ' ')} of ${owner} changed${values}.`,
    );
  }
}

/** Reports the languages whose translations changed. People who see a translation see the form's own text without it, so nothing breaks. */
export function reportTranslations(
  owner: string,
  path: string,
  before: Translations = {},
  after: Translations = {},
  report: ReportChange,
): void {
  const locales = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changes = locales.flatMap((locale) => {
    const [from, to] = [before[locale], after[locale]];
    if (isDeepStrictEqual(from, to)) return [];
    return `${locale} (${from === undefined ? 'added' : to === undefined ? 'removed' : 'changed'})`;
  });
  if (changes.length === 0) return;
  const at = path === '' ? 'translations' : `${path}.translations`;
  report(false, at, `The translations of ${owner} changed: ${listed(changes)}.`);
}

/** Reports a changed `is_repeatable`. `subject` begins the sentence. */
export function reportRepeatable(
  subject: string,
  path: string,
  before: { readonly is_repeatable: boolean },
  { is_repeatable }: { readonly is_repeatable: boolean },
  report: ReportChange,
): void {
  if (before.is_repeatable === is_repeatable) return;
  report(true, `${path}.is_repeatable`, `${subject} is ${is_repeatable ? 'now' : 'no longer'} repeatable.`);
}

/** Reports changed positions in one change, because adding a row in a file often moves all rows after it. `what`: `fields in step 1`. */
export function reportOrder<Row extends { readonly order: number }>(
  what: string,
  path: string,
  rows: readonly Pair<Row>[],
  nameOf: (row: Row) => string,
  report: ReportChange,
): void {
  const moved = rows.filter(({ old, now }) => old && now && old.order !== now.order);
  const names = listed(moved.map(({ row }) => quote(nameOf(row))));
  if (moved.length > 0) report(false, path, `The "order" of ${what} changed: ${names}.`);
}
