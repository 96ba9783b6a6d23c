import { English, type Language, sentences, sizeText } from 'formtrail-session/sentences';
import { ENGLISH, type GivenSentences, type Sentences } from './sentences.js';

/** Everything that the element says, in the language of its place on the page. */
export type Words = ReturnType<typeof wordsIn>;

export function wordsIn(language: string, given: GivenSentences) {
  const [main = ''] = language.split(/[-_]/);
  const locale = localeOf(language);
  const chosen = [given['en'], given[main], given[language]];
  const text: Sentences = Object.assign({}, ENGLISH, ...chosen) as Sentences;
  const errors = Object.assign({}, English, ...chosen.map((one) => one?.errors)) as Language;
  const dateIn = (timeZone?: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone });
  const date = dateIn('UTC');
  return {
    text,
    locale,
    ...sentences(errors),
    /** A value has no time zone, so it is formatted in UTC. */
    dateText: (value: string) => date.format(new Date(value)),
    /** The day of a moment in the time zone of the person. */
    dayText: (at: string) => dateIn().format(new Date(at)),
    size: (bytes: number) => sizeText(bytes, locale),
  };
}

/** Browsers reject `en_US`, for example. A page with a wrong tag still shows the form. */
function localeOf(language: string): string {
  try {
    return new Intl.Locale(language.replaceAll('_', '-')).baseName;
  } catch {
    return 'en';
  }
}
