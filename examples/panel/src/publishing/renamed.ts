import type { Definition } from './service-definitions.js';

/** Returns the definition with other codes of fields and other names of entities. Conditions, rules and formulas keep the old ones. */
export function renamed(
  definition: Definition,
  codes: ReadonlyMap<string, string>,
  names: ReadonlyMap<string, string>,
): Definition {
  return {
    ...definition,
    entities: definition.entities.map((entity) => ({
      ...entity,
      name: names.get(entity.name) ?? entity.name,
    })),
    steps: definition.steps.map((step) => ({
      ...step,
      fields: step.fields.map((field) => ({
        ...field,
        code: codes.get(field.code) ?? field.code,
        ...(field.entity !== undefined && { entity: names.get(field.entity) ?? field.entity }),
      })),
    })),
  };
}
