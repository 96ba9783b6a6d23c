import { compileRules } from '../conditions/rules/index.js';
import type { Environment } from '../config/environment.js';
import { CacheableBody } from '../http/cacheable-body.js';
import { compileFieldRules } from './field-rules/compile-field-rules.js';
import { DISPLAY_COMPONENTS, FILE_COMPONENT } from './field-types.js';
import { presentForm, presentSchema } from './form.presenter.js';
import type { WholeFormRow } from './form.statements.js';
import { MAX_FILE_BYTES, MAX_RECORDS } from './limits.js';
import type { PublishedField, PublishedForm } from './published-form.js';

/** Does once for a version of a form what would otherwise be done for each request. */
export function compileForm(
  form: WholeFormRow,
  { hiddenValues, completionPolicy }: Pick<Environment, 'hiddenValues' | 'completionPolicy'>,
): PublishedForm {
  const schema = presentSchema(form);
  const schemaFields = schema.steps.flatMap((step) => step.fields);
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
  const entities = form.entities.map(({ id, name, label, is_repeatable, min_records, max_records }) => ({
    id,
    name,
    label,
    minRecords: min_records ?? 0,
    maxRecords: max_records ?? (is_repeatable ? MAX_RECORDS : 1),
    fields: fields.filter(({ entity }) => entity === name),
  }));
  return {
    id: form.id,
    uuid: form.uuid,
    slug: form.slug,
    isActive: form.is_active,
    isCompletionStrict: (form.completion ?? completionPolicy) === 'strict',
    timeZone: form.time_zone,
    stepNumbers: form.steps.map(({ step_number }) => step_number),
    fields,
    fieldsById: new Map(fields.map((field) => [field.id, field])),
    fieldsByCode: new Map(fields.map((field) => [field.code, field])),
    entitiesById: new Map(entities.map((entity) => [entity.id, entity])),
    entitiesByName: new Map(entities.map((entity) => [entity.name, entity])),
    rules: compileRules(
      schemaFields.map((field) => ({
        id: field.id,
        isRequired: field.is_required,
        isRepeatable: field.is_repeatable,
        entity: field.entity ?? undefined,
        conditions: field.conditions.map((condition) => ({
          dependsOnFieldId: condition.depends_on_field_id,
          operator: condition.operator,
          value: condition.value,
          action: condition.action,
          group: condition.group,
        })),
      })),
      hiddenValues,
    ),
    formBody: new CacheableBody({ data: presentForm(form) }, true),
    schemaBody: new CacheableBody({ data: schema }, true),
  };
}
