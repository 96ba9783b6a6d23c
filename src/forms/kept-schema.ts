import type { ExtendedSchema } from './dto/form-schema.response.js';

/** Returns the schema of a kept version (N3). Undefined: the row holds no schema, because another program wrote it. */
export function readKeptSchema(kept: unknown): ExtendedSchema | undefined {
  const { data } = (kept ?? {}) as { readonly data?: Partial<ExtendedSchema> | null };
  return Array.isArray(data?.steps) && Array.isArray(data.entities) ? (data as ExtendedSchema) : undefined;
}
