import type { ExtendedSchema } from './dto/form-schema.response.js';

/** Returns the schema of a kept version (N3). Undefined: the row holds no schema, because another program wrote it. */
export function readKeptSchema(kept: unknown): ExtendedSchema | undefined {
  const { data } = (kept ?? {}) as { readonly data?: Partial<ExtendedSchema> | null };
  return Array.isArray(data?.steps) && Array.isArray(data.entities) ? (data as ExtendedSchema) : undefined;
}

/**
 * Returns the properties that come before the steps, without parsing a large schema. A quotation mark within a text is escaped, so the
 * name of the steps is found only where they begin.
 */
export function readBeginning(schema: string): Partial<ExtendedSchema> {
  const end = schema.indexOf(',"steps":[');
  if (end === -1) return {};
  try {
    return (JSON.parse(`${schema.slice(0, end)}}}`) as { readonly data: ExtendedSchema }).data;
  } catch {
    // Another program wrote the row.
    return {};
  }
}
