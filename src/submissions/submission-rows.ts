import { lockingStatement, statement } from '../database/statement.js';
import { isoTimestamp } from '../http/timestamps.js';

/** A submission's own columns, with timestamps as the wire has them. */
export interface SubmissionRow {
  readonly uuid: string;
  readonly form_id: number;
  readonly status: 'draft' | 'completed';
  readonly current_step: number;
  readonly meta: Record<string, unknown> | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** field_id, entity_record_id, value. */
export type StoredValue = readonly [fieldId: number, entityRecordId: number | null, value: string];

const COLUMNS = `uuid, form_id, status, current_step, meta,
  ${isoTimestamp('created_at')} as created_at, ${isoTimestamp('updated_at')} as updated_at`;

const OWN = 'uuid = $1 and user_id = $2';

/** S11: `$3` holds the validators of If-Match, or null where nothing is to be checked. */
const UNCHANGED = `($3::text[] is null or ${isoTimestamp('updated_at')} = any ($3))`;

// Moves forward even where the clock does not: it is the validator of the submission (S6, S11).
const NEXT_UPDATED_AT = `greatest(clock_timestamp(), updated_at + interval '1 microsecond')`;

export const CREATE_SUBMISSION = statement(
  'submissions.create',
  `insert into submissions (uuid, form_id, user_id) values ($1, $2, $3) returning ${COLUMNS}`,
);

export const FIND_SUBMISSION = statement(
  'submissions.find',
  `select ${COLUMNS} from submissions where ${OWN}`,
);

/** S4: until the transaction ends, nobody else writes to the submission or stores values in it. */
export const LOCK_SUBMISSION = statement(
  'submissions.lock',
  `select ${COLUMNS} from submissions where ${OWN} for no key update`,
);

/** V12: by field, then by record with null first. */
export const FIND_SUBMISSION_WITH_VALUES = statement(
  'submissions.find_with_values',
  `select ${COLUMNS},
     (select coalesce(json_agg(json_build_array(field_id, entity_record_id, value)
               order by field_id, entity_record_id nulls first), '[]')
        from submission_values where submission_uuid = submissions.uuid) as values
   from submissions where ${OWN}`,
);

/** S3, S5: `$4` is the status or null, `$5` whether meta was given, `$6` the meta. */
export const PATCH_SUBMISSION = lockingStatement(
  'submissions.patch',
  `update submissions
      set status = coalesce($4::varchar, status),
          meta = case when $5::boolean then $6::json else meta end,
          updated_at = ${NEXT_UPDATED_AT}
    where ${OWN} and ${UNCHANGED} and (status = 'draft' or $4::varchar is distinct from 'draft')
  returning ${COLUMNS}`,
);

/** S9: one statement, so that no burst of calls passes the last step. `$4` is the number of steps. */
export const ADVANCE_SUBMISSION = lockingStatement(
  'submissions.advance',
  `update submissions set current_step = current_step + 1, updated_at = ${NEXT_UPDATED_AT}
    where ${OWN} and ${UNCHANGED} and status = 'draft' and current_step < $4
  returning ${COLUMNS}`,
);

/** Back by one, and onto the last step from beyond it: the form may have lost steps meanwhile. */
export const RETREAT_SUBMISSION = lockingStatement(
  'submissions.retreat',
  `update submissions set current_step = least(current_step - 1, $4), updated_at = ${NEXT_UPDATED_AT}
    where ${OWN} and ${UNCHANGED} and status = 'draft' and current_step > 1 and $4 > 0
  returning ${COLUMNS}`,
);

/**
 * V3, V5, V7: stores all entries or none. The update of the submission comes first and locks it, so that parallel
 * calls take turns. `$4` to `$7` are the columns of the entries, no key twice among them, `$8`
 * all records that were named. The one row says whether
 * the submission could be written, and which records are not its own.
 */
export const STORE_VALUES = lockingStatement(
  'submissions.store_values',
  `with foreign_records as (
     select array_agg(id) as ids from unnest($8::integer[]) id
      where not exists (select from entity_records where submission_uuid = $1 and entity_records.id = id.id)
   ), written as (
     update submissions set updated_at = ${NEXT_UPDATED_AT}
      where ${OWN} and ${UNCHANGED} and status = 'draft' and (select ids from foreign_records) is null
     returning uuid, form_id, updated_at
   ), stored as (
     insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, entity_record_id, value)
     select uuid, form_id, entry.* from written, unnest($4::integer[], $5::boolean[], $6::integer[], $7::text[]) entry
     on conflict (submission_uuid, field_id, record_key)
       do update set value = excluded.value, entity_record_id = excluded.entity_record_id
   )
   select (select ${isoTimestamp('updated_at')} from written) as updated_at,
          (select ids from foreign_records) as foreign_records`,
);
