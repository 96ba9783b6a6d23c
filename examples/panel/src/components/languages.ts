const MAX_LENGTH = 35;
const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']);

/** The languages that inputs propose. Any other tag can be typed. */
export const COMMON_LANGUAGES = (
  'ar bg bn ca cs da de de-AT de-CH el en en-GB en-US es et fa fi fr ga he hi hr hu id it ja ko lt lv mt nb nl pl pt pt-BR ro ru ' +
  'sk sl sq sr sv sw ta th tr uk ur vi zh-Hans zh-Hant'
).split(' ');

export const NOT_A_LANGUAGE = 'This is not a language tag. Enter one such as de, pt-BR or zh-Hant.';

/** Returns the language tag (BCP 47) in canonical letter case, as the database stores it. Undefined: it is not a language tag. */
export function localeOf(text: string): string | undefined {
  const given = text.trim();
  // No registered language has more than three letters, but its name has: german.
  if (given.length > MAX_LENGTH || !/^[a-z]{2,3}(-|$)/i.test(given) || !isTag(given)) return undefined;
  let isExtension = false;
  // Intl would also replace deprecated tags by others.
  const parts = given
    .toLowerCase()
    .split('-')
    .map((part, index) => {
      isExtension ||= part.length === 1;
      if (index === 0 || isExtension) return part;
      if (part.length === 2) return part.toUpperCase();
      return part.length === 4 ? part.charAt(0).toUpperCase() + part.slice(1) : part;
    });
  return parts.join('-');
}

function isTag(text: string): boolean {
  try {
    return new Intl.Locale(text).language !== '';
  } catch {
    return false;
  }
}

/** The name of the language with its tag: German (de). */
export function languageName(locale: string): string {
  try {
    const name = new Intl.DisplayNames(['en'], { type: 'language' }).of(locale);
    return name === undefined || name === locale ? locale : `${name} (${locale})`;
  } catch {
    // Tags with extensions have no name.
    return locale;
  }
}

/** The attributes of an element whose text is in the language. Null: the language is not known. */
export function textIn(locale: string | null): { lang?: string; dir: 'ltr' | 'rtl' | 'auto' } {
  if (locale === null || !isTag(locale)) return { dir: 'auto' };
  const { script = '' } = new Intl.Locale(locale).maximize();
  return { lang: locale, dir: RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr' };
}

/** The language itself, then the more general ones: `de-AT`, `de` (RFC 4647, lookup). */
export function lookupRange(locale: string): string[] {
  const general = locale.replace(/(-[a-z0-9])?-[^-]*$/i, '');
  return general === locale ? [locale] : [locale, ...lookupRange(general)];
}
