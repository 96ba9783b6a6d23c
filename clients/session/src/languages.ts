// A module of its own, because not every page has several languages: `formtrail-session/languages`.
import { English } from './english.js';
import type { Language } from './sentences.js';

/**
 * Loads the sentences of a language, such as `de` for `de-AT` (RFC 4647, "lookup"). Resolves to English for a language without sentences.
 * Rejects if the script of the language cannot be loaded.
 */
export async function loadLanguage(tag: string): Promise<Language> {
  switch (mainLanguage(tag)) {
    case 'ar':
      return (await import('./sentences/ar.js')).Arabic;
    case 'de':
      return (await import('./sentences/de.js')).German;
    case 'es':
      return (await import('./sentences/es.js')).Spanish;
    case 'fr':
      return (await import('./sentences/fr.js')).French;
    default:
      return English;
  }
}

/** The language of a tag without its script and region: `de` of `de-AT`, also if it is written `de_AT`. */
export function mainLanguage(tag: string): string {
  return tag.toLowerCase().replace(/[-_].*/s, '');
}
