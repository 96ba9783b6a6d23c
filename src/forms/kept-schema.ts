import { ACTIONS, OPERATORS } from '../rules/index.js';
import type { FormSchemaResponse } from './dto/form-schema.response.js';

/**
 * Reads the schema of a kept version (N3). Returns undefined if the row holds no schema, because another program wrote it. Completes
 * schemas that were kept before fields had `meta` (F12).
 */
export function readKeptSchema(kept: unknown): FormSchemaResponse | undefined {
  const data = isObject(kept) ? kept['data'] : undefined;
  if (!isSchema(data)) return undefined;
  for (const { fields } of data.steps)
    for (const field of fields) Object.assign(field, { meta: field.meta ?? null });
  return data;
}

/** Checks each part that the readers of a schema look into. */
function isSchema(data: unknown): data is FormSchemaResponse {
  return (
    isObject(data) &&
    isFlat(data, ['steps', 'entities']) &&
    areAll(
      data['steps'],
      (step) =>
        isFlat(step, ['meta', 'fields', 'conditions']) &&
        areConditions(step['conditions']) &&
        areAll(step['fields'], isField),
    ) &&
    areAll(
      data['entities'],
      (entity) =>
        isFlat(entity, ['conditions']) && isText(entity['name']) && areConditions(entity['conditions']),
    )
  );
}

const isField = (field: Fields) =>
  isFlat(field, ['meta', 'field_type', 'options', 'rules', 'conditions']) &&
  typeof field['id'] === 'number' &&
  isText(field['code']) &&
  isObject(field['field_type']) &&
  isText(field['field_type']['component']) &&
  (field['accept'] === undefined || field['accept'] === null || isText(field['accept'])) &&
  areAll(field['options'], ({ value }) => isText(value)) &&
  areAll(field['rules'], ({ kind, value }) => isText(kind) && isText(value)) &&
  areConditions(field['conditions']);

const areConditions = (list: unknown) =>
  areAll(
    list,
    (one) =>
      isText(one['depends_on_field_code']) &&
      isOneOf(OPERATORS, one['operator']) &&
      isOneOf(ACTIONS, one['action']),
  );

type Fields = Readonly<Record<string, unknown>>;

const areAll = (list: unknown, check: (one: Fields) => boolean): boolean =>
  Array.isArray(list) && list.every((one: unknown) => isObject(one) && check(one));

/** Whether nothing but these properties is an object or a list, which a message cannot quote. */
const isFlat = (fields: Fields, others: readonly string[]) =>
  Object.entries(fields).every(
    ([name, value]) => typeof value !== 'object' || value === null || others.includes(name),
  );

const isOneOf = (words: readonly string[], value: unknown) => isText(value) && words.includes(value);

const isText = (value: unknown): value is string => typeof value === 'string';

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
