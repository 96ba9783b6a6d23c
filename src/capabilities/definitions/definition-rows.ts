import { isDeepStrictEqual } from 'node:util';
import { namedParts, wordOf } from '../../forms/named-texts.js';
import type { NamedTranslation } from '../../forms/translation.statements.js';
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
  const old = rowsOf(before ?? { name: '', description: '', entities: [], steps: [] });
  const wanted = rowsOf(after);
  return {
    entities: compareRows(old.entities, wanted.entities, ({ name }) => name),
    steps: compareRows(old.steps, wanted.steps, ({ step_number }) => step_number),
    fields: compareRows(old.fields, wanted.fields, ({ code }) => code),
    options: compareRows(old.options, wanted.options, ({ code, value }) => JSON.stringify([code, value])),
    rules: compareRows(old.rules, wanted.rules, ({ code, kind, other_field }) =>
      JSON.stringify([code, kind, other_field]),
    ),
    conditions: compareRows(old.conditions, wanted.conditions, ({ owner }) => JSON.stringify(owner)),
    translations: compareRows(
      old.translations,
      wanted.translations,
      ({ locale, key, text: _, ...name }) => `${locale} ${wordOf(name)}.${key}`,
    ),
  };
}

function rowsOf(form: Pick<FormDefinition, 'name' | 'description' | 'entities' | 'steps' | 'translations'>) {
  const { entities, steps } = form;
  const fields = steps.flatMap((step) =>
    step.fields.map((field) => ({ ...field, step_number: step.step_number })),
  );
  return {
    entities: entities.map(({ conditions: _, translations: __, ...entity }) => entity),
    steps: steps.map(({ fields: _, conditions: __, translations: ___, ...step }) => step),
    fields: fields.map(
      ({
        options: _,
        conditions: __,
        rules: ___,
        translations: ____,
        field_type,
        entity,
        is_personal,
        retired,
        computed,
        ...columns
      }) => {
        const { name } = field_type;
        return {
          ...{ ...columns, field_type: name, entity: entity ?? null },
          ...{ is_personal: is_personal ?? false, retired: retired ?? false, computed: computed ?? null },
        };
      },
    ),
    options: fields.flatMap(({ code, options }) =>
      options.map(({ label, value, order, is_exclusive, places }) => ({
        code,
        label,
        value,
        order,
        is_exclusive: is_exclusive ?? false,
        places: places ?? null,
      })),
    ),
    rules: fields.flatMap(({ code, rules }) =>
      rules.map(({ kind, value, other_field, offset_days, message }) => ({
        ...{ code, kind, value: value ?? null },
        ...{ other_field: other_field ?? null, offset_days: offset_days ?? null, message },
      })),
    ),
    // Compares and rewrites all conditions of an owner together, because they have an order but no unique name.
    conditions: [
      ...fields.map(({ code, conditions }) => ({ owner: { code }, conditions })),
      ...steps.map(({ step_number, conditions }) => ({ owner: { step_number }, conditions })),
      ...entities.map(({ name, conditions }) => ({ owner: { entity: name }, conditions })),
    ].filter(({ conditions }) => conditions.length > 0),
    translations: translationsIn(form),
  };
}

function translationsIn(form: Parameters<typeof namedParts>[0]): NamedTranslation[] {
  return [...namedParts(form)].flatMap(({ name, part: { translations = {} } }) =>
    Object.entries(translations).flatMap(([locale, texts]) =>
      Object.entries(texts).map(([key, text]) => ({ ...name, locale, key: key as keyof typeof texts, text })),
    ),
  );
}

function compareRows<Row>(
  before: readonly Row[],
  after: readonly Row[],
  keyOf: (row: Row) => string | number,
): RowChanges<Row> {
  const old = new Map(before.map((row) => [keyOf(row), row]));
  const wanted = new Map(after.map((row) => [keyOf(row), row]));
  const rows = [...wanted].map(([key, row]) => ({ row, previous: old.get(key) }));
  return {
    added: rows.flatMap(({ row, previous }) => (previous === undefined ? [row] : [])),
    changed: rows.flatMap(({ row, previous }) =>
      previous === undefined || isDeepStrictEqual(previous, row) ? [] : [row],
    ),
    dropped: [...old].flatMap(([key, row]) => (wanted.has(key) ? [] : [row])),
  };
}
