import type { Formula } from 'formtrail-entities';
import type { Definition } from './service-definitions.js';

/** Returns the definition with other codes of fields and other names of entities, also where other parts refer to them. */
export function renamed(
  definition: Definition,
  codes: ReadonlyMap<string, string>,
  names: ReadonlyMap<string, string>,
): Definition {
  const codeOf = (code: string) => codes.get(code) ?? code;
  const withConditions = <T extends Definition['steps'][number] | Definition['entities'][number]>(
    owner: T,
  ): T => ({ ...owner, conditions: conditionsOf(owner) });
  const conditionsOf = ({ conditions }: Pick<Definition['steps'][number], 'conditions'>) =>
    conditions.map(({ value_field, ...condition }) => ({
      ...condition,
      depends_on_field_code: codeOf(condition.depends_on_field_code),
      ...(value_field !== undefined && { value_field: codeOf(value_field) }),
    }));
  const formulaOf = (formula: Formula): Formula => ({
    ...formula,
    of: formula.of.map((operand) =>
      typeof operand === 'string' ? codeOf(operand) : 'op' in operand ? formulaOf(operand) : operand,
    ),
  });
  return {
    ...definition,
    entities: definition.entities.map((entity) => ({
      ...withConditions(entity),
      name: names.get(entity.name) ?? entity.name,
    })),
    steps: definition.steps.map((step) => ({
      ...withConditions(step),
      fields: step.fields.map(({ computed, entity, rules, ...field }) => ({
        ...field,
        code: codeOf(field.code),
        conditions: conditionsOf(field),
        rules: rules.map(({ other_field, ...rule }) => ({
          ...rule,
          ...(other_field !== undefined && { other_field: codeOf(other_field) }),
        })),
        ...(computed !== undefined && { computed: formulaOf(computed) }),
        ...(entity !== undefined && { entity: names.get(entity) ?? entity }),
      })),
    })),
  };
}
