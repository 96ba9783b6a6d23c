import { isDeepStrictEqual } from 'node:util';
import type { DefinedCondition, DefinedField, FormDefinition } from './form-definition.js';

/** A definition cut into the rows of its tables; rows name each other by what is unique in the form. */
export function toRows(definition: FormDefinition) {
  const fields = definition.steps.flatMap(({ step_number, fields }) =>
    fields.map((field) => ({ field, step_number })),
  );
  return {
    entities: definition.entities,
    steps: definition.steps.map(({ fields: _, ...step }) => step),
    fields: fields.map(({ field, step_number }) => toFieldRow(field, step_number)),
    options: fields.flatMap(({ field: { code, options } }) => options.map((option) => ({ code, ...option }))),
    /** A field's conditions are compared and rewritten as a whole: they have an order, and nothing that is unique. */
    conditions: fields.flatMap(({ field: { code, conditions } }) =>
      conditions.length === 0 ? [] : [{ code, conditions }],
    ),
  };
}

export type DefinitionRows = ReturnType<typeof toRows>;

export const NO_ROWS: DefinitionRows = { entities: [], steps: [], fields: [], options: [], conditions: [] };

function toFieldRow(field: DefinedField, step_number: number) {
  const { options: _, conditions: __, field_type, entity, ...columns } = field;
  return { ...columns, step_number, field_type: field_type.name, entity: entity ?? null };
}

/** One row for each condition, in their order. */
export function toConditionRows(lists: readonly { code: string; conditions: readonly DefinedCondition[] }[]) {
  return lists.flatMap(({ code, conditions }) => conditions.map((condition) => ({ code, ...condition })));
}

export interface Difference<Row> {
  readonly added: readonly Row[];
  readonly changed: readonly Row[];
  readonly dropped: readonly Row[];
}

export function compareRows<Row>(
  before: readonly Row[],
  after: readonly Row[],
  keyOf: (row: Row) => string | number,
): Difference<Row> {
  const old = new Map(before.map((row) => [keyOf(row), row]));
  const kept = new Set(after.map(keyOf));
  return {
    added: after.filter((row) => !old.has(keyOf(row))),
    changed: after.filter((row) => old.has(keyOf(row)) && !isDeepStrictEqual(old.get(keyOf(row)), row)),
    dropped: before.filter((row) => !kept.has(keyOf(row))),
  };
}
