import type { PublishedField, PublishedForm } from '../../forms/published-form.js';
import {
  type FieldErrors,
  invalidDataProblem,
  type FieldError,
  fieldError,
  type Problem,
} from '../../http/errors/problems.js';
import type { ValueEntryDto } from '../dto/store-values.dto.js';

export interface FieldValue {
  readonly field: PublishedField;
  readonly value: string;
  readonly entityRecordId: number | null;
}

/**
 * Finds the fields of the entries. Returns a 422 that lists all entries whose field the form
 * does not have (V1, V2, V8).
 */
export function resolveEntries(
  form: PublishedForm,
  entries: readonly ValueEntryDto[],
): FieldValue[] | Problem {
  const errors: FieldErrors = {};
  const resolved = entries.map((entry, index) => {
    const field = findField(form, entry, (name, error) => {
      errors[`values.${index}.${name}`] = [error];
    });
    return field && { field, value: entry.value, entityRecordId: entry.entity_record_id ?? null };
  });
  if (Object.keys(errors).length > 0) return invalidDataProblem(errors);
  return resolved.filter((entry) => entry !== undefined);
}

function findField(
  form: PublishedForm,
  { field_id, field_code }: ValueEntryDto,
  reject: (name: 'field_id' | 'field_code', error: FieldError) => void,
): PublishedField | undefined {
  const byId = field_id === undefined ? undefined : form.fieldsById.get(field_id);
  const byCode = field_code === undefined ? undefined : form.fieldsByCode.get(field_code);
  const name = field_id === undefined ? 'field_code' : 'field_id';
  const field = byId ?? byCode;
  if (field_id !== undefined && byId === undefined) {
    reject('field_id', fieldError('unknown_field', 'The form of this submission has no field with this id.'));
  } else if (field_code !== undefined && byCode === undefined) {
    reject(
      'field_code',
      fieldError('unknown_field', 'The form of this submission has no field with this code.'),
    );
  } else if (byId !== undefined && byCode !== undefined && byId !== byCode) {
    reject(
      'field_code',
      fieldError('different_fields', 'The field_code and the field_id name different fields.'),
    );
  } else if (field?.isDisplayOnly) {
    reject(
      name,
      fieldError('display_only', `The field ${field.code} is for display only and holds no value.`),
    );
  } else if (field?.computed) {
    reject(name, fieldError('computed', `The service computes the field ${field.code}. Leave it out.`));
  } else {
    return field;
  }
  return undefined;
}

/** Returns the last entry for each {@link upsertKey} (V5, V6). */
export function lastOfEachKey(entries: readonly FieldValue[]): Map<string, FieldValue> {
  return new Map(entries.map((entry) => [upsertKey(entry), entry]));
}

/**
 * Identifies the slot of a value. A repeatable field has one value per record, any other
 * field has a single value (V5).
 */
export function upsertKey(entry: FieldValue): string {
  return `${entry.field.id}/${recordKey(entry)}`;
}

/** Computes the value that the database generates for the column `record_key`. */
export function recordKey({ field, entityRecordId }: FieldValue): number {
  return field.isRepeatable ? (entityRecordId ?? 0) : 0;
}
