/** Maximum characters of a language tag (L1). */
export const MAX_TAG = 35;

/**
 * Returns a language tag (BCP 47) in canonical letter case, such as `zh-Hant-TW`. Keeps outdated subtags, because the author of the form chose them. Undefined: the text is no tag, or a longer one than the database stores.
 */
export function canonicalTag(text: string): string | undefined {
  if (text.length > MAX_TAG || !isTag(text)) return undefined;
  const [language = '', ...others] = text.toLowerCase().split('-');
  const singleton = others.findIndex((subtag) => subtag.length === 1);
  const canonical = others.map((subtag, index) => {
    if (singleton !== -1 && index >= singleton) return subtag;
    if (subtag.length === 2) return subtag.toUpperCase();
    return /^[a-z]{4}$/.test(subtag) ? subtag.charAt(0).toUpperCase() + subtag.slice(1) : subtag;
  });
  return [language, ...canonical].join('-');
}

function isTag(text: string): boolean {
  try {
    return new Intl.Locale(text).language !== '';
  } catch {
    return false;
  }
}

/** The tags in which RFC 4647 looks for a text, such as `de-AT` and `de` (L2). */
export function lookupChain(tag: string): string[] {
  const chain: string[] = [];
  for (
    let range = tag;
    range !== '';
    range = range.slice(0, Math.max(range.lastIndexOf('-'), 0)).replace(/-[a-z\d]$/i, '')
  )
    chain.push(range);
  return chain;
}
