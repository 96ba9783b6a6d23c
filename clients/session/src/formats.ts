// The parts that the sentences of all languages share. The module is separate, because the other languages do not need the English words.
import type { Mistake } from 'formtrail-client';
import { plainText } from './markup.js';
import type { Language, Subject } from './sentences.js';

/** A size such as "25 MB", with 1,024 bytes in a kilobyte, as most devices show it. Without a locale, uses the browser's. */
export function sizeText(bytes: number, locale?: string): string {
  if (bytes < 2 ** 10) return `${bytes} B`;
  const [unit, size] = bytes < 2 ** 20 ? ['kilobyte', bytes / 2 ** 10] : ['megabyte', bytes / 2 ** 20];
  const maximumFractionDigits = size < 10 ? 1 : 0;
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits }).format(size);
}

/** A date such as "5 January 2026". */
export function dateText(date: string, locale = 'en-GB'): string {
  return formatted(date, locale, { timeZone: 'UTC' });
}

/** A moment in the time zone of the person, such as "5 January 2026 at 14:30". */
export function momentText(moment: string, locale = 'en-GB'): string {
  return formatted(moment, locale, { timeStyle: 'short' });
}

function formatted(moment: string, locale: string, options: Intl.DateTimeFormatOptions): string {
  const time = new Date(moment);
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', ...options });
  return Number.isNaN(time.getTime()) ? moment : format.format(time);
}

/** The time until the next attempt, such as "33 minutes". It is rounded up, so that the attempt does not come too early. */
export function waitText(
  seconds: number,
  locale = 'en',
  write = (length: number, unit: 'second' | 'minute' | 'hour') =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(length),
): string {
  if (seconds <= 90) return write(Math.ceil(seconds), 'second');
  return seconds <= 5400
    ? write(Math.ceil(seconds / 60), 'minute')
    : write(Math.ceil(seconds / 3600), 'hour');
}

/** Types whose files people know by the extension. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/msword': 'DOC',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'DOCX',
  'application/vnd.ms-excel': 'XLS',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'XLSX',
  'application/vnd.oasis.opendocument.text': 'ODT',
};

/** The names of the file types in `accept` of a field, without repetition. */
export function typeNames(accept: string, nameOf: (type: string) => string): string[] {
  return [...new Set(accept.split(',').map((token) => nameOf(token.trim().toLowerCase())))];
}

/** The extension by which people know a type, such as "PDF". */
export function shortName(type: string): string | undefined {
  const pattern = /^(?:\.|image\/|application\/(?=pdf|zip|json)|text\/(?=csv))(\w+)$/;
  return EXTENSIONS[type] ?? pattern.exec(type)?.[1]?.toUpperCase();
}

/** The name of the file that has the error. */
export function fileName({ upload, file }: Subject): string | undefined {
  return upload?.name ?? file?.name;
}

/** The label of the option in the param `value`. */
export function optionLabel(value: unknown, { field }: Subject): string | undefined {
  const label = field?.options.find((option) => option.value === value)?.label;
  return label === undefined ? undefined : plainText(label);
}

/**
 * The label that `formtrail-session` adds to the params: of the question that a rule compares with, or of the question whose numbers are
 * added up.
 */
export function givenLabel({ label }: Mistake['params']): string | undefined {
  return typeof label === 'string' ? plainText(label) : undefined;
}

/** The description of the question, which says what a pattern means. */
export function description({ field }: Subject): string {
  return plainText(field?.description ?? '');
}

/** The codes that only an error in the program of the page can cause. */
export function pageFaults(sentence: string) {
  return {
    page_at_fault: sentence,
    body_compressed: sentence,
    body_not_json: sentence,
    body_too_deep: sentence,
    different_fields: sentence,
    display_only: sentence,
    headers_too_large: sentence,
    key_used: sentence,
    malformed_cursor: sentence,
    malformed_json: sentence,
    malformed_key: sentence,
    malformed_locale: sentence,
    malformed_request: sentence,
    malformed_url: sentence,
    not_a_string: sentence,
    not_allowed: sentence,
    not_an_array: sentence,
    not_an_object: sentence,
    not_explained_here: sentence,
    partial_upload: sentence,
    range_not_satisfiable: sentence,
    route_not_found: sentence,
    too_many: sentence,
    too_much_to_explain: sentence,
    unknown_expectation: sentence,
  } satisfies Partial<Language>;
}
