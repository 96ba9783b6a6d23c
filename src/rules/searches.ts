/** Characters that evaluation searches without a pause, in the worst case for 6 ms. */
const SHORT_SEARCH = 1_000_000;

/** Which texts contain which others, found before an evaluation that would search for long. */
export class Searches {
  private readonly found = new Map<string, Map<string, boolean>>();

  search(text: string, part: string): void {
    let parts = this.found.get(text);
    if (parts === undefined) this.found.set(text, (parts = new Map<string, boolean>()));
    if (!parts.has(part)) parts.set(part, text.includes(part));
  }

  /** Undefined: not searched. */
  get(text: string, part: string): boolean | undefined {
    return this.found.get(text)?.get(part);
  }
}

/** What conditions look for in the values of one field. */
export interface Searched {
  readonly parts: Set<string>;
  /** How many conditions look for them. */
  conditions: number;
}

type SearchedText = readonly [text: string, searched: Searched];

/** Whether to search first: an evaluation that searches so many characters would hold up others. */
export function takesLong(texts: Iterable<SearchedText>): boolean {
  let length = 0;
  for (const [text, { conditions }] of texts) length += text.length * conditions;
  return length > SHORT_SEARCH;
}

/** Searches each text for each of its parts, and pauses after each. */
export function* searchEach(texts: Iterable<SearchedText>): Generator<undefined, Searches> {
  const searches = new Searches();
  for (const [text, { parts }] of texts) {
    for (const part of parts) {
      searches.search(text, part);
      yield;
    }
  }
  return searches;
}
