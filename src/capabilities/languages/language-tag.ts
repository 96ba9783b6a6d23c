/** Most characters of a language tag: the longest that BCP 47 requires programs to accept. */
export const MAX_TAG = 35;

/** Returns a language tag (BCP 47) in canonical letter case, or undefined if the value is no such tag. */
export function readTag(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_TAG || !isTag(value)) return undefined;
  // Intl would also replace deprecated tags by others.
  let isAfterSingleton = false;
  return value
    .toLowerCase()
    .split('-')
    .map((part, index) => {
      isAfterSingleton ||= part.length === 1;
      if (index === 0 || isAfterSingleton) return part;
      if (part.length === 2) return part.toUpperCase();
      return part.length === 4 ? part.charAt(0).toUpperCase() + part.slice(1) : part;
    })
    .join('-');
}

function isTag(text: string): boolean {
  try {
    return new Intl.Locale(text).baseName !== '';
  } catch {
    return false;
  }
}

/** Returns the tags to look for, the best first: `zh-Hant-TW`, `zh-Hant`, `zh` (RFC 4647, section 3.4). */
export function lookupChain(tag: string): string[] {
  const parts = tag.split('-');
  const chain: string[] = [];
  while (parts.length > 0) {
    chain.push(parts.join('-'));
    parts.pop();
    // A single letter begins an extension that is now empty.
    if (parts.at(-1)?.length === 1) parts.pop();
  }
  return chain;
}

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
