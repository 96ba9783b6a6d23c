import {
  MAX_COMPUTED,
  MAX_CONDITIONS,
  MAX_FIELDS,
  MAX_OPTIONS,
  MAX_SCHEMA_BYTES,
  MAX_TRANSLATION_BYTES,
  MAX_TRANSLATIONS,
} from '../../forms/limits.js';
import { namedParts } from '../../forms/named-texts.js';
import type { Report } from './definition-error.js';
import {
  type DefinedCondition,
  fieldsOf,
  type FormDefinition,
  KEEPING_KEYS,
  localesOf,
} from './form-definition.js';
import { translatedTexts } from './translated-texts.js';

/** The largest id. No id has more digits. */
const ID = 2_147_483_647;

/** The limited sizes of a form, with the words for messages (F14). */
export interface FormSize {
  readonly fields: number;
  readonly options: number;
  readonly conditions: number;
  readonly 'computed fields': number;
  readonly 'bytes of schema': number;
  readonly 'bytes of schema in a further language': number;
  readonly translations: number;
  readonly 'bytes of translations': number;
}

const LIMITS: FormSize = {
  fields: MAX_FIELDS,
  options: MAX_OPTIONS,
  conditions: MAX_CONDITIONS,
  'computed fields': MAX_COMPUTED,
  'bytes of schema': MAX_SCHEMA_BYTES,
  'bytes of schema in a further language': MAX_SCHEMA_BYTES,
  translations: MAX_TRANSLATIONS,
  'bytes of translations': MAX_TRANSLATION_BYTES,
};

export function formSizeOf(form: FormDefinition): FormSize {
  const fields = fieldsOf(form).map(({ field }) => field);
  const owners = [...form.steps, ...fields, ...form.entities];
  const bytes = schemaBytes(form);
  const translations = [...namedParts(form)].flatMap(({ part }) =>
    Object.values(part.translations ?? {}).flatMap((texts) => Object.values(texts)),
  );
  const sum = (lists: readonly { readonly length: number }[]) =>
    lists.reduce((total, { length }) => total + length, 0);
  return {
    fields: fields.length,
    options: sum(fields.map(({ options }) => options)),
    conditions: sum(owners.map(({ conditions }) => conditions)),
    'computed fields': fields.filter(({ computed }) => computed !== undefined).length,
    'bytes of schema': bytes,
    'bytes of schema in a further language': Math.max(
      0,
      ...[...addedBytes(form).values()].map((added) => bytes + added),
    ),
    translations: translations.length,
    'bytes of translations': translations.reduce((total, text) => total + Buffer.byteLength(text), 0),
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

/** The bytes by which the schema in each further language is longer than the form's own, or shorter. */
function addedBytes(form: FormDefinition): Map<string, number> {
  const added = new Map<string, number>();
  const bytesOf = (text: string) => Buffer.byteLength(JSON.stringify(text));
  for (const { own, locale, text } of translatedTexts(form))
    added.set(locale, (added.get(locale) ?? 0) + bytesOf(text) - bytesOf(own.text));
  return added;
}

const UNPUBLISHED = Object.fromEntries(KEEPING_KEYS.map((key) => [key, undefined]));

/** The size of the schema response in the form's own language, with ids that are as long as they can be. */
function schemaBytes({ $schema: _, translations: __, ...form }: FormDefinition): number {
  const withIds = (conditions: readonly DefinedCondition[]) =>
    conditions.map(({ value_field = null, ...condition }) => ({
      ...{ depends_on_field_id: ID, group: null, value_field_code: value_field },
      ...condition,
    }));
  const missing = { computed: null, max_bytes: null, accept: null, meta: null, entity: null };
  const schema = {
    ...{ version: ID, proof_of_work: null, time_zone: null, closes_drafts: false },
    ...{ locale: null, locales: [...localesOf(form)] },
    ...{ opens_at: null, closes_at: null, max_submissions: null, max_per_user: null },
    ...form,
    ...UNPUBLISHED,
    entities: form.entities.map(({ translations: _, ...entity }) => ({
      ...{ min_records: null, max_records: null },
      ...entity,
      conditions: withIds(entity.conditions),
    })),
    steps: form.steps.map(({ translations: _, ...step }) => ({
      ...{ id: ID, ...step },
      conditions: withIds(step.conditions),
      fields: step.fields
        .filter(({ retired }) => retired !== true)
        .map(({ retired: _, is_personal: __, translations: ___, ...field }) => ({
          ...{ id: ID, ...missing, ...field },
          conditions: withIds(field.conditions),
          options: field.options.map(({ translations: _, ...option }) => ({
            ...{ is_exclusive: false, ...option },
            places: option.places ?? null,
          })),
          rules: field.rules.map(({ translations: _, other_field = null, ...rule }) => ({
            ...{ value: null, other_field_code: other_field, offset_days: null },
            ...rule,
          })),
        })),
    })),
  };
  return Buffer.byteLength(JSON.stringify({ data: schema }));
}
