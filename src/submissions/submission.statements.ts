import type { StoredValue } from '../rules/index.js';
import {
  boolean,
  type Columns,
  integer,
  json,
  nullable,
  type Read,
  batchedStatement,
  statement,
  text,
} from '../database/statement.js';
import { isoOf, isoTimestamp, laterThan, microseconds, microsecondsOf } from '../database/iso-timestamp.js';
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

/** With the number of its form's steps, and an upper bound of what it holds (null: not counted yet). */
export interface FoundSubmission extends SubmissionRow {
  readonly step_count: number;
  readonly value_count: number | null;
  readonly value_bytes: number | null;
}

/** The columns that advancing and retreating return. The submission stays a draft. */
export type MovedSubmission = Pick<SubmissionRow, 'uuid' | 'form_id' | 'current_step' | 'updated_at'>;

/** What is stored in a submission. */
export interface ValuesRow {
  readonly form_id: number;
  readonly values: readonly StoredValue[];
}

export interface ValuesAndRecordsRow extends ValuesRow {
  /** By id (R5). */
  readonly records: readonly StoredRecord[];
}

export const COLUMNS = `submissions.uuid, submissions.form_id, status, current_step, meta,
  ${microseconds('created_at')}, ${microseconds('updated_at')}`;

export const SUBMISSION: Columns<SubmissionRow> = {
  uuid: text,
  form_id: integer,
  status: text as Read<SubmissionRow['status']>,
  current_step: integer,
  meta: nullable(json<Record<string, unknown>>()),
  created_at: isoOf,
  updated_at: isoOf,
};

const FOUND: Columns<FoundSubmission> = {
  ...SUBMISSION,
  value_count: nullable(integer),
  value_bytes: nullable(integer),
  step_count: integer,
};
const FOUND_COLUMNS = `${COLUMNS}, value_count, value_bytes`;
const STEP_COUNT = '(select count(*) from steps where steps.form_id = submissions.form_id)';
const OWN = 'uuid = $1 and user_id = $2';

/** The submission that a request names, and its owner. */
const OWNED = { uuid: 'uuid', user_id: 'integer' } as const;

/** For writes also S11: {@link ifMatchVersions}. */
export const UNCHANGED = { ...OWNED, if_match: 'text' } as const;

/**
 * The ETags of `If-Match` as a statement takes them, or null without a condition. Leaves out ETags that are no timestamp,
 * because they match no submission.
 */
export function ifMatchVersions(ifMatch: readonly string[] | undefined): string | null {
  return ifMatch === undefined
    ? null
    : listOf(ifMatch.map(microsecondsOf).filter((one) => one !== undefined));
}

/** Numbers for {@link numbersIn}. */
export const listOf = (numbers: readonly (number | string)[]): string => numbers.join();

export const numbersIn = (list: string) => `string_to_array(${list}, ',')::bigint[]`;

const IS_OWNED = 'submissions.uuid = input.uuid and submissions.user_id = input.user_id';

export const IS_OWNED_AND_UNCHANGED = `${IS_OWNED}
      and (if_match is null or ${microseconds('updated_at')} = any (${numbersIn('if_match')}))`;

export const LOCKS = {
  locks: { join: `join submissions on ${IS_OWNED}`, lock: 'for no key update of submissions' },
};

/** Strictly increasing even if the clock stands still, because it is the ETag (S6, S11). */
export const NEXT_UPDATED_AT = laterThan('updated_at');

export const CREATE_SUBMISSION = batchedStatement(
  'submissions.create',
  { uuid: 'uuid', form_id: 'integer', user_id: 'integer' },
  (input) => `insert into submissions (uuid, form_id, user_id) select uuid, form_id, user_id from ${input}
   returning array_position($1, uuid), ${COLUMNS}`,
  SUBMISSION,
  {
    locks: {
      join: 'join users on users.id = input.user_id join forms on forms.id = input.form_id',
      // The same locks as those of the foreign keys.
      lock: 'for key share of users, forms',
    },
  },
);

export const FIND_SUBMISSION = statement(
  'submissions.find',
  `select ${FOUND_COLUMNS}, ${STEP_COUNT} from submissions where ${OWN}`,
  FOUND,
);

/** Why a submission was not created: one of them is gone, or else locked. */
export const FIND_FORM_AND_USER = batchedStatement(
  'submissions.find_form_and_user',
  { form_id: 'integer', user_id: 'integer' },
  (input) => `select position, exists (select from forms where id = input.form_id),
    exists (select from users where id = input.user_id) from ${input}`,
  { hasForm: boolean, hasUser: boolean },
);

/**
 * S4: until the transaction ends, nobody else writes to the submission or stores values in it. Gives nothing where others
 * have locked it.
 */
export const LOCK_SUBMISSION = statement(
  'submissions.lock',
  `select ${FOUND_COLUMNS}, ${STEP_COUNT} from submissions where ${OWN} for no key update skip locked`,
  FOUND,
);

export const IS_OF_INPUT = 'submission_uuid = input.uuid';

const valuesIn = (order: string) =>
  `(select coalesce(json_agg(json_build_array(field_id, entity_record_id, value) ${order}), '[]')
      from submission_values where ${IS_OF_INPUT})`;

/** An entity record: its id, its entity's, and on the wire when it was made. */
export type StoredRecord = readonly [id: number, entityId: number, createdAt: string];

export const recordsWhere = (condition: string) => `(select coalesce(json_agg(
       json_build_array(id, entity_id, ${isoTimestamp('entity_records.created_at')}) order by id), '[]')
      from entity_records where ${condition})`;

/** V12: by field, then by record with null first. */
export const FIND_SUBMISSION_WITH_VALUES = batchedStatement(
  'submissions.find_with_values',
  OWNED,
  (input) =>
    `select position, ${COLUMNS}, ${valuesIn('order by field_id, entity_record_id nulls first')},
       ${recordsWhere(IS_OF_INPUT)}
    from ${input} join submissions on ${IS_OWNED}`,
  { ...SUBMISSION, values: json<StoredValue[]>(), records: json<StoredRecord[]>() },
);

/** As much as conditions look at, to which the order means nothing. */
export const FIND_VALUES = batchedStatement(
  'submissions.find_values',
  OWNED,
  (input) => `select position, form_id, ${valuesIn('')}
    from ${input} join submissions on ${IS_OWNED}`,
  { form_id: integer, values: json<StoredValue[]>() },
);

/** And with the records, for whoever looks at each of them (R6). */
export const FIND_VALUES_AND_RECORDS = batchedStatement(
  'submissions.find_values_and_records',
  OWNED,
  (input) => `select position, form_id, ${valuesIn('')}, ${recordsWhere(IS_OF_INPUT)}
    from ${input} join submissions on ${IS_OWNED}`,
  { form_id: integer, values: json<StoredValue[]>(), records: json<StoredRecord[]>() },
);

/** S3, S5: status and meta are null where they were not given; a meta that is to be null is the text `null`. */
export const PATCH_SUBMISSION = batchedStatement(
  'submissions.patch',
  { ...UNCHANGED, new_status: 'varchar', new_meta: 'json' },
  (input) => `update submissions
      set status = coalesce(new_status, status),
          meta = case when new_meta is null then meta else nullif(new_meta::text, 'null')::json end,
          updated_at = ${NEXT_UPDATED_AT}
     from ${input}
    where ${IS_OWNED_AND_UNCHANGED} and (status = 'draft' or new_status is distinct from 'draft')
  returning position, ${COLUMNS}`,
  SUBMISSION,
  LOCKS,
);

/** O2: values and records go with it. */
export const DELETE_SUBMISSION = batchedStatement(
  'submissions.delete',
  UNCHANGED,
  (input) => `delete from submissions using ${input}
    where ${IS_OWNED_AND_UNCHANGED} and status = 'draft'
  returning position`,
  {},
  // As the deletion will: whoever is adding a value or a record holds it off.
  { locks: { ...LOCKS.locks, lock: 'for update of submissions' } },
);

const MOVED: Columns<MovedSubmission> = {
  uuid: text,
  form_id: integer,
  current_step: integer,
  updated_at: isoOf,
};

const MOVED_COLUMNS = `submissions.uuid, form_id, current_step, ${microseconds('updated_at')}`;

// To look whether there is a step takes less than to count all of them.
const hasStep = (position: string) =>
  `exists (select from steps where steps.form_id = submissions.form_id offset ${position} - 1)`;

/** S9: one statement, so that no burst of calls passes the last step. */
export const ADVANCE_SUBMISSION = batchedStatement(
  'submissions.advance',
  UNCHANGED,
  (input) => `update submissions set current_step = current_step + 1, updated_at = ${NEXT_UPDATED_AT}
     from ${input}
    where ${IS_OWNED_AND_UNCHANGED} and status = 'draft' and ${hasStep('current_step + 1')}
  returning position, ${MOVED_COLUMNS}`,
  MOVED,
  LOCKS,
);

/** Back by one, and onto the last step from beyond it: the form may have lost steps meanwhile. */
export const RETREAT_SUBMISSION = batchedStatement(
  'submissions.retreat',
  UNCHANGED,
  (input) => `update submissions
      set current_step = case when ${hasStep('current_step - 1')} then current_step - 1 else ${STEP_COUNT} end,
          updated_at = ${NEXT_UPDATED_AT}
     from ${input}
    where ${IS_OWNED_AND_UNCHANGED} and status = 'draft' and current_step > 1 and ${hasStep('1')}
  returning position, ${MOVED_COLUMNS}`,
  MOVED,
  LOCKS,
);
