import { OPERATOR_TABLE } from './operators.js';
import type { FieldSearch, Parts, SearchedText } from './searches.js';
import type { EngineField, StoredValue } from './vocabulary.js';

/** Returns the parts that conditions search for, by the id of the searched field. */
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
