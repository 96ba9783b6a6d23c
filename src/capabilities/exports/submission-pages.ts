import type { EntityManager } from 'typeorm';
import { findDistribution } from '../../database/distribution.js';
import { isoTimestampSql } from '../../database/iso-timestamp.js';
import type { StoredValue } from '../../conditions/engine/index.js';
import type { ValueDetail } from '../../server/hooks.js';
import type { SubmissionExtension } from '../../submissions/entities/submission.js';
import { EXTENSION_ONLY, POSITION, recordsSql } from '../../submissions/submission.columns.js';
import type { StoredRecord, SubmissionRow } from '../../submissions/submission.rows.js';
import type { ExportedForm } from './exported-form.js';

export interface ExportFilter {
  readonly status: SubmissionRow['status'] | undefined;
  /** Only submissions that were last written to, or anonymised, at this time or later. A timestamp that PostgreSQL can read. */
  readonly since: string | undefined;
  /**
   * Only submissions that were completed at this time or later. For drafts, and for submissions without a time of completion, the time of
   * the last write decides.
   */
  readonly from?: string | undefined;
  /** Only submissions that were completed before this time: see {@link from}. */
  readonly to?: string | undefined;
  /** Whether to include tests (P10), which are left out by default. */
  readonly includeTests?: boolean | undefined;
  /** Whether to use the labels and options of the completed version (N3). */
  readonly asShown?: boolean | undefined;
}

/** The properties that are not read-only are set after the row was read. */
export interface ExportedRow extends SubmissionRow, SubmissionExtension {
  /** Undefined if the export leaves tests out. */
  readonly is_test?: boolean;
  readonly begun_version: number | null;
  readonly completed_version: number | null;
  readonly completed_at: string | null;
  readonly anonymized_at: string | null;
  /** Null for a respondent (P9). Also null, as is `meta`, if the export leaves out personal data. */
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
  /** The details that capabilities add to values. */
  detailOf: (value: string) => ValueDetail | undefined;
}

/** Submissions per page. Larger pages need more memory, but do not make exports faster. */
const PAGE = 100;

/** The columns of submissions that an export need not have. */
export interface ExportedColumns {
  /** Whether each submission says if it is a test. */
  readonly withTests: boolean;
  /** Whether to have the meta and the addresses of the users. */
  readonly withPersonal: boolean;
}

interface Extent extends ExportedColumns {
  readonly withRecords: boolean;
}

// Sorts submissions by (form_id, uuid), because an index has this order and version 7 UUIDs sort by time of creation.
// Sorts values as a response of the API does (V12).
export const submissionPageSql = ({ withTests, withRecords, withPersonal }: Extent) => ({
  name: 'submissions.export',
  text: `
  select uuid, form_id, status, ${POSITION} as current_step, ${withPersonal ? 'meta, email' : 'null as meta, null'} as user_email,
         ${isoTimestampSql('submissions.created_at')} as created_at, ${isoTimestampSql('updated_at')} as updated_at,
         ${withTests ? 'is_test,' : ''} begun_version, completed_version, ${EXTENSION_ONLY},
         ${isoTimestampSql('completed_at')} as completed_at, ${isoTimestampSql('anonymized_at')} as anonymized_at, hidden_values,
         (select coalesce(json_agg(json_build_array(field_id, entity_record_id, value)
                                   order by field_id, entity_record_id nulls first), '[]')
            from submission_values where submission_uuid = uuid) as values,
         ${withRecords ? recordsSql('submission_uuid = uuid') : `'[]'::json`} as records
    from submissions ${withPersonal ? 'join users on users.id = user_id' : ''}
   where form_id = $1 ${withTests ? '' : 'and not is_test'} and ($2::uuid is null or uuid > $2)
     and ($3::varchar is null or status = $3) and ($4::timestamptz is null or greatest(updated_at, anonymized_at) >= $4)
     and ($5::timestamptz is null or coalesce(completed_at, updated_at) >= $5)
     and ($6::timestamptz is null or coalesce(completed_at, updated_at) < $6)
   order by uuid limit ${PAGE}`,
});

/** Reads the submissions of a form in pages, sorted by UUID, so that an export needs memory for only one page. */
export async function* submissionPages(
  manager: EntityManager,
  { id: formId, entitiesById }: ExportedForm,
  { status, since, from, to }: ExportFilter,
  columns: ExportedColumns,
): AsyncGenerator<readonly ExportedRow[]> {
  const extent = { ...columns, withRecords: entitiesById.size > 0 };
  const sql = (await findDistribution(manager)).textOf(submissionPageSql(extent));
  let after: string | undefined;
  for (;;) {
    const page = await manager.query<ExportedRow[]>(sql, [formId, after, status, since, from, to]);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.uuid;
  }
}
