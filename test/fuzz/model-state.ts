import { fieldState } from './model-conditions.js';
import { type Expected, refuse } from './model-refusal.js';
import type { ModelSubmission, StoredValue } from './model-types.js';
import type { Request } from './requests.js';

/** S3 */
export function refuseIfCompleted({ status }: ModelSubmission): void {
  if (status === 'completed') refuse(422, 'The submission is already completed.');
}

/** S6 */
export function touch({ etags }: ModelSubmission, etag: string): void {
  const before = etags.at(-1)!;
  etags.push(etag > before ? etag : `later than ${before}`);
}

export function answered(submission: ModelSubmission, data: unknown): Expected {
  return { status: 200, etag: submission.etags.at(-1), body: { data } };
}

export function presented({ uuid, form, status, currentStep, meta, createdAt, etags }: ModelSubmission) {
  return {
    uuid,
    form_id: form.form.id,
    status,
    current_step: currentStep,
    meta,
    created_at: createdAt,
    updated_at: etags.at(-1),
  };
}

/** V12 */
export function byFieldAndRecord(a: StoredValue, b: StoredValue): number {
  return a.field_id - b.field_id || (a.entity_record_id ?? 0) - (b.entity_record_id ?? 0);
}

/** V13 */
export function including(answer: Expected, submission: ModelSubmission, query: Request['query']): Expected {
  return { ...answer, body: { ...(answer.body as object), conditions: states(submission, query) } };
}

/** C1 */
export function states({ form, values }: ModelSubmission, { shape, explain }: Request['query']): object {
  const isList = shape === 'list';
  const isExplained = explain === 'true';
  const stored = [...values.values()];
  const valuesOf = (id: number) => stored.filter(({ field_id }) => field_id === id).map(({ value }) => value);
  const fields = form.schema.steps.flatMap((step) => step.fields);
  const resolved = fields.map((field) => {
    const { visible, required, met } = fieldState(field, valuesOf);
    const conditions_met = met.map(({ depends_on_field_id: _, ...condition }) => condition);
    const explanation = isExplained ? { conditions_met } : {};
    return !isList
      ? { visible, required, ...explanation }
      : {
          field_id: field.id,
          field_code: field.code,
          is_visible: visible,
          is_required: required,
          ...explanation,
        };
  });
  if (isList) return resolved;
  return Object.fromEntries(fields.map(({ id }, index) => [id, resolved[index]]));
}
