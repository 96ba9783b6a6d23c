import { fieldState } from './model-conditions.js';
import { type Expected, refuse } from './model-refusal.js';
import type { ModelField, ModelForm, ModelRecord, ModelSubmission, StoredValue } from './model-types.js';
import type { Request } from './requests.js';

/** A completed submission rejects writes (S3). */
export function refuseIfCompleted({ status }: ModelSubmission): void {
  if (status === 'completed') refuse(422, 'The submission is already completed.');
}

/** Every write moves `updated_at`, and with it the ETag, forward (S6). */
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

export const fieldsOf = ({ schema }: ModelForm): ModelField[] => schema.steps.flatMap(({ fields }) => fields);

/** The order of values (V12). */
export function byFieldAndRecord(a: StoredValue, b: StoredValue): number {
  return a.field_id - b.field_id || (a.entity_record_id ?? 0) - (b.entity_record_id ?? 0);
}

/** Adds the conditions to a response, as `include=conditions` does (V13). */
export function including(answer: Expected, submission: ModelSubmission, query: Request['query']): Expected {
  return { ...answer, body: { ...(answer.body as object), conditions: conditionsOf(submission, query) } };
}

/** The state of a field in the form, or in a record (R6). */
export function stateOf(submission: ModelSubmission, field: ModelField, record?: ModelRecord) {
  return fieldState(field, valuesLookedAt(submission, field, record));
}

/** Returns a function that gives the values that conditions of `asking` see: all values of a field, or those of the record (R6). */
function valuesLookedAt(submission: ModelSubmission, asking: ModelField, record?: ModelRecord) {
  const { form, values } = submission;
  const fields = fieldsOf(form);
  const fieldWith = (id: number) => fields.find((field) => field.id === id)!;
  const stored = (id: number): string[] => {
    const { entity, is_repeatable } = fieldWith(id);
    const isOfRecord = record !== undefined && entity === record.entity && is_repeatable;
    return [...values.values()]
      .filter(({ field_id }) => field_id === id)
      .filter(({ entity_record_id }) => !isOfRecord || entity_record_id === record.id)
      .map(({ value }) => value);
  };
  if (form.hiddenValues === 'keep' || isInCircle(asking, fieldWith)) return stored;
  // Ignore values of hidden fields (C5). Conditions that only require a field do not affect its visibility.
  return (id: number): string[] => {
    const field = fieldWith(id);
    const here = field.entity === record?.entity ? record : undefined;
    return stateOf(submission, { ...field, conditions: decidingOn(field) }, here).visible ? stored(id) : [];
  };
}

const decidingOn = ({ conditions }: ModelField) => conditions.filter(({ action }) => action !== 'require');

/** Whether the field's visibility depends on its own value, directly or through other fields. */
function isInCircle(field: ModelField, fieldWith: (id: number) => ModelField): boolean {
  const reached = new Set<number>();
  const follow = (from: ModelField) => {
    for (const { depends_on_field_id: id } of decidingOn(from)) {
      if (reached.has(id)) continue;
      reached.add(id);
      follow(fieldWith(id));
    }
  };
  follow(field);
  return reached.has(field.id);
}

/** The body of GET …/conditions (C1, R6). */
export function conditionsOf(submission: ModelSubmission, query: Request['query']): object {
  const fields = fieldsOf(submission.form);
  const data = states(submission, fields, query);
  if (query['scope'] !== 'records') return { data };
  const records = submission.records.map((record) => {
    const own = fields.filter(({ entity }) => entity === record.entity);
    return [record.id, states(submission, own, query, record)];
  });
  return { data, records: Object.fromEntries(records) as object };
}

function states(
  submission: ModelSubmission,
  fields: readonly ModelField[],
  { shape, explain }: Request['query'],
  record?: ModelRecord,
): object {
  const isList = shape === 'list';
  const isExplained = explain === 'true';
  const resolved = fields.map((field) => {
    const { visible, required, met } = stateOf(submission, field, record);
    const conditions_met = met.map(({ depends_on_field_id: _, group: __, ...condition }) => condition);
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
