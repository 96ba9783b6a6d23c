import { containsText } from './text-search.js';
import type { EngineField, StoredValue } from './vocabulary.js';
import { OPERATOR_TABLE } from './operators.js';

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

/** What conditions search for in the values of one field. */
export interface FieldSearch {
  readonly parts: Set<string>;
  /** The number of these conditions. Several may search for the same part. */
  conditions: number;
  /** The fields whose values are parts too (C17), as often as conditions name them. */
  readonly partFields: number[];
}

type Parts = Pick<FieldSearch, 'parts' | 'conditions'>;
type SearchedText = readonly [text: string, searched: Parts];

/** What conditions search for, by the id of the field whose values they search. */
export function* searchedFields(
  owners: readonly Pick<EngineField, 'conditions'>[],
): Generator<undefined, Map<number, FieldSearch>> {
  const byField = new Map<number, FieldSearch>();
  for (const { conditions } of owners) {
    for (const { operator, dependsOnFieldId, value, valueFieldId, testsRetired } of conditions) {
      if (!OPERATOR_TABLE[operator].searches || testsRetired === true) continue;
      let searched = byField.get(dependsOnFieldId);
      if (searched === undefined)
        byField.set(dependsOnFieldId, (searched = { parts: new Set(), conditions: 0, partFields: [] }));
      if (valueFieldId != null) {
        searched.partFields.push(valueFieldId);
        continue;
      }
      searched.parts.add(value);
      searched.conditions += 1;
    }
    yield;
  }
  return byField;
}

/** The stored texts that conditions search, each with the parts that they search for. */
export function* searchedTexts(
  values: readonly StoredValue[],
  byField: ReadonlyMap<number, FieldSearch>,
): Generator<SearchedText, void> {
  const partsOf = new Map<FieldSearch, Parts>();
  const textsOf = new Map<number, string[]>();
  if ([...byField.values()].some(({ partFields }) => partFields.length > 0)) groupTexts(values, textsOf);
  for (const [fieldId, , text] of values) {
    const searched = byField.get(fieldId);
    if (searched === undefined) continue;
    let parts = partsOf.get(searched);
    if (parts === undefined) partsOf.set(searched, (parts = withPartsOf(searched, textsOf)));
    yield [text, parts];
  }
}

function groupTexts(values: readonly StoredValue[], textsOf: Map<number, string[]>): void {
  for (const [fieldId, , text] of values) {
    if (text === '') continue;
    const texts = textsOf.get(fieldId);
    if (texts === undefined) textsOf.set(fieldId, [text]);
    else texts.push(text);
  }
}

/** Adds the values of other fields to the parts. */
function withPartsOf(searched: FieldSearch, textsOf: ReadonlyMap<number, readonly string[]>): Parts {
  if (searched.partFields.length === 0) return searched;
  const parts = new Set(searched.parts);
  let { conditions } = searched;
  for (const fieldId of searched.partFields) {
    const texts = textsOf.get(fieldId) ?? [];
    for (const text of texts) parts.add(text);
    conditions += texts.length;
  }
  return { parts, conditions };
}

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
