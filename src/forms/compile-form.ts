import { setImmediate } from 'node:timers/promises';
import { compileRules, type RuleCondition, type RuleContainer } from '../rules/index.js';
import type { Environment } from '../config/environment.js';
import { CacheableBody } from '../http/headers/cacheable-body.js';
import { Slices } from '../http/slices.js';
import type { ConditionResponse } from './dto/form-schema.response.js';
import { compileFieldRules } from './field-rules/compile-field-rules.js';
import { DISPLAY_COMPONENTS, FILE_COMPONENT } from './field-types.js';
import { presentForm, presentSchema, withoutRetired } from './form.presenter.js';
import type { WholeFormRow, WholeFormText } from './form.statements.js';
import { groupBy } from './group-by.js';
import { MAX_FILE_BYTES, MAX_RECORD_FIELDS, MAX_RECORDS } from './limits.js';
import type { PublishedField, PublishedForm, PublishedStep } from './published-form.js';

/** Parses the lists of a form, in slices of the event loop. */
export async function parseForm(form: WholeFormText): Promise<WholeFormRow> {
  // Decoding PostgreSQL's response has already used this turn of the event loop.
  await setImmediate();
  const slices = new Slices();
  const parse = async <List>(text: string) => {
    const list = JSON.parse(text) as List;
    await slices.next();
    return list;
  };
  return {
    ...form,
    steps: await parse<WholeFormRow['steps']>(form.steps),
    fields: await parse<WholeFormRow['fields']>(form.fields),
    conditions: await parse<WholeFormRow['conditions']>(form.conditions),
    entities: await parse<WholeFormRow['entities']>(form.entities),
  };
}

/** Prepares a form once per version instead of once per request. Works in slices, because forms can be large. */
export async function compileForm(
  form: WholeFormRow,
  { hiddenValues, completionPolicy }: Pick<Environment, 'hiddenValues' | 'completionPolicy'>,
): Promise<PublishedForm> {
  const slices = new Slices();
  const schema = presentSchema(withoutRetired(form));
  const retiredCodes = new Map(
    form.fields.filter(({ retired }) => retired).map(({ id, code }) => [id, code]),
  );
  const ruleConditions = (conditions: readonly ConditionResponse[]) =>
    conditions.map((condition) => ruleCondition(condition, retiredCodes));
  const containerOf = (conditions: readonly ConditionResponse[]): RuleContainer | undefined =>
    conditions.length === 0 ? undefined : { conditions: ruleConditions(conditions) };
  await slices.next();
  const fields = schema.steps.flatMap(({ step_number, fields }) =>
    fields.map((field): PublishedField => ({
      id: field.id,
      code: field.code,
      isRepeatable: field.is_repeatable,
      entity: field.entity,
      component: field.field_type.component,
      options: new Set(field.options.map(({ value }) => value)),
      isDisplayOnly: DISPLAY_COMPONENTS.has(field.field_type.component),
      isFileInput: field.field_type.component === FILE_COMPONENT,
      stepNumber: step_number,
      maxBytes: field.max_bytes ?? MAX_FILE_BYTES,
      accept: field.accept,
      rules: compileFieldRules(field.field_type.component, field.rules),
    })),
  );
  const steps = schema.steps.map(({ step_number, is_visible, conditions }): PublishedStep => ({
    stepNumber: step_number,
    isVisible: is_visible,
    container: containerOf(conditions),
  }));
  const containersByEntity = new Map(
    schema.entities.map(({ name, conditions }) => [name, containerOf(conditions)]),
  );
  const fieldsByEntity = groupBy(fields, ({ entity }) => entity);
  const entities = form.entities.map(({ id, name, label, is_repeatable, min_records, max_records }) => {
    const own = fieldsByEntity.get(name) ?? [];
    const maxRecords = Math.min(
      max_records ?? (is_repeatable ? MAX_RECORDS : 1),
      Math.max(Math.floor(MAX_RECORD_FIELDS / Math.max(own.length, 1)), 1),
    );
    const minRecords = Math.min(min_records ?? 0, maxRecords);
    const container = containersByEntity.get(name);
    return { id, name, label, minRecords, maxRecords, fields: own, container };
  });
  await slices.next();
  const ruleFields = schema.steps.flatMap(({ fields }, index) =>
    fields.map((field) => ({
      id: field.id,
      isRequired: field.is_required,
      isRepeatable: field.is_repeatable,
      entity: field.entity ?? undefined,
      conditions: ruleConditions(field.conditions),
      containers: [steps[index]?.container, containersByEntity.get(field.entity ?? '')].filter(
        (container) => container !== undefined,
      ),
    })),
  );
  await slices.next();
  const rules = compileRules(
    ruleFields,
    hiddenValues,
    [...steps.map(({ container }) => container), ...containersByEntity.values()].filter(
      (container) => container !== undefined,
    ),
  );
  await slices.next();
  const schemaText = JSON.stringify({ data: schema });
  await slices.next();
  const schemaBody = new CacheableBody(schemaText, true);
  await slices.next();
  return {
    id: form.id,
    uuid: form.uuid,
    slug: form.slug,
    version: form.version,
    updatedBy: form.updated_by,
    updatedAt: form.updated_at,
    isActive: form.is_active,
    isPublic: form.access === 'public',
    proofOfWork: form.proof_of_work,
    isCompletionStrict: (form.completion ?? completionPolicy) === 'strict',
    timeZone: form.time_zone,
    steps,
    fields,
    fieldsById: new Map(fields.map((field) => [field.id, field])),
    fieldsByCode: new Map(fields.map((field) => [field.code, field])),
    retiredCodes,
    entitiesById: new Map(entities.map((entity) => [entity.id, entity])),
    entitiesByName: new Map(entities.map((entity) => [entity.name, entity])),
    rules,
    formBody: new CacheableBody({ data: presentForm(form) }, true),
    schemaBody,
  };
}

function ruleCondition(
  { depends_on_field_id, operator, value, action, group }: ConditionResponse,
  retired: ReadonlyMap<number, string>,
): RuleCondition {
  const condition = { dependsOnFieldId: depends_on_field_id, operator, value, action, group };
  return retired.has(depends_on_field_id) ? { ...condition, testsRetired: true } : condition;
}
