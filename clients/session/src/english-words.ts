import type { Field } from 'formtrail-client';
import { type Held, heldBy } from './components.js';
import { plainText } from './markup.js';

/** A size such as "25 MB", with 1,024 bytes in a kilobyte, as most devices show it. Without a locale, uses the browser's. */
export function sizeText(bytes: number, locale?: string): string {
  if (bytes < 2 ** 10) return `${bytes} B`;
  const [unit, size] = bytes < 2 ** 20 ? ['kilobyte', bytes / 2 ** 10] : ['megabyte', bytes / 2 ** 20];
  const maximumFractionDigits = size < 10 ? 1 : 0;
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits }).format(size);
}

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** A date such as "5 January 2026". */
export function dateText(date: string): string {
  const day = new Date(date);
  return Number.isNaN(day.getTime()) ? date : DATE.format(day);
}

/** A moment in the time zone of the person, such as "5 January 2026 at 14:30". */
export function momentText(moment: string, locale = 'en-GB'): string {
  const time = new Date(moment);
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' });
  return Number.isNaN(time.getTime()) ? moment : format.format(time);
}

/** The time until the next attempt, such as "33 minutes". It is rounded up, so that the attempt does not come too early. */
export function waitText(seconds: number, locale = 'en'): string {
  const [unit, length] = seconds <= 90 ? ['second', 1] : seconds <= 5400 ? ['minute', 60] : ['hour', 3600];
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.ceil(seconds / length));
}

/** Names of media types: for one file, and for a list. */
const TYPES: Readonly<Record<string, readonly [one: string, several: string]>> = {
  'image/*': ['an image', 'images'],
  'audio/*': ['an audio file', 'audio files'],
  'video/*': ['a video', 'videos'],
  'text/*': ['a text file', 'text files'],
  'text/plain': ['a text file', 'text files'],
};

/** Types whose files people know by the extension. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/msword': 'DOC',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'DOCX',
  'application/vnd.ms-excel': 'XLS',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'XLSX',
  'application/vnd.oasis.opendocument.text': 'ODT',
};

/** The file types in `accept` of a field, such as "PDF, images, DOCX". */
export function typesText(accept: string): string {
  return unique(accept, (type) => TYPES[type]?.[1] ?? shortName(type) ?? type).join(', ');
}

/** The file types in `accept` of a field for one file, such as "a PDF, a DOCX or an image". */
export function oneOfTypes(accept: string): string {
  const names = unique(accept, (type) => {
    const name = shortName(type);
    return TYPES[type]?.[0] ?? (name ? `${articleOfLetter(name)} ${name}` : `a file of the type ${type}`);
  });
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ');
}

function unique(accept: string, nameOf: (type: string) => string): string[] {
  return [...new Set(accept.split(',').map((token) => nameOf(token.trim().toLowerCase())))];
}

function shortName(type: string): string | undefined {
  const pattern = /^(?:\.|image\/|application\/(?=pdf|zip|json)|text\/(?=csv))(\w+)$/;
  return EXTENSIONS[type] ?? pattern.exec(type)?.[1]?.toUpperCase();
}

const NOUNS: Partial<Record<Held, string>> = { date: 'a date', number: 'a number' };

/** Sentence for a required question without an answer. */
export function whatToEnter(field: Field): string {
  const held = heldBy(field);
  if (held === 'file') return 'Choose a file.';
  if (held === 'options') return field.options.length > 1 ? 'Choose at least one.' : 'Tick this to go on.';
  const verb = held === 'option' ? 'Choose' : 'Enter';
  return `${verb} ${thingOf(field) ?? NOUNS[held] ?? 'an answer'}.`;
}

const OF_A_PERSON =
  /\b(?:names?|address|number|e-?mail|phone|department|position|employer|organisation|occupation|nationality|centre|code|iban)$/i;
const OF_SOMETHING = /^(?:date|name|number|purpose|type|title|place|country|currency)\b.* of /i;
const IS_SENTENCE = /\?$|^(?:the|your|which|what|who) /i;

/** Label with an article, such as "your first name" or "the date of departure". Undefined if the article cannot be guessed. */
function thingOf({ label: written, entity }: Field): string | undefined {
  const label = plainText(written);
  if (IS_SENTENCE.test(label)) return undefined;
  const noun = inSentence(label);
  if (OF_SOMETHING.test(label)) return `the ${noun}`;
  return OF_A_PERSON.test(label) ? `${entity === null ? 'your' : 'the'} ${noun}` : undefined;
}

/** The article before an acronym whose letters are spoken, such as "an MP3". */
export function articleOfLetter(acronym: string): 'a' | 'an' {
  return /^[AEFHILMNORSX]/.test(acronym) ? 'an' : 'a';
}

/** A label within a sentence, with a small letter at the start, except words such as "IBAN", "A4", "X-ray" and "PhD". */
export function inSentence(label: string): string {
  return /^(?!A )\p{Lu}(?:\b|\S*[\p{Lu}\d])/u.test(label)
    ? label
    : label.charAt(0).toLowerCase() + label.slice(1);
}
