import type { StoredValue } from '../conditions/rules/index.js';
import {
  type Columns,
  integer,
  json,
  lockingStatement,
  nullable,
  type Read,
  statement,
  text,
} from '../database/statement.js';
import { isoTimestamp } from '../http/timestamps.js';
import type { Status } from './entities/submission.js';

/** A submission's own columns, with timestamps as the wire has them. */
export interface SubmissionRow {
  readonly uuid: string;
  readonly form_id: number;
  readonly status: Status;
  readonly current_step: number;
  readonly meta: Record<string, unknown> | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** With the number of its form's steps. */
export interface FoundSubmission extends SubmissionRow {
  readonly step_count: number;
}

/** What advancing and retreating tell of a submission, which was and stays a draft. */
export type MovedSubmission = Pick<SubmissionRow, 'uuid' | 'form_id' | 'current_step' | 'updated_at'>;

export type { StoredValue };

/** What is stored in a submission. */
export interface ValuesRow {
  readonly form_id: number;
  readonly values: readonly StoredValue[];
}

const COLUMNS = `uuid, form_id, status, current_step, meta,
  ${isoTimestamp('created_at')}, ${isoTimestamp('updated_at')}`;

const SUBMISSION: Columns<SubmissionRow> = {
  uuid: text,
  form_id: integer,
  status: text as Read<SubmissionRow['status']>,
  current_step: integer,
  meta: nullable(json<Record<string, unknown>>()),
  created_at: text,
  updated_at: text,
};

const FOUND: Columns<FoundSubmission> = { ...SUBMISSION, step_count: integer };

const STEP_COUNT = '(select count(*) from steps where steps.form_id = submissions.form_id)';

const OWN = 'uuid = $1 and user_id = $2';

/** S11: `$3` holds the validators of If-Match, or null where nothing is to be checked. */
const UNCHANGED = `($3::text[] is null or ${isoTimestamp('updated_at')} = any ($3))`;

// Moves forward even where the clock does not: it is the validator of the submission (S6, S11).
const NEXT_UPDATED_AT = `greatest(clock_timestamp(), updated_at + interval '1 microsecond')`;

export const CREATE_SUBMISSION = statement(
  'submissions.create',
  `insert into submissions (uuid, form_id, user_id) values ($1, $2, $3) returning ${COLUMNS}`,
  SUBMISSION,
);

export const FIND_SUBMISSION = statement(
  'submissions.find',
  `select ${COLUMNS}, ${STEP_COUNT} from submissions where ${OWN}`,
  FOUND,
);

/** S4: until the transaction ends, nobody else writes to the submission or stores values in it. */
export const LOCK_SUBMISSION = statement(
  'submissions.lock',
  `select ${COLUMNS}, ${STEP_COUNT} from submissions where ${OWN} for no key update`,
  FOUND,
);

const valuesIn = (order: string) =>
  `(select coalesce(json_agg(json_build_array(field_id, entity_record_id, value) ${order}), '[]')
      from submission_values where submission_uuid = submissions.uuid)`;

/** V12: by field, then by record with null first. */
export const FIND_SUBMISSION_WITH_VALUES = statement(
  'submissions.find_with_values',
  `select ${COLUMNS}, ${valuesIn('order by field_id, entity_record_id nulls first')}
   from submissions where ${OWN}`,
  { ...SUBMISSION, values: json<StoredValue[]>() },
);

/** As much as conditions look at, to which the order means nothing. */
export const FIND_VALUES = statement(
  'submissions.find_values',
  `select form_id, ${valuesIn('')} from submissions where ${OWN}`,
  { form_id: integer, values: json<StoredValue[]>() },
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
  SUBMISSION,
);

const MOVED: Columns<MovedSubmission> = {
  uuid: text,
  form_id: integer,
  current_step: integer,
  updated_at: text,
};

const MOVED_COLUMNS = `uuid, form_id, current_step, ${isoTimestamp('updated_at')}`;

// To look whether there is a step takes less than to count all of them.
const hasStep = (position: string) =>
  `exists (select from steps where steps.form_id = submissions.form_id offset ${position} - 1)`;

/** S9: one statement, so that no burst of calls passes the last step. */
export const ADVANCE_SUBMISSION = lockingStatement(
  'submissions.advance',
  `update submissions set current_step = current_step + 1, updated_at = ${NEXT_UPDATED_AT}
    where ${OWN} and ${UNCHANGED} and status = 'draft' and ${hasStep('current_step + 1')}
  returning ${MOVED_COLUMNS}`,
  MOVED,
);

/** Back by one, and onto the last step from beyond it: the form may have lost steps meanwhile. */
export const RETREAT_SUBMISSION = lockingStatement(
  'submissions.retreat',
  `update submissions
      set current_step = case when ${hasStep('current_step - 1')} then current_step - 1 else ${STEP_COUNT} end,
          updated_at = ${NEXT_UPDATED_AT}
    where ${OWN} and ${UNCHANGED} and status = 'draft' and current_step > 1 and ${hasStep('1')}
  returning ${MOVED_COLUMNS}`,
  MOVED,
);

/** What storing values came to. */
interface StoreOutcome {
  /** Null where nothing was stored. */
  readonly updated_at: string | null;
  /** Records that were named and are not the submission's own; null for none. */
  readonly foreign_records: readonly number[] | null;
}

/**
 * V3, V5, V7: stores all entries or none. The update of the submission comes first and locks it, so that parallel
 * calls take turns. `$4` is the form that the entries were checked against, `$5` to `$8` are their columns, no key twice
 * among them, `$9` all records that were named.
 */
export const STORE_VALUES = lockingStatement<StoreOutcome>(
  'submissions.store_values',
  `with foreign_records as (
     select json_agg(id) as ids from unnest($9::integer[]) id
      where not exists (select from entity_records where submission_uuid = $1 and entity_records.id = id.id)
   ), written as (
     update submissions set updated_at = ${NEXT_UPDATED_AT}
      where ${OWN} and ${UNCHANGED} and form_id = $4 and status = 'draft' and (select ids from foreign_records) is null
     returning uuid, form_id, updated_at
   ), stored as (
     insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, entity_record_id, value)
     select uuid, form_id, entry.* from written, unnest($5::integer[], $6::boolean[], $7::integer[], $8::text[]) entry
     on conflict (submission_uuid, field_id, record_key)
       do update set value = excluded.value, entity_record_id = excluded.entity_record_id
   )
   select (select ${isoTimestamp('updated_at')} from written), (select ids from foreign_records)`,
  { updated_at: nullable(text), foreign_records: nullable(json<number[]>()) },
);
