import type { Definition } from './service-definitions.js';

/** Returns the definition with other codes of fields and other names of entities, also where conditions and fields refer to them. */
export function renamed(
  definition: Definition,
  codes: ReadonlyMap<string, string>,
  names: ReadonlyMap<string, string>,
): Definition {
  const withConditions = <T extends Definition['steps'][number] | Definition['entities'][number]>(
    owner: T,
  ): T => ({ ...owner, conditions: conditionsOf(owner) });
  const conditionsOf = ({ conditions }: Pick<Definition['steps'][number], 'conditions'>) =>
    conditions.map((condition) => ({
      ...condition,
      depends_on_field_code: codes.get(condition.depends_on_field_code) ?? condition.depends_on_field_code,
    }));
  return {
    ...definition,
    entities: definition.entities.map((entity) => ({
      ...withConditions(entity),
      name: names.get(entity.name) ?? entity.name,
    })),
    steps: definition.steps.map((step) => ({
      ...withConditions(step),
      fields: step.fields.map((field) => ({
        ...field,
        code: codes.get(field.code) ?? field.code,
        conditions: conditionsOf(field),
        ...(field.entity !== undefined && { entity: names.get(field.entity) ?? field.entity }),
      })),
    })),
  };
}
