import type { PublishedForm } from '../../forms/published-form.js';
import { inSlices } from '../../http/slices.js';
import type { OnComputed, Searches, StoredValue } from '../engine/index.js';
import type { ComputedOperandResponse, ComputedValueResponse } from './conditions.response.js';
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

/** Maximum characters of explanations. Values may be computed from thousands of long answers. */
const MAX_EXPLAINED = 1024 * 1024;

type Explanations = ReadonlyMap<string, readonly ComputedOperandResponse[]>;
const NOT_EXPLAINED: Explanations = new Map();

const placeOf = ([fieldId, recordId]: StoredValue) => `${fieldId} ${recordId}`;

/** Finds the answers that each value is computed from. Returns none if all together are too long. */
export async function explainComputedValues(
  form: PublishedForm,
  stored: StoredAnswers,
  searches?: Searches,
): Promise<Explanations> {
  const explanations = new Map<string, readonly ComputedOperandResponse[]>();
  let length = 0;
  const explain: OnComputed = (computed, operands) => {
    if (length > MAX_EXPLAINED) return;
    for (const [, texts] of operands) for (const text of texts) length += text.length;
    explanations.set(
      placeOf(computed),
      operands.map(([fieldId, values]) => ({
        field_code: form.fieldsById.get(fieldId)?.code ?? '',
        values,
      })),
    );
  };
  const computing = form.rules.computed?.compute(
    stored.values,
    namedRecords(form, stored),
    searches,
    explain,
  );
  if (computing !== undefined) await inSlices(computing);
  return length > MAX_EXPLAINED ? NOT_EXPLAINED : explanations;
}

/** Computed values in the order of stored ones: by field, then by record (V12). */
export const presentComputedValues = (
  form: PublishedForm,
  computed: readonly StoredValue[],
  explanations = NOT_EXPLAINED,
): ComputedValueResponse[] =>
  computed
    .toSorted(([field, record], [otherField, otherRecord]) =>
      field === otherField ? (record ?? 0) - (otherRecord ?? 0) : field - otherField,
    )
    .map((stored) => {
      const [field_id, entity_record_id, value] = stored;
      const operands = explanations.get(placeOf(stored));
      return {
        ...{ field_id, field_code: form.fieldsById.get(field_id)?.code ?? '', entity_record_id, value },
        ...(operands !== undefined && { operands }),
      };
    });
