import type { FieldState } from '../../conditions/rules/index.js';
import type { PublishedEntity, PublishedField, PublishedForm } from '../../forms/published-form.js';
import type { FieldErrors } from '../../http/problems.js';
import type { StoredRecord, StoredValue } from '../submission.statements.js';
import { expectedOf } from './expected-value.js';

/**
 * What keeps a submission with these values from completion under the strict policy (S4), by field code; of a value that
 * belongs to a record by `code.<record id>` (J4). Fields of an entity are required in each of its records, and in none where
 * there is none; too few records are a mistake under the entity's name (R3). A hidden field is not looked at.
 */
export function completionMistakes(
  form: PublishedForm,
  values: readonly StoredValue[],
  records: readonly StoredRecord[],
): FieldErrors {
  const mistakes: FieldErrors = {};
  const places = valuesByPlace(values);
  const states = form.rules.resolveStates(values);
  for (const [index, field] of form.fields.entries()) {
    const placed = places.get(field.id) ?? NOTHING;
    const state = states[index] as FieldState;
    const isOfForm = field.entity === null;
    if (isOfForm && placed.size === 0) judge(field, state, undefined, field.code, mistakes);
    for (const [recordId, value] of placed) {
      const isJudgedInRecord = !isOfForm && (recordId !== null || !field.isRepeatable);
      if (!isJudgedInRecord) judge(field, state, value, keyOf(field, recordId), mistakes);
    }
  }

  const named = records.map(([id, entityId]) => ({
    id,
    entity: form.entitiesById.get(entityId)?.name ?? '',
  }));
  const recordStates = form.rules.resolveRecords(values, named);
  for (const { id, entity } of named) {
    for (const [index, field] of (form.entitiesByName.get(entity)?.fields ?? []).entries()) {
      const placed = places.get(field.id) ?? NOTHING;
      const value = field.isRepeatable ? placed.get(id) : placed.values().next().value;
      judge(field, recordStates.get(id)?.[index] as FieldState, value, `${field.code}.${id}`, mistakes);
    }
  }
  for (const entity of form.entitiesById.values()) {
    const count = named.filter((record) => record.entity === entity.name).length;
    if (count < entity.minRecords) mistakes[entity.name] = [tooFew(entity, count)];
  }
  return mistakes;
}

/** By field and record; the empty string is no value (V4). */
function valuesByPlace(values: readonly StoredValue[]): Map<number, Map<number | null, string>> {
  const byField = new Map<number, Map<number | null, string>>();
  for (const [fieldId, recordId, value] of values) {
    if (value === '') continue;
    const placed = byField.get(fieldId);
    if (placed === undefined) byField.set(fieldId, new Map([[recordId, value]]));
    else placed.set(recordId, value);
  }
  return byField;
}

const NOTHING: ReadonlyMap<number | null, string> = new Map();

/** The one value of a field that is not repeatable belongs to the field, whatever record it names (V5). */
const keyOf = ({ code, isRepeatable }: PublishedField, recordId: number | null) =>
  recordId === null || !isRepeatable ? code : `${code}.${recordId}`;

function judge(
  field: PublishedField,
  state: FieldState,
  value: string | undefined,
  key: string,
  mistakes: FieldErrors,
): void {
  const mistake = mistakeOf(field, state, value);
  if (mistake !== undefined) mistakes[key] = [`The ${field.code} ${mistake}.`];
}

function mistakeOf(field: PublishedField, state: FieldState, value: string | undefined): string | undefined {
  // V8: what is for display only can hold no value, whatever the form says of it.
  if (!state.visible || field.isDisplayOnly) return undefined;
  if (value === undefined) return state.required ? 'is required' : undefined;
  const { description, fits } = expectedOf(field);
  return fits(value) ? undefined : `must be ${description}`;
}

const tooFew = ({ name, minRecords }: PublishedEntity, count: number) =>
  `The submission must have at least ${minRecords} of ${name}, but has ${count}.`;
