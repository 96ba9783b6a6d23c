import type { Type } from '@nestjs/common';
import { ApiSchema, getSchemaPath, type ReferenceObject, type SchemaObject } from '#swagger';

// Options of `@ApiProperty()` for what properties have in common.
/** As large as a column can hold. */
export const ID = { type: 'integer', minimum: 1, maximum: 2_147_483_647 } as const;
/** As large as a number of JavaScript can be exactly; the column holds more. */
export const RECORD_ID = { ...ID, maximum: Number.MAX_SAFE_INTEGER } as const;
export const UUID = { type: 'string', format: 'uuid' } as const;
export const TEXT_OR_NULL = { type: 'string', nullable: true } as const;
export const TIMESTAMP = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$',
  description: 'ISO 8601 in UTC, with microseconds.',
} as const;
/** Any object or null; nothing else in a response may have properties that are not described. */
export const FREE_OBJECT = { type: 'object', nullable: true, additionalProperties: true } as const;

/** For the class of an object in responses, which has the properties that the class declares and no others. */
export function ResponseSchema(name: string): ClassDecorator {
  return withKeywords(name, { additionalProperties: false });
}

/** `@ApiSchema()` with keywords of JSON Schema, which it hands on although its type has none but the description. */
export function withKeywords(name: string, keywords: SchemaObject): ClassDecorator {
  return ApiSchema({ name, ...keywords });
}

/** By its class, or by its name where no class is its. */
export function refTo(type: Type | string): ReferenceObject {
  return { $ref: getSchemaPath(type) };
}

/** What a response holds, and the classes that it refers to. */
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

/** The wrapping of every successful response of the API, lists with pages apart; with what may be `beside` its data. */
export function inData({ schema, types }: Content, beside: Readonly<Record<string, Content>> = {}): Content {
  const optional = Object.entries(beside);
  const properties = {
    data: schema,
    ...Object.fromEntries(optional.map(([name, content]) => [name, content.schema])),
  };
  return {
    schema: { type: 'object', properties, required: ['data'], additionalProperties: false },
    types: [...types, ...optional.flatMap(([, content]) => content.types)],
  };
}
