import { MAX_CONDITIONS, MAX_FIELDS, MAX_OPTIONS, MAX_SCHEMA_BYTES } from '../../forms/limits.js';
import type { Report } from './definition-error.js';
import { type DefinedCondition, fieldsOf, type FormDefinition } from './form-definition.js';

/** The largest id. No id has more digits. */
const ID = 2_147_483_647;

/** The limited sizes of a form, with the words for messages (F14). */
export interface FormSize {
  readonly fields: number;
  readonly options: number;
  readonly conditions: number;
  readonly 'bytes of schema': number;
}

const LIMITS: FormSize = {
  fields: MAX_FIELDS,
  options: MAX_OPTIONS,
  conditions: MAX_CONDITIONS,
  'bytes of schema': MAX_SCHEMA_BYTES,
};

export function formSizeOf(form: FormDefinition): FormSize {
  const fields = fieldsOf(form).map(({ field }) => field);
  const owners = [...form.steps, ...fields, ...form.entities];
  const sum = (lists: readonly { readonly length: number }[]) =>
    lists.reduce((total, { length }) => total + length, 0);
  return {
    fields: fields.length,
    options: sum(fields.map(({ options }) => options)),
    conditions: sum(owners.map(({ conditions }) => conditions)),
    'bytes of schema': schemaBytes(form),
  };
}

/** Reports a valid definition that is larger than a form may be, and larger than the stored form. */
export function checkSize(form: FormDefinition, stored: FormSize | undefined, report: Report): void {
  const size = formSizeOf(form);
  const inWords = (count: number) => count.toLocaleString('en');
  for (const what of Object.keys(LIMITS) as (keyof FormSize)[]) {
    if (size[what] <= Math.max(LIMITS[what], stored?.[what] ?? 0)) continue;
    const limit = `must have at most ${inWords(LIMITS[what])} ${what}, but have ${inWords(size[what])}`;
    report('steps', `${limit}; divide the form into several forms`);
  }
}

/** The size of the schema response, with ids that are as long as they can be. */
function schemaBytes({ $schema: _, ...form }: FormDefinition): number {
  const withIds = (conditions: readonly DefinedCondition[]) =>
    conditions.map((condition) => ({ depends_on_field_id: ID, group: null, ...condition }));
  const missing = { max_bytes: null, accept: null, meta: null, entity: null };
  const schema = {
    ...{ version: ID, proof_of_work: null, time_zone: null, closes_drafts: false },
    ...{ opens_at: null, closes_at: null, max_submissions: null, max_per_user: null },
    ...form,
    entities: form.entities.map((entity) => ({
      ...{ min_records: null, max_records: null },
      ...entity,
      conditions: withIds(entity.conditions),
    })),
    steps: form.steps.map((step) => ({
      ...{ id: ID, ...step },
      conditions: withIds(step.conditions),
      fields: step.fields
        .filter(({ retired }) => retired !== true)
        .map(({ retired: _, ...field }) => ({
          ...{ id: ID, ...missing, ...field },
          conditions: withIds(field.conditions),
          options: field.options.map((option) => ({ ...option, places: option.places ?? null })),
        })),
    })),
  };
  return Buffer.byteLength(JSON.stringify({ data: schema }));
}
