// Imports the package by its own name, so that the path is the same in dist, in an installed package and in tests.
import schema from 'formtrail/form-definition.schema.json' with { type: 'json' };

/** The keywords of JSON Schema 2020-12 that this folder reads. Ajv reads the others. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  /** Completes the sentence "must be …", if the keywords alone do not describe the value well. */
  readonly title?: string;
  readonly default?: unknown;
  /** The key may come from a schema response, and is ignored. */
  readonly readOnly?: boolean;
  readonly enum?: readonly (string | null)[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The schema of form definitions. The package publishes it for editors too. */
export const FORM_DEFINITION = schema;

export function resolveReference(reference: Schema): Schema {
  const name = reference.$ref?.replace('#/$defs/', '');
  return name === undefined ? reference : schema.$defs[name as keyof typeof schema.$defs];
}
