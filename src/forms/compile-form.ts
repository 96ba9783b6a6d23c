import { compileRules, type HiddenValues } from '../conditions/rules/index.js';
import { CacheableBody } from '../http/cacheable-body.js';
import { DISPLAY_COMPONENTS } from './field-types.js';
import { presentForm, presentSchema } from './form.presenter.js';
import type { WholeFormRow } from './form.statements.js';
import type { PublishedField, PublishedForm } from './published-form.js';

/** Does once for a version of a form what would otherwise be done for each request. */
export function compileForm(form: WholeFormRow, hiddenValues: HiddenValues): PublishedForm {
  const schema = presentSchema(form);
  const schemaFields = schema.steps.flatMap((step) => step.fields);
  const fields = schemaFields.map((field): PublishedField => ({
    id: field.id,
    code: field.code,
    isRepeatable: field.is_repeatable,
    component: field.field_type.component,
    options: new Set(field.options.map(({ value }) => value)),
    isDisplayOnly: DISPLAY_COMPONENTS.has(field.field_type.component),
  }));
  return {
    id: form.id,
    uuid: form.uuid,
    slug: form.slug,
    isActive: form.is_active,
    stepCount: form.steps.length,
    fields,
    fieldsById: new Map(fields.map((field) => [field.id, field])),
    fieldsByCode: new Map(fields.map((field) => [field.code, field])),
    rules: compileRules(
      schemaFields.map((field) => ({
        id: field.id,
        isRequired: field.is_required,
        conditions: field.conditions.map((condition) => ({
          dependsOnFieldId: condition.depends_on_field_id,
          operator: condition.operator,
          value: condition.value,
          action: condition.action,
        })),
      })),
      hiddenValues,
    ),
    formBody: new CacheableBody({ data: presentForm(form) }, true),
    schemaBody: new CacheableBody({ data: schema }, true),
  };
}
