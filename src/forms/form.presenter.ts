import type { ConditionResponse, FieldResponse, FormSchemaResponse } from './dto/form-schema.response.js';
import type { FormResponse } from './dto/form.response.js';
import type { ConditionRow, FieldRow, FormRow, WholeFormRow } from './form.statements.js';
import { groupBy } from './group-by.js';

/** The specification's Form, with its completion policy (S13) and who may begin submissions (P1, P7). */
export function presentForm(form: FormRow): FormResponse {
  return {
    id: form.id,
    uuid: form.uuid,
    name: form.name,
    slug: form.slug,
    description: form.description,
    is_active: form.is_active,
    version: form.version,
    completion: form.completion,
    access: form.access,
    proof_of_work: form.proof_of_work,
    created_at: form.created_at,
    updated_at: form.updated_at,
  };
}

/** Leaves out the retired fields and their conditions. Keeps conditions that test them, because these are never met (N6). */
export function withoutRetired(form: WholeFormRow): WholeFormRow {
  const retired = new Set(form.fields.filter((field) => field.retired).map(({ id }) => id));
  if (retired.size === 0) return form;
  return {
    ...form,
    fields: form.fields.filter(({ id }) => !retired.has(id)),
    conditions: form.conditions.filter(({ field_id }) => !retired.has(field_id ?? 0)),
  };
}

/** The specification's Form schema: steps, fields, options and conditions nested, in the order of F7; entities by id (R4). */
export function presentSchema(form: WholeFormRow): FormSchemaResponse {
  const { uuid, name, slug, description, is_active, version, completion, access, proof_of_work, time_zone } =
    form;
  const fieldsOf = groupBy(form.fields, (field) => field.step_id);
  const conditionsOf = groupBy(form.conditions, (condition) => condition.field_id);
  const conditionsOfStep = groupBy(
    form.conditions.filter(({ step_id }) => step_id !== null),
    ({ step_id }) => step_id,
  );
  const conditionsOfEntity = groupBy(
    form.conditions.filter(({ entity_id }) => entity_id !== null),
    ({ entity_id }) => entity_id,
  );
  return {
    uuid,
    name,
    slug,
    description,
    is_active,
    version,
    completion,
    access,
    proof_of_work,
    time_zone,
    steps: form.steps.map(({ id, step_number, title, description, is_visible, meta }) => ({
      id,
      step_number,
      title,
      description,
      is_visible,
      meta,
      fields: (fieldsOf.get(id) ?? []).map((field) => presentField(field, conditionsOf.get(field.id) ?? [])),
      conditions: (conditionsOfStep.get(id) ?? []).map(presentCondition),
    })),
    entities: form.entities.map(({ id, name, label, is_repeatable, min_records, max_records }) => ({
      name,
      label,
      is_repeatable,
      min_records,
      max_records,
      conditions: (conditionsOfEntity.get(id) ?? []).map(presentCondition),
    })),
  };
}

function presentField(field: FieldRow, conditions: readonly ConditionRow[]): FieldResponse {
  return {
    id: field.id,
    code: field.code,
    label: field.label,
    placeholder: field.placeholder,
    description: field.description,
    is_required: field.is_required,
    is_repeatable: field.is_repeatable,
    default_value: field.default_value,
    max_bytes: field.max_bytes,
    accept: field.accept,
    meta: field.meta,
    order: field.order,
    field_type: field.field_type,
    entity: field.entity,
    options: field.options,
    conditions: conditions.map(presentCondition),
    rules: field.rules,
  };
}

/** Names the tested field by id and by code (F11). */
function presentCondition(condition: ConditionRow): ConditionResponse {
  const { depends_on_field_id, depends_on_field_code, operator, value, action, group } = condition;
  return { depends_on_field_id, depends_on_field_code, operator, value, action, group };
}
