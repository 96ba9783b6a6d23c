import type { Reference, Schema } from '../openapi-types.js';

/** The last id that a column of type `integer` holds. */
export const MAX_INTEGER = 2_147_483_647;

export const text: Schema = { type: 'string' };
export const optionalText: Schema = { type: ['string', 'null'] };
export const flag: Schema = { type: 'boolean' };
export const uuid: Schema = { type: 'string', format: 'uuid' };
export const id: Schema = { type: 'integer', minimum: 1, maximum: MAX_INTEGER };
/** Any object or null; nothing else in an answer may have properties that are not described. */
export const freeObject: Schema = { type: ['object', 'null'], additionalProperties: true };

export const timestamp: Schema = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$',
  description: 'ISO 8601 in UTC, with microseconds.',
};

/** An answer's object: it has all of these properties, and no others. */
export function object(properties: Readonly<Record<string, Schema | Reference>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** An {@link object} that may have these as well. */
export function withOptional(
  schema: Schema,
  properties: Readonly<Record<string, Schema | Reference>>,
): Schema {
  return { ...schema, properties: { ...schema.properties, ...properties } };
}

export function arrayOf(items: Schema | Reference): Schema {
  return { type: 'array', items };
}

export function schemaRef(name: string): Reference {
  return { $ref: `#/components/schemas/${name}` };
}

/** The wrapping of every successful answer of the API. */
export function inData(schema: Schema | Reference): Schema {
  return object({ data: schema });
}
