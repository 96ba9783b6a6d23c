import { presentSubmission, presentValue } from '../submission.presenter.js';
import { csvRecords } from './csv.js';
import type { ExportedField, ExportedForm } from './exported-form.js';
import type { ExportedFile, ExportedRow } from './submission-pages.js';

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** How an export is written; all lines bring their own ends. */
interface Writer {
  readonly header: string;
  readonly lines: (submissions: readonly ExportedRow[]) => string;
}

export const writerOf: Readonly<Record<ExportFormat, (form: ExportedForm) => Writer>> = {
  ndjson: ndjsonWriter,
  csv: csvWriter,
};

/** A submission a line, as the API answers it, and the user whose it is. */
function ndjsonWriter({ fields }: ExportedForm): Writer {
  const codes = new Map(fields.map(({ id, code }) => [id, code]));
  const line = (submission: ExportedRow) => {
    const { user_email } = submission;
    const values = submission.values.map(([fieldId, entityRecordId, value]) => {
      const presented = presentValue(fieldId, codes.get(fieldId) ?? '', value, entityRecordId);
      const file = submission.files?.[value];
      return file === undefined ? presented : Object.assign(presented, { file });
    });
    return `${JSON.stringify(Object.assign(presentSubmission(submission), { user_email, values }))}\n`;
  };
  return { header: '', lines: (submissions) => submissions.map(line).join('') };
}

const OWN_COLUMNS = ['uuid', 'status', 'current_step', 'created_at', 'updated_at', 'user_email', 'meta'];

/** A submission a row: its own columns, then one for each field. */
function csvWriter({ fields }: ExportedForm): Writer {
  const names = fields.map(({ code }) => (OWN_COLUMNS.includes(code) ? `values.${code}` : code));
  const record = (submission: ExportedRow) => {
    const { uuid, status, current_step, created_at, updated_at, user_email, meta } = submission;
    const own = [uuid, status, String(current_step), created_at, updated_at, user_email];
    return [...own, meta === null ? '' : JSON.stringify(meta), ...cells(fields, submission)];
  };
  return {
    header: csvRecords([[...OWN_COLUMNS, ...names]]),
    lines: (submissions) => csvRecords(submissions.map(record)),
  };
}

/** What each field holds, by record; a value without one has the key null. */
type Held = Map<number, Map<number | null, string>>;

/**
 * The values of a repeatable field are lines of its cell, one for each record. Fields of the same entity have the same
 * records in the same order, so that their lines belong together; a record in which a field has no value is an empty one.
 */
function cells(fields: readonly ExportedField[], { values, files }: ExportedRow): string[] {
  const held: Held = new Map();
  for (const [fieldId, entityRecordId, value] of values) {
    const records = held.get(fieldId) ?? new Map<number | null, string>();
    const file = files?.[value];
    held.set(fieldId, records.set(entityRecordId, file === undefined ? value : described(file)));
  }
  const recordsOf = new Map<number | null, (number | null)[]>();
  return fields.map(({ id, is_repeatable, entity_id }) => {
    const own = held.get(id);
    if (own === undefined) return '';
    if (!is_repeatable) return [...own.values()].join('');
    const records = recordsOf.get(entity_id) ?? recordsIn(fields, entity_id, held);
    recordsOf.set(entity_id, records);
    return records.map((record) => own.get(record) ?? '').join('\n');
  });
}

const described = ({ uuid, name, size, media_type, sha256 }: ExportedFile) =>
  `${name} (${size} bytes, ${media_type}, sha256 ${sha256}, file:${uuid})`;

/** In the order in which they were made, null first. */
function recordsIn(fields: readonly ExportedField[], entityId: number | null, held: Held): (number | null)[] {
  const records = fields
    .filter(({ is_repeatable, entity_id }) => is_repeatable && entity_id === entityId)
    .flatMap(({ id }) => [...(held.get(id)?.keys() ?? [])]);
  return [...new Set(records)].sort((one, other) => (one ?? 0) - (other ?? 0));
}
