import { canonicalTag, lookupChain } from '../../forms/language-tag.js';

/** Returns the language tag of a request in canonical letter case, or undefined if the value is no language tag. */
export const readTag = (value: unknown): string | undefined =>
  typeof value === 'string' ? canonicalTag(value) : undefined;

/**
 * Returns the tags whose texts a request for a language gets, the best first. The texts in the form's own language come last, so a tag
 * after it is never needed.
 */
export function matchingTags(tag: string, own: string | null, available: readonly string[]): string[] {
  const chain = lookupChain(tag);
  const end = own === null ? -1 : chain.indexOf(own);
  return (end === -1 ? chain : chain.slice(0, end)).filter((one) => available.includes(one));
}

/** The headers of a body in a language. */
export const headersIn = (locale: string | null | undefined): Readonly<Record<string, string>> =>
  typeof locale === 'string' ? { 'Content-Language': locale } : {};
