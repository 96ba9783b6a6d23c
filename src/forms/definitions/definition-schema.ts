// The package refers to itself by name, so that one path holds in dist, in an installed package and in tests.
import schema from 'formtrail/form-definition.schema.json' with { type: 'json' };

/** JSON Schema 2020-12, as much of it as is read here; Ajv reads the rest. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  /** What a value must be, as the end of a sentence, where the keywords alone would not say it well. */
  readonly title?: string;
  readonly default?: unknown;
  /** Taken from a schema response, and ignored. */
  readonly readOnly?: boolean;
  readonly enum?: readonly (string | null)[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** What a form definition may have. The file is published for editors too. */
export const FORM_DEFINITION = schema;

/** The schema that a `$ref` refers to; a schema without one is itself. */
export function resolve(reference: Schema): Schema {
  const name = reference.$ref?.replace('#/$defs/', '');
  return name === undefined ? reference : schema.$defs[name as keyof typeof schema.$defs];
}
