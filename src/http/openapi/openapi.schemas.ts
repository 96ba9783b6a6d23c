import type { Type } from '@nestjs/common';
import { ApiSchema, getSchemaPath, type ReferenceObject, type SchemaObject } from '#swagger';

// Options of `@ApiProperty()` that several properties share.

/** The maximum is the largest value of an integer column. */
export const ID_SCHEMA = { type: 'integer', minimum: 1, maximum: 2_147_483_647 } as const;
/** The maximum is the largest exact integer of JavaScript. The column can store larger values. */
export const RECORD_ID_SCHEMA = { ...ID_SCHEMA, maximum: Number.MAX_SAFE_INTEGER } as const;
export const POSITION_SCHEMA = { type: 'integer', minimum: 1 } as const;
export const UUID_SCHEMA = { type: 'string', format: 'uuid' } as const;
export const TEXT_OR_NULL = { type: 'string', nullable: true } as const;
export const TIMESTAMP_SCHEMA = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$',
} as const;
/** Any object or null. No other schema of a response allows properties that it does not describe. */
export const FREE_OBJECT = { type: 'object', nullable: true, additionalProperties: true } as const;

/** Names the schema of a class in responses. The schema allows only the properties of the class. */
export function ResponseSchema(name: string): ClassDecorator {
  return withKeywords(name, { additionalProperties: false });
}

/** Adds JSON Schema keywords to a schema. `@ApiSchema()` passes them on, although its type allows only a description. */
export function withKeywords(name: string, keywords: SchemaObject): ClassDecorator {
  return ApiSchema({ name, ...keywords });
}

/** Returns a reference to the schema of a class, or to a named schema without a class. */
export function refTo(type: Type | string): ReferenceObject {
  return { $ref: getSchemaPath(type) };
}

/** The schema of a body, the classes that it refers to, and an example of the whole body. */
export interface Content {
  readonly schema: SchemaObject | ReferenceObject;
  readonly types: readonly Type[];
  readonly example: unknown;
}

export const one = (type: Type, example: unknown) => oneOf([type], example);

export function oneOf(types: readonly Type[], example: unknown): Content {
  const [first, ...others] = types.map(refTo);
  const isOne = first !== undefined && others.length === 0;
  return { schema: isOne ? first : { oneOf: types.map(refTo) }, types, example };
}

export function listOf(type: Type, example: readonly unknown[]): Content {
  return { schema: { type: 'array', items: refTo(type) }, types: [type], example };
}

type Properties = Readonly<Record<string, Content>>;

/** Wraps the content in `data`, like every successful response except a page. */
export function dataEnvelope(data: Content, required: Properties = {}, optional: Properties = {}): Content {
  const always = Object.entries({ data, ...required });
  const all = [...always, ...Object.entries(optional)];
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(all.map(([name, { schema }]) => [name, schema])),
      required: always.map(([name]) => name),
      additionalProperties: false,
    },
    types: all.flatMap(([, { types }]) => types),
    example: Object.fromEntries(always.map(([name, { example }]) => [name, example])),
  };
}

/** The version of a form that a response was made from (N1). */
export const FORM_VERSION_SCHEMA = {
  ...ID_SCHEMA,
  description: 'The version of the form that `data` was made from.',
};

export function withFormVersion(content: Content, optional: Properties = {}): Content {
  return dataEnvelope(
    content,
    { form_version: { schema: FORM_VERSION_SCHEMA, types: [], example: 3 } },
    optional,
  );
}
