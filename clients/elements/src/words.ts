import { mainLanguage } from 'formtrail-session/languages';
import { English, type Language, sentences, sizeText } from 'formtrail-session/sentences';
import { ENGLISH, type GivenSentences, type Sentences } from './sentences.js';

/** The texts of a language, which are in a script of their own. */
export type Translation = Sentences & { readonly errors: Language };

/** Everything that the element says, in the language of its place on the page. */
export type Words = ReturnType<typeof wordsIn>;

/** Scripts that are written from right to left. Not every browser tells the direction of a language. */
const RIGHT_TO_LEFT = /Adlm|Arab|Hebr|Nkoo|Rohg|Syrc|Thaa/;

/** Texts of the host replace those of the element, and these replace the English ones. */
export function wordsIn(language: string, given: GivenSentences, translation?: Translation) {
  const tag = localeOf(language);
  const locale = tag.baseName;
  const chosen = [given['en'], translation, given[mainLanguage(language)], given[language]];
  const text = Object.assign({}, ENGLISH, ...chosen) as Sentences;
  const errors = Object.assign({}, English, ...chosen.map((one) => one?.errors)) as Language;
  const dateIn = (timeZone?: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone });
  const date = dateIn('UTC');
  return {
    text,
    locale,
    direction: RIGHT_TO_LEFT.test(tag.maximize().script ?? '') ? 'rtl' : 'ltr',
    /** The name of an entry before a sentence. */
    beginning: (label: string) => errors.label?.({ label, colon: ':' }) ?? `${label}:`,
    ...sentences(errors),
    /** A value has no time zone, so it is formatted in UTC. */
    dateText: (value: string) => date.format(new Date(value)),
    /** The day of a moment in the time zone of the person. */
    dayText: (at: string) => dateIn().format(new Date(at)),
    size: (bytes: number) => sizeText(bytes, locale),
  };
}

/** Browsers reject `en_US`, for example. */
export function localeOf(language: string): Intl.Locale {
  try {
    const tag = new Intl.Locale(language.replaceAll('_', '-'));
    // The service takes no longer ones.
    if (tag.baseName.length <= 35) return tag;
  } catch {
    // A page with a wrong tag still shows the form.
  }
  return new Intl.Locale('en');
}
