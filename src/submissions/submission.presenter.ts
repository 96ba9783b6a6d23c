import type { PublishedForm } from '../forms/published-form.js';
import { stepProgress } from './step-progress.js';
import type { MovedSubmission, StoredValue, SubmissionRow } from './submission-rows.js';

/** The specification's Submission, without its values. */
export function presentSubmission(row: SubmissionRow) {
  const { uuid, form_id, status, current_step, meta, created_at, updated_at } = row;
  return { uuid, form_id, status, current_step, meta, created_at, updated_at };
}

export function presentSubmissionWithValues(
  row: SubmissionRow,
  values: readonly StoredValue[],
  form: PublishedForm,
) {
  const presented = values.map(([fieldId, entityRecordId, value]) =>
    presentValue(fieldId, form.fieldsById.get(fieldId)?.code ?? '', value, entityRecordId),
  );
  // Not spread into another object: each time, V8 would lay a hidden class among what only a full collection frees.
  return Object.assign(presentSubmission(row), { values: presented });
}

/** The specification's SubmissionValue. */
export function presentValue(
  field_id: number,
  field_code: string,
  value: string,
  entity_record_id: number | null,
) {
  return { field_id, field_code, value, entity_record_id };
}

export function presentProgress({ uuid, current_step }: MovedSubmission, stepCount: number) {
  const { isLastStep, percentage } = stepProgress(current_step, stepCount);
  return {
    uuid,
    current_step,
    status: 'draft',
    is_last_step: isLastStep,
    progress_percentage: percentage,
  };
}
