import type { ConditionResponse, ExtendedField, ExtendedSchema } from './dto/form-schema.response.js';
import type { ExtendedForm } from './dto/form.response.js';
import type { ConditionRow, FieldRow, FormRow, WholeFormRow } from './form.statements.js';
import { groupBy } from './group-by.js';
import { runToCompletion } from '../conditions/engine/index.js';

/** A form without its parts, with its completion policy (S13) and the columns of capabilities. */
export function presentForm(form: FormRow): ExtendedForm {
  return {
    id: form.id,
    uuid: form.uuid,
    name: form.name,
    slug: form.slug,
    description: form.description,
    is_active: form.is_active,
    version: form.version,
    completion: form.completion,
    ...form.extension,
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

/** The schema of a form: steps, fields, options and conditions nested, in the order of F7; entities by id (R4). */
export const presentSchema = (form: WholeFormRow): ExtendedSchema =>
  runToCompletion(presentSchemaInParts(form));

/** The same for a large form. Yields after each field. */
export function* presentSchemaInParts(form: WholeFormRow): Generator<undefined, ExtendedSchema> {
  const { uuid, name, slug, description, is_active, version, completion, extension, time_zone } = form;
  const fieldsOf = groupBy(form.fields, (field) => field.step_id);
  yield;
  const { ofField, ofStep, ofEntity } = yield* conditionsByOwner(form.conditions);
  const fields = new Map<number, ExtendedField[]>();
  for (const { id } of form.steps) {
    const own: ExtendedField[] = [];
    fields.set(id, own);
    for (const field of fieldsOf.get(id) ?? []) {
      own.push(presentField(field, ofField.get(field.id) ?? []));
      yield;
    }
  }
  return {
    uuid,
    name,
    slug,
    description,
    is_active,
    version,
    completion,
    ...extension,
    time_zone,
    steps: form.steps.map((step) => {
      return { ...step, fields: fields.get(step.id) ?? [], conditions: ofStep.get(step.id) ?? [] };
    }),
    entities: form.entities.map(({ id, ...entity }) => ({ ...entity, conditions: ofEntity.get(id) ?? [] })),
  };
}

function* conditionsByOwner(conditions: readonly ConditionRow[]) {
  const ofField = new Map<number, ConditionResponse[]>();
  const ofStep = new Map<number, ConditionResponse[]>();
  const ofEntity = new Map<number, ConditionResponse[]>();
  for (const condition of conditions) {
    const { field_id, step_id, entity_id } = condition;
    const [byOwner, id] =
      field_id !== null
        ? [ofField, field_id]
        : step_id !== null
          ? [ofStep, step_id]
          : [ofEntity, entity_id ?? 0];
    const presented = presentCondition(condition);
    const own = byOwner.get(id);
    if (own === undefined) byOwner.set(id, [presented]);
    else own.push(presented);
    yield;
  }
  return { ofField, ofStep, ofEntity };
}

function presentField(
  { step_id: _, retired: __, rules, ...columns }: FieldRow,
  conditions: readonly ConditionResponse[],
): ExtendedField {
  return { ...columns, conditions, rules };
}

/** Names the tested field by id and by code (F11), and the field that its value is compared with by its code. */
function presentCondition(condition: ConditionRow): ConditionResponse {
  const { depends_on_field_id, depends_on_field_code, operator, value, value_field_code, action, group } =
    condition;
  return { depends_on_field_id, depends_on_field_code, operator, value, value_field_code, action, group };
}
