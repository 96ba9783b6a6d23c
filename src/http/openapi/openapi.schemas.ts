import type { Type } from '@nestjs/common';
import { ApiSchema, getSchemaPath, type ReferenceObject, type SchemaObject } from '#swagger';

// Options of `@ApiProperty()` that several properties share.

/** The maximum is the largest value of an integer column. */
export const ID = { type: 'integer', minimum: 1, maximum: 2_147_483_647 } as const;
/** The maximum is the largest exact integer of JavaScript. The column can store larger values. */
export const RECORD_ID = { ...ID, maximum: Number.MAX_SAFE_INTEGER } as const;
export const UUID = { type: 'string', format: 'uuid' } as const;
export const TEXT_OR_NULL = { type: 'string', nullable: true } as const;
export const TIMESTAMP = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$',
  description: 'ISO 8601 in UTC, with microseconds.',
} as const;
/** Any object or null. No other schema of a response allows properties that it does not describe. */
export const FREE_OBJECT = { type: 'object', nullable: true, additionalProperties: true } as const;

/** Names the schema of a class in responses. The schema allows only the properties of the class. */
export function ResponseSchema(name: string): ClassDecorator {
  return withKeywords(name, { additionalProperties: false });
}

/**
 * Adds JSON Schema keywords to a schema. `@ApiSchema()` passes them on, although its type allows only a description.
 */
export function withKeywords(name: string, keywords: SchemaObject): ClassDecorator {
  return ApiSchema({ name, ...keywords });
}

/** Returns a reference to the schema of a class, or to a named schema without a class. */
export function refTo(type: Type | string): ReferenceObject {
  return { $ref: getSchemaPath(type) };
}

/** The schema of a response, and the classes that it refers to. */
export interface Content {
  readonly schema: SchemaObject | ReferenceObject;
  readonly types: readonly Type[];
}

export function one(type: Type): Content {
  return { schema: refTo(type), types: [type] };
}

export function oneOf(...types: readonly Type[]): Content {
  return { schema: { oneOf: types.map(refTo) }, types };
}

export function listOf(type: Type): Content {
  return { schema: { type: 'array', items: refTo(type) }, types: [type] };
}

type Beside = Readonly<Record<string, Content>>;

/** Wraps the content in `data`, like every successful response except a page. */
export function inData({ schema, types }: Content, required: Beside = {}, optional: Beside = {}): Content {
  const all = { data: { schema, types }, ...required, ...optional };
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(all).map(([name, content]) => [name, content.schema])),
      required: ['data', ...Object.keys(required)],
      additionalProperties: false,
    },
    types: Object.values(all).flatMap((content) => content.types),
  };
}

/** The version of a form that a response was made from (N1). */
export const FORM_VERSION = {
  ...ID,
  description: 'The version of the form that `data` was made from. If yours differs, read the schema again.',
};

/** Wraps the content in `data`, beside the version of the form. */
export function withFormVersion(content: Content, optional: Beside = {}): Content {
  return inData(content, { form_version: { schema: FORM_VERSION, types: [] } }, optional);
}
