import { divideValues, presentComputedValues } from '../conditions/states/computed-values.js';
import { presentMessages, presentFieldErrors } from '../http/errors/problem.presenter.js';
import type { PublishedForm } from '../forms/published-form.js';
import type { FieldErrors } from '../http/errors/problems.js';
import type {
  ShownSubmissionResponse,
  StepProgressResponse,
  SubmissionPageResponse,
  SubmissionResponse,
  SubmissionValueResponse,
  SubmissionWithValuesResponse,
  ValidationResponse,
} from './dto/submission.response.js';
import { SUBMISSION_EXTENSION } from './entities/submission.js';
import type { SubmissionState } from './submission-state.js';
import type { ListedSubmission } from './list/list.statements.js';
import type { RecordResponse } from './records/records.dto.js';
import type {
  ShownSubmission,
  StoredRecord,
  SubmissionRow,
  ValuesAndRecordsRow,
  VersionedSubmission,
} from './submission.rows.js';
import type { FieldValue } from './values/value-entries.js';

export interface SubmissionMove {
  readonly moved: Pick<SubmissionRow, 'uuid' | 'current_step' | 'updated_at'>;
  /** The position among the visible steps. Omitted if all steps count: then it is `current_step`. */
  readonly position?: number;
  /** The number of steps that count. */
  readonly stepCount: number;
  readonly formVersion: number;
}

export interface StoredValues {
  readonly updatedAt: string;
  /** The stored value for each entry, in the order of the request (V6). */
  readonly values: readonly FieldValue[];
  /** The version of the form that the entries were checked against (N1). */
  readonly formVersion: number;
}

/** A submission without its values. */
export function presentSubmission(row: SubmissionRow): SubmissionResponse {
  const { uuid, form_id, status, current_step, meta, created_at, updated_at } = row;
  return { uuid, form_id, status, current_step, meta, created_at, updated_at };
}

/** Adds whether the submission is a test, and the versions of its form (N2). */
export function presentShownSubmission(row: ShownSubmission): ShownSubmissionResponse {
  const { is_test, begun_version, completed_version } = row;
  const shown = Object.assign(presentSubmission(row), { is_test, begun_version, completed_version });
  for (const column of SUBMISSION_EXTENSION) Object.assign(shown, { [column]: row[column] });
  return Object.assign(shown, { anonymized_at: row.anonymized_at });
}

/** A page of the user's submissions (O1). `next` is the URL of the next page. */
export function presentSubmissionPage({
  submissions,
  perPage,
  next,
}: {
  readonly submissions: readonly ListedSubmission[];
  readonly perPage: number;
  readonly next: string | null;
}): SubmissionPageResponse {
  const data = submissions.map((row) =>
    Object.assign(presentShownSubmission(row), {
      form: { uuid: row.form_uuid, name: row.form_name, slug: row.form_slug },
    }),
  );
  return { data, links: { next }, meta: { per_page: perPage } };
}

export function presentState(row: VersionedSubmission): SubmissionState<SubmissionResponse> {
  return { data: presentSubmission(row), updatedAt: row.updated_at, formVersion: row.form_version };
}

export function presentCreated(row: ShownSubmission): SubmissionState<ShownSubmissionResponse> {
  const data = presentShownSubmission(row);
  const created = `/submissions/${row.uuid}`;
  return { data, updatedAt: row.updated_at, formVersion: data.begun_version, created };
}

export function presentSubmissionWithValues(found: {
  readonly submission: ShownSubmission & ValuesAndRecordsRow;
  readonly form: PublishedForm;
}): SubmissionState<SubmissionWithValuesResponse> {
  const { fieldsById, retiredCodes, version } = found.form;
  const codeOf = (id: number) => fieldsById.get(id)?.code ?? retiredCodes.get(id) ?? '';
  const { given, computed } = divideValues(found.form, found.submission.values);
  const values = given.map(([fieldId, entityRecordId, value]) =>
    presentValue(fieldId, codeOf(fieldId), value, entityRecordId),
  );
  // Do not spread: the JavaScript engine would create a hidden class per response, which only a full garbage collection frees.
  const records = presentRecords(found.form, found.submission.records);
  const data = Object.assign(presentShownSubmission(found.submission), { values, records });
  if (found.form.rules.computed !== undefined)
    Object.assign(data, { computed: presentComputedValues(found.form, computed) });
  return { data, updatedAt: found.submission.updated_at, formVersion: version };
}

export function presentStoredValues({
  updatedAt,
  values,
  formVersion,
}: StoredValues): SubmissionState<readonly SubmissionValueResponse[]> {
  const data = values.map(({ field, value, entityRecordId }) =>
    presentValue(field.id, field.code, value, entityRecordId),
  );
  return { data, updatedAt, formVersion };
}

export function presentProgress({
  moved,
  position = moved.current_step,
  stepCount,
  formVersion,
}: SubmissionMove): SubmissionState<StepProgressResponse> {
  const { isLastStep, percentage } = stepProgress(position, stepCount);
  const data: StepProgressResponse = {
    uuid: moved.uuid,
    current_step: moved.current_step,
    status: 'draft',
    is_last_step: isLastStep,
    progress_percentage: percentage,
  };
  return { data, updatedAt: moved.updated_at, formVersion };
}

/** The result of a validation (J3). Includes error codes if the client accepts problem details (E11). */
export function presentValidation(errors: FieldErrors, hasCodes: boolean): ValidationResponse {
  const validation = { valid: Object.keys(errors).length === 0, errors: presentMessages(errors) };
  return hasCodes ? { ...validation, mistakes: presentFieldErrors(errors) } : validation;
}

/** The records of a submission (R5). */
export function presentRecords(
  { entitiesById }: { readonly entitiesById: ReadonlyMap<number, { readonly name: string }> },
  records: readonly StoredRecord[],
): RecordResponse[] {
  return records.map(([id, entityId, created_at]) => ({
    id,
    entity: entitiesById.get(entityId)?.name ?? '',
    created_at,
  }));
}

export function presentValue(
  field_id: number,
  field_code: string,
  value: string,
  entity_record_id: number | null,
): SubmissionValueResponse {
  return { field_id, field_code, value, entity_record_id };
}

/** The progress of a submission (S8). A form without steps is complete (S8). */
export function stepProgress(currentStep: number, stepCount: number) {
  const isLastStep = currentStep >= stepCount;
  return { isLastStep, percentage: isLastStep ? 100 : Math.round((currentStep * 100) / stepCount) };
}
