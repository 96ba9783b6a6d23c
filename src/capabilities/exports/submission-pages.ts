import type { EntityManager } from 'typeorm';
import { findDistribution } from '../../database/distribution.js';
import { isoTimestamp } from '../../database/iso-timestamp.js';
import type { FileState } from '../files/entities/file.js';
import type { StoredValue } from '../../conditions/engine/index.js';
import { FILE_COMPONENT } from '../../forms/field-types.js';
import {
  POSITION,
  recordsWhere,
  type StoredRecord,
  type SubmissionRow,
} from '../../submissions/submission.statements.js';
import type { ExportedForm } from './exported-form.js';

export interface ExportFilter {
  readonly status: SubmissionRow['status'] | undefined;
  /** Only submissions whose last write was at this time or later. A timestamp that PostgreSQL can read. */
  readonly since: string | undefined;
  /** Whether to include tests (P10), which are left out by default. */
  readonly includeTests?: boolean | undefined;
  /** Whether to use the labels and options of the completed version (N3). */
  readonly asShown?: boolean | undefined;
}

/** The file that the value of a file field names (U3). */
export interface ExportedFile {
  readonly uuid: string;
  readonly name: string;
  readonly size: number;
  readonly media_type: string;
  readonly sha256: string;
  readonly state: FileState;
}

/** The properties that are not read-only are set after the row was read. */
export interface ExportedRow extends SubmissionRow {
  /** Undefined if the export leaves tests out. */
  readonly is_test?: boolean;
  readonly begun_version: number | null;
  readonly completed_version: number | null;
  /** Null for a respondent (P9). */
  readonly user_email: string | null;
  values: readonly StoredValue[];
  /** The records in the order of their creation (R5). */
  readonly records: readonly StoredRecord[];
  /** The names of the values that were hidden at completion (X1): see `valueName`. Null: none, or not known. */
  readonly hidden_values: readonly string[] | null;
  /** The values that are marked as hidden, or left out. */
  hidden: ReadonlySet<StoredValue>;
  /** The form as it was in the completed version. Undefined: the export uses the form as it is now. */
  shown?: ExportedForm;
  /** The files by the values that name them. Null if the submission has no files. */
  readonly files: Readonly<Record<string, ExportedFile>> | null;
}

/** Returns the file that a value names. A client may have stored any text, such as `constructor`. */
export function fileOf({ files }: Pick<ExportedRow, 'files'>, value: string): ExportedFile | undefined {
  return files !== null && Object.hasOwn(files, value) ? files[value] : undefined;
}

/** Submissions per page. Larger pages need more memory, but do not make exports faster. */
const PAGE = 100;

const FILES = `(select json_object_agg('file:' || files.uuid, json_build_object('uuid', files.uuid, 'name', name, 'size', size,
                  'media_type', media_type, 'sha256', encode(sha256, 'hex'), 'state', state))
            from files where submission_uuid = submissions.uuid)`;

interface Extent {
  readonly withTests: boolean;
  readonly withFiles: boolean;
  readonly withRecords: boolean;
}

// Sorts submissions by (form_id, uuid), because an index has this order and version 7 UUIDs sort by time of creation.
// Sorts values as a response of the API does (V12).
export const submissionsAfter = ({ withTests, withFiles, withRecords }: Extent) => ({
  name: 'submissions.export',
  text: `
  select uuid, form_id, status, ${POSITION} as current_step, meta,
         ${isoTimestamp('submissions.created_at')} as created_at, ${isoTimestamp('updated_at')} as updated_at,
         ${withTests ? 'is_test,' : ''} begun_version, completed_version, hidden_values, email as user_email,
         (select coalesce(json_agg(json_build_array(field_id, entity_record_id, value)
                                   order by field_id, entity_record_id nulls first), '[]')
            from submission_values where submission_uuid = uuid) as values,
         ${withRecords ? recordsWhere('submission_uuid = uuid') : `'[]'::json`} as records,
         ${withFiles ? FILES : 'null'} as files
    from submissions join users on users.id = user_id
   where form_id = $1 ${withTests ? '' : 'and not is_test'} and ($2::uuid is null or uuid > $2)
     and ($3::varchar is null or status = $3) and ($4::timestamptz is null or updated_at >= $4)
   order by uuid limit ${PAGE}`,
});

/** Reads the submissions of a form in pages, sorted by UUID, so that an export needs memory for only one page. */
export async function* submissionPages(
  manager: EntityManager,
  { id: formId, fields, entitiesById }: ExportedForm,
  { status, since, includeTests = false }: ExportFilter,
): AsyncGenerator<readonly ExportedRow[]> {
  const extent = {
    withTests: includeTests,
    withFiles:
      fields.some(({ component }) => component === FILE_COMPONENT) && (await hasFiles(manager, formId)),
    withRecords: entitiesById.size > 0,
  };
  const sql = (await findDistribution(manager)).textOf(submissionsAfter(extent));
  let after: string | undefined;
  for (;;) {
    const page = await manager.query<ExportedRow[]>(sql, [formId, after, status, since]);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.uuid;
  }
}

/** A distributed database has no files, and rejects a statement on submissions that reads the table of files. */
async function hasFiles(manager: EntityManager, formId: number): Promise<boolean> {
  const found = await manager.query<unknown[]>('select from files where form_id = $1 limit 1', [formId]);
  return found.length > 0;
}
