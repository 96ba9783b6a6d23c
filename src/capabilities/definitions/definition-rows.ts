import { isDeepStrictEqual } from 'node:util';
import type { FormDefinition } from './form-definition.js';

/** The rows of a definition, by table. They refer to each other by names that are unique in the form. */
type Rows = ReturnType<typeof rowsOf>;

export interface RowChanges<Row> {
  readonly added: readonly Row[];
  readonly changed: readonly Row[];
  readonly dropped: readonly Row[];
}

/**
 * Returns the changes that turn one definition into another. Without `before`, all rows of `after` are added. Steps with the same
 * number are the same: `renumberSteps` sees to that.
 */
export function compareDefinitions(
  before: FormDefinition | undefined,
  after: FormDefinition,
): { [Table in keyof Rows]: RowChanges<Rows[Table][number]> } {
  const old = rowsOf(before ?? { entities: [], steps: [] });
  const wanted = rowsOf(after);
  return {
    entities: compareRows(old.entities, wanted.entities, ({ name }) => name),
    steps: compareRows(old.steps, wanted.steps, ({ step_number }) => step_number),
    fields: compareRows(old.fields, wanted.fields, ({ code }) => code),
    options: compareRows(old.options, wanted.options, ({ code, value }) => JSON.stringify([code, value])),
    rules: compareRows(old.rules, wanted.rules, ({ code, kind }) => `${kind} ${code}`),
    conditions: compareRows(old.conditions, wanted.conditions, ({ owner }) => JSON.stringify(owner)),
  };
}

function rowsOf({ entities, steps }: Pick<FormDefinition, 'entities' | 'steps'>) {
  const fields = steps.flatMap((step) =>
    step.fields.map((field) => ({ ...field, step_number: step.step_number })),
  );
  return {
    entities: entities.map(({ conditions: _, ...entity }) => entity),
    steps: steps.map(({ fields: _, conditions: __, ...step }) => step),
    fields: fields.map(
      ({ options: _, conditions: __, rules: ___, field_type, entity, retired, ...columns }) => {
        const { name } = field_type;
        return { ...columns, field_type: name, entity: entity ?? null, retired: retired ?? false };
      },
    ),
    options: fields.flatMap(({ code, options }) =>
      options.map(({ label, value, order, places }) => ({
        code,
        label,
        value,
        order,
        places: places ?? null,
      })),
    ),
    rules: fields.flatMap(({ code, rules }) =>
      rules.map(({ kind, value, message }) => ({ code, kind, value, message })),
    ),
    // Compares and rewrites all conditions of an owner together, because they have an order but no unique name.
    conditions: [
      ...fields.map(({ code, conditions }) => ({ owner: { code }, conditions })),
      ...steps.map(({ step_number, conditions }) => ({ owner: { step_number }, conditions })),
      ...entities.map(({ name, conditions }) => ({ owner: { entity: name }, conditions })),
    ].filter(({ conditions }) => conditions.length > 0),
  };
}

function compareRows<Row>(
  before: readonly Row[],
  after: readonly Row[],
  keyOf: (row: Row) => string | number,
): RowChanges<Row> {
  const old = new Map(before.map((row) => [keyOf(row), row]));
  const remaining = new Set(after.map(keyOf));
  return {
    added: after.filter((row) => !old.has(keyOf(row))),
    changed: after.filter((row) => old.has(keyOf(row)) && !isDeepStrictEqual(old.get(keyOf(row)), row)),
    dropped: before.filter((row) => !remaining.has(keyOf(row))),
  };
}
