import { SUBMISSION_EXTENSION } from '../../submissions/entities/submission.js';
import { csvRecords, excelLimits, jsonCell } from './csv.js';
import { type CsvNames, layoutOf, type RecordsOption } from './csv-layouts.js';
import type { ExportWriter } from './export-writer.js';
import type { ExportedForm } from './exported-form.js';
import { distinctCodes, distinctLabels, showValues } from './names.js';
import type { ExportedColumns, ExportedRow } from './submission-pages.js';

export interface CsvOptions {
  /** The default is `rows`. */
  readonly records?: RecordsOption;
  /** Writes labels instead of codes and option values. */
  readonly labels?: boolean;
  /** Includes the values of fields that were hidden (X1). */
  readonly withHidden?: boolean;
  /** Begins the file with a byte order mark, so that Excel reads it as UTF-8. */
  readonly excel?: boolean;
}

const PERSONAL_COLUMNS = ['user_email', 'meta'];
const OWN_COLUMNS = [
  'uuid',
  'status',
  'current_step',
  'created_at',
  'updated_at',
  'completed_at',
  'anonymized_at',
  'begun_version',
  'completed_version',
  ...SUBMISSION_EXTENSION,
  ...PERSONAL_COLUMNS,
];
const BYTE_ORDER_MARK = '\uFEFF';

export function csvWriter(
  form: ExportedForm,
  { records = 'rows', labels = false, excel = false }: CsvOptions,
  { withTests, withPersonal }: ExportedColumns,
): ExportWriter {
  const layout = layoutOf(form, records);
  const reserved = [...OWN_COLUMNS, ...(withTests ? ['is_test'] : []), ...layout.columns];
  const ownColumns = reserved.filter((column) => withPersonal || !PERSONAL_COLUMNS.includes(column));
  // The column of a field has the same name with and without personal data.
  const fieldNames = (labels ? distinctLabels : distinctCodes)(form.fields, reserved);
  const entities = [...form.entitiesById.values()];
  const entityNames = labels
    ? distinctLabels(entities.map(({ name, label }) => ({ code: name, label })))
    : entities.map(({ name }) => name);
  const cells: CsvNames = {
    fieldNames: new Map(form.fields.map(({ id }, index) => [id, fieldNames[index] ?? ''])),
    entityNames: new Map(entities.map(({ id }, index) => [id, entityNames[index] ?? ''])),
  };
  const showIn = labels ? showValues() : () => unchanged;
  const header = [...ownColumns, ...layout.fields.map(({ id }) => cells.fieldNames.get(id) ?? '')];
  const limits = excel ? excelLimits(header) : undefined;

  /** Returns values by field, then by record. */
  const heldIn = (submission: ExportedRow) => {
    const { values, shown } = submission;
    const { fieldsById } = shown ?? form;
    const held = new Map<number, Map<number | null, string>>();
    for (const [fieldId, recordId, value] of values) {
      const ofField = held.get(fieldId) ?? new Map<number | null, string>();
      const field = fieldsById.get(fieldId);
      const text = field === undefined ? value : showIn(field)(value);
      ofField.set(recordId, submission.detailOf(value)?.text ?? text);
      held.set(fieldId, ofField);
    }
    return held;
  };

  const { check } = layout;
  return {
    header: (excel ? BYTE_ORDER_MARK : '') + csvRecords([header]),
    ...(check && { check: (submission: ExportedRow) => check(submission, heldIn(submission)) }),
    *linesOf(submission) {
      const { uuid, status, current_step, created_at, updated_at, user_email, meta } = submission;
      const versions = [submission.begun_version, submission.completed_version].map((one) =>
        String(one ?? ''),
      );
      const times = [created_at, updated_at, submission.completed_at ?? '', submission.anonymized_at ?? ''];
      const extension = SUBMISSION_EXTENSION.map((column) => submission[column] ?? '');
      const own = [uuid, status, String(current_step), ...times, ...versions, ...extension];
      if (withPersonal) own.push(user_email ?? '', meta === null ? '' : jsonCell(meta));
      if (withTests) own.push(String(submission.is_test));
      for (const row of layout.rowsOf(submission, heldIn(submission), cells)) {
        const record = [...own, ...row];
        limits?.count(record);
        yield csvRecords([record]);
      }
    },
    warnings: () => limits?.warnings() ?? [],
  };
}

const unchanged = (value: string) => value;
