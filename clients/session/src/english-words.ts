import type { Field } from 'formtrail-client';
import { type Held, heldBy } from './components.js';
import { shortName, typeNames } from './formats.js';
import { plainText } from './markup.js';

/** Names of media types: for one file, and for a list. */
const TYPES: Readonly<Record<string, readonly [one: string, several: string]>> = {
  'image/*': ['an image', 'images'],
  'audio/*': ['an audio file', 'audio files'],
  'video/*': ['a video', 'videos'],
  'text/*': ['a text file', 'text files'],
  'text/plain': ['a text file', 'text files'],
};

/** The file types in `accept` of a field, such as "PDF, images, DOCX". */
export function typesText(accept: string): string {
  return typeNames(accept, (type) => TYPES[type]?.[1] ?? shortName(type) ?? type).join(', ');
}

/** The file types in `accept` of a field for one file, such as "a PDF, a DOCX or an image". */
export function oneOfTypes(accept: string): string {
  const names = typeNames(accept, (type) => {
    const name = shortName(type);
    return TYPES[type]?.[0] ?? (name ? `${articleOfLetter(name)} ${name}` : `a file of the type ${type}`);
  });
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
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
