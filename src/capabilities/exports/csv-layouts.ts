import { jsonCell } from './csv.js';
import { ExportError } from './export-writer.js';
import type { ExportedField, ExportedForm } from './exported-form.js';
import type { ExportedRow } from './submission-pages.js';

export type RecordsOption = 'rows' | 'json' | 'lines';

/** Values by the id of their field, then by the id of their record. A value without a record has the key null. */
type ValuesByField = ReadonlyMap<number, ReadonlyMap<number | null, string>>;

export interface CsvNames {
  readonly fieldNames: ReadonlyMap<number, string>;
  readonly entityNames: ReadonlyMap<number, string>;
}

/** How a table represents the records of a submission. */
interface CsvLayout {
  /** Columns before the columns of the fields. */
  readonly columns: readonly string[];
  /** Fields with a separate column. */
  readonly fields: readonly ExportedField[];
  /** Returns the rows of a submission, each with a cell for every column and field. */
  readonly rowsOf: (
    submission: ExportedRow,
    held: ValuesByField,
    cells: CsvNames,
  ) => Iterable<readonly string[]>;
  readonly check?: (submission: ExportedRow, held: ValuesByField) => void;
}

export function layoutOf(form: ExportedForm, records: RecordsOption): CsvLayout {
  // Without entities there are no records, so each field has one value and all layouts would give the same table.
  if (form.entitiesById.size === 0) return plain(form);
  return { rows, json, lines }[records](form);
}

function plain({ fields }: ExportedForm): CsvLayout {
  return { columns: [], fields, rowsOf: (_, held) => [fields.map((field) => valueOf(field, null, held))] };
}

/** Returns the value of a field in a record. A field that is not repeatable has the same value in all records (V5). */
function valueOf({ id, is_repeatable }: ExportedField, recordId: number | null, held: ValuesByField): string {
  const values = held.get(id);
  return (is_repeatable ? values?.get(recordId) : values?.values().next().value) ?? '';
}

/**
 * Writes a row for each record, and a row for values without a record. A submission without records also gets a row.
 */
function rows({ fields }: ExportedForm): CsvLayout {
  return {
    columns: ['entity', 'entity_record_id'],
    fields,
    *rowsOf({ records }, held, { entityNames }) {
      if (records.length === 0 || holdsOutsideRecords(fields, held)) {
        yield ['', '', ...fields.map((field) => valueOf(field, null, held))];
      }
      for (const [id, entityId] of records) {
        const values = fields.map((field) => valueOf(field, id, held));
        yield [entityNames.get(entityId) ?? '', String(id), ...values];
      }
    },
  };
}

function holdsOutsideRecords(fields: readonly ExportedField[], held: ValuesByField): boolean {
  return fields.some(({ id, is_repeatable }) => is_repeatable && held.get(id)?.has(null));
}

/** Writes all records of a submission into one cell, as JSON. */
function json(form: ExportedForm): CsvLayout {
  const repeatable = form.fields.filter(({ is_repeatable }) => is_repeatable);
  const fields = form.fields.filter(({ is_repeatable }) => !is_repeatable);
  return {
    columns: ['records'],
    fields,
    rowsOf({ records }, held, { fieldNames, entityNames }) {
      const valuesIn = (recordId: number | null) =>
        Object.fromEntries<string>(
          repeatable.flatMap(({ id }) => {
            const value = held.get(id)?.get(recordId);
            return value === undefined ? [] : [[fieldNames.get(id) ?? '', value] as const];
          }),
        );
      const all = records.map(([id, entityId]) => ({
        id,
        entity: entityNames.get(entityId) ?? '',
        values: valuesIn(id),
      }));
      const outside = holdsOutsideRecords(repeatable, held)
        ? [{ id: null, entity: null, values: valuesIn(null) }]
        : [];
      return [[jsonCell([...outside, ...all]), ...fields.map((field) => valueOf(field, null, held))]];
    },
  };
}

/** Characters that end a line for programs that split a cell into lines. */
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

/**
 * Writes the values of a repeatable field as lines of one cell, one line for each record of its entity. In all fields of an
 * entity, lines with the same number belong to the same record. A field without an entity has one value.
 */
function lines({ fields }: ExportedForm): CsvLayout {
  const linesOf = ({ entity_id }: ExportedField, { records }: ExportedRow): (number | null)[] =>
    entity_id === null ? [null] : records.filter(([, id]) => id === entity_id).map(([id]) => id);
  return {
    columns: [],
    fields,
    rowsOf: (submission, held) => [
      fields.map((field) => {
        if (!field.is_repeatable || !held.has(field.id)) return valueOf(field, null, held);
        const values = linesOf(field, submission).map((recordId) => valueOf(field, recordId, held));
        return values.join('\n');
      }),
    ],
    check(submission, held) {
      for (const field of fields) {
        const values = held.get(field.id);
        if (!field.is_repeatable || values === undefined) continue;
        const known = linesOf(field, submission);
        for (const [recordId, value] of values) {
          if (LINE_BREAK.test(value))
            throw new LinesError(
              submission,
              field,
              'has a line break in a value, which would shift the lines after it',
            );
          if (!known.includes(recordId))
            throw new LinesError(
              submission,
              field,
              'has a value that belongs to no record of its entity, so there is no line for it',
            );
        }
      }
    },
  };
}

class LinesError extends ExportError {
  constructor({ uuid }: ExportedRow, { code }: ExportedField, why: string) {
    super(
      `"--records lines" cannot be used: the field "${code}" of the submission ${uuid} ${why}. ` +
        'Use "--records rows", which writes a row for each record, or "--records json".',
    );
  }
}
