import type { PublishedField, PublishedForm } from '../../forms/published-form.js';
import { namedRecords, type StoredAnswers } from '../../conditions/states/step-states.js';
import { inSlices } from '../../http/slices.js';
import type { Searches } from '../../conditions/engine/index.js';

/**
 * Names a stored value: the id of its field, and the record of a repeatable field. A field that is not repeatable has one value,
 * even if the value names a record (V5). SQL has the same name: `field_id`, and `.` with `record_key` unless that is 0.
 */
export const valueName = (fieldId: number, isRepeatable: boolean, recordId: number | null): string =>
  isRepeatable && recordId !== null ? `${fieldId}.${recordId}` : String(fieldId);

/**
 * Returns the names of the stored values whose fields are hidden (X1). A value in a record is hidden if its field is hidden in that
 * record. The single value of a field of an entity is hidden if the field is hidden in all records of the entity. Values of retired
 * fields are never hidden, because no condition has hidden them (N6). Long work is done in slices.
 */
export async function findHiddenValueNames(
  form: PublishedForm,
  stored: Required<StoredAnswers>,
): Promise<string[]> {
  if (!form.rules.canHide || stored.values.length === 0) return [];
  const searching = form.rules.search(stored.values);
  const searches = searching && (await inSlices(searching));
  return inSlices(findHidden(form, stored, searches));
}

function* findHidden(
  form: PublishedForm,
  stored: Required<StoredAnswers>,
  searches: Searches | undefined,
): Generator<undefined, string[]> {
  const isHidden = yield* findHiddenPlaces(form, stored, searches);
  return stored.values.flatMap(([fieldId, recordId]) => {
    const field = form.fieldsById.get(fieldId);
    return field !== undefined && isHidden(field, recordId)
      ? [valueName(fieldId, field.isRepeatable, recordId)]
      : [];
  });
}

/** Whether the value of a field is hidden. `recordId` is that of the value. */
export type IsHidden = (field: PublishedField, recordId: number | null) => boolean;

/** Evaluates the conditions of a form. The caller can pause after each yield. */
export function* findHiddenPlaces(
  form: PublishedForm,
  stored: Required<StoredAnswers>,
  searches: Searches | undefined,
): Generator<undefined, IsHidden> {
  const { fields, entitiesByName, rules } = form;
  if (!rules.canHide) return () => false;
  const { values } = stored;
  const states = rules.resolveStates(values, searches);
  const hiddenOutside = new Set<PublishedField>(
    fields.filter((_, index) => states[index]?.visible === false),
  );
  yield;
  const records = namedRecords(form, stored);
  const entityOf = new Map<number | null, string>(records.map(({ id, entity }) => [id, entity]));
  const entitiesWithRecords = new Set<string | null>(entityOf.values());
  const hiddenInRecords = new Set<string>();
  const visibleInRecords = new Set<PublishedField>();
  for (const [id, states] of rules.resolveRecords(values, records, searches)) {
    const own = entitiesByName.get(entityOf.get(id) ?? '')?.fields ?? [];
    for (const [index, field] of own.entries()) {
      if (states[index]?.visible === true) visibleInRecords.add(field);
      else hiddenInRecords.add(valueName(field.id, true, id));
    }
    yield;
  }
  return (field, recordId) => {
    const { id, entity, isRepeatable } = field;
    if (isRepeatable && entity !== null && entityOf.get(recordId) === entity)
      return hiddenInRecords.has(valueName(id, true, recordId));
    if (!isRepeatable && entitiesWithRecords.has(entity)) return !visibleInRecords.has(field);
    return hiddenOutside.has(field);
  };
}
