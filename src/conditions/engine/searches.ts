import { containsText } from './text-search.js';

/** The maximum number of characters that an evaluation searches without a pause. This takes at most 6 ms. */
const SHORT_SEARCH = 1_000_000;

/** The results of text searches that are executed before an evaluation, because they would block it for too long. */
export class Searches {
  private readonly found = new Map<string, Map<string, boolean>>();

  search(text: string, part: string): void {
    let parts = this.found.get(text);
    if (parts === undefined) this.found.set(text, (parts = new Map<string, boolean>()));
    if (!parts.has(part)) parts.set(part, containsText(text, part));
  }

  /** Undefined if this text was not searched for this part. */
  get(text: string, part: string): boolean | undefined {
    return this.found.get(text)?.get(part);
  }
}

/** The parts that conditions search for in the values of one field. */
export interface FieldSearch {
  readonly parts: Set<string>;
  /** The number of these conditions. Several may search for the same part. */
  conditions: number;
  /** The fields whose values are parts too (C17), as often as conditions name them. */
  readonly partFields: number[];
}

export type Parts = Pick<FieldSearch, 'parts' | 'conditions'>;
export type SearchedText = readonly [text: string, searched: Parts];

/** Whether an evaluation would search so much text that it would block other requests. */
export function takesLong(texts: Iterable<SearchedText>): boolean {
  let length = 0;
  for (const [text, { conditions }] of texts) length += text.length * conditions;
  return length > SHORT_SEARCH;
}

/** Searches each text for each of its parts, and yields after each search. */
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
