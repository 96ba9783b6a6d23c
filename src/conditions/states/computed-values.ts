import type { PublishedForm } from '../../forms/published-form.js';
import { inSlices } from '../../http/slices.js';
import type { StoredValue } from '../engine/index.js';
import type { ComputedValueResponse } from './conditions.response.js';
import { namedRecords, type StoredAnswers } from './step-states.js';

/** Returns the values of a draft with those that the form computes (K2). Long work is done in slices. */
export async function withComputedValues(
  form: PublishedForm,
  stored: StoredAnswers,
): Promise<readonly StoredValue[]> {
  const { rules } = form;
  const { computed } = rules;
  if (computed === undefined) return stored.values;
  const searching = rules.search(stored.values);
  const searches = searching && (await inSlices(searching));
  return inSlices(computed.compute(stored.values, namedRecords(form, stored), searches));
}

/** Divides values into those that clients store and those that are computed. */
export function divideValues(
  { rules: { computed } }: PublishedForm,
  values: readonly StoredValue[],
): { readonly given: readonly StoredValue[]; readonly computed: readonly StoredValue[] } {
  if (computed === undefined) return { given: values, computed: NOTHING };
  const isComputed = ([fieldId]: StoredValue) => computed.fieldIds.has(fieldId);
  return { given: values.filter((value) => !isComputed(value)), computed: values.filter(isComputed) };
}

const NOTHING: readonly StoredValue[] = [];

/** Computed values in the order of stored ones: by field, then by record (V12). */
export const presentComputedValues = (
  form: PublishedForm,
  computed: readonly StoredValue[],
): ComputedValueResponse[] =>
  computed
    .toSorted(([field, record], [otherField, otherRecord]) =>
      field === otherField ? (record ?? 0) - (otherRecord ?? 0) : field - otherField,
    )
    .map(([field_id, entity_record_id, value]) => ({
      field_id,
      field_code: form.fieldsById.get(field_id)?.code ?? '',
      entity_record_id,
      value,
    }));
