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

/** A submission's own columns, with timestamps in wire format. */
export interface SubmissionRow {
  readonly uuid: string;
  readonly form_id: number;
  readonly status: Status;
  readonly current_step: number;
  readonly meta: Record<string, unknown> | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Adds what only responses to creating, reading and listing show. */
export interface ShownSubmission extends SubmissionRow {
  /** See P10. */
  readonly is_test: boolean;
  /** The versions of the form in which it was begun and completed. Null: not known, or not completed (N2). */
  readonly begun_version: number | null;
  readonly completed_version: number | null;
}

export type PatchedSubmission = SubmissionRow & Pick<ShownSubmission, 'completed_version'>;

/** Adds the number of the form's steps, and upper bounds for the stored values (null: not counted yet). */
export interface FoundSubmission extends SubmissionRow {
  readonly step_count: number;
  readonly value_count: number | null;
  readonly value_bytes: number | null;
}

/** The columns that advancing and retreating return. The submission stays a draft. */
export type MovedSubmission = Pick<SubmissionRow, 'uuid' | 'form_id' | 'current_step' | 'updated_at'>;

/** The stored values of a submission. */
export interface ValuesRow {
  readonly form_id: number;
  readonly values: readonly StoredValue[];
}

export interface ValuesAndRecordsRow extends ValuesRow {
  /** Sorted by id (R5). */
  readonly records: readonly StoredRecord[];
}

/** The stored values and records, with the status and the version of the submission at the same moment. */
export type ReadSubmission = ValuesAndRecordsRow & Pick<SubmissionRow, 'status' | 'updated_at'>;

/** A row as it is read: its values are JSON, or null if the JSON is long and was not asked for. */
export type Unparsed<Row extends ValuesRow> = Omit<Row, 'values'> & { readonly values: string | null };

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

export const SHOWN_COLUMNS = `${COLUMNS}, is_test, begun_version, completed_version`;

export const SHOWN_SUBMISSION: Columns<ShownSubmission> = {
  ...SUBMISSION,
  is_test: boolean,
  begun_version: nullable(integer),
  completed_version: nullable(integer),
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

/** Parameters that name a submission and its owner. */
const OWNED = { uuid: 'uuid', user_id: 'integer' } as const;

/** Parameters of writes, which also check `If-Match` (S11): see {@link ifMatchVersions}. */
export const UNCHANGED = { ...OWNED, if_match: 'text' } as const;

/**
 * Converts the ETags of `If-Match` into a parameter of a statement. Returns null if every version is accepted. Drops ETags
 * that are not timestamps, because they match no submission.
 */
export function ifMatchVersions(ifMatch: readonly string[] | undefined): string | null {
  return ifMatch === undefined
    ? null
    : listOf(ifMatch.map(microsecondsOf).filter((one) => one !== undefined));
}

/** Formats numbers as a parameter for {@link numbersIn}. */
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
  { uuid: 'uuid', form_id: 'integer', user_id: 'integer', begun_version: 'integer' },
  (input) => `insert into submissions (uuid, form_id, user_id, begun_version)
   select uuid, form_id, user_id, begun_version from ${input}
   returning array_position($1, uuid), ${SHOWN_COLUMNS}`,
  SHOWN_SUBMISSION,
  {
    locks: {
      join: 'join users on users.id = input.user_id join forms on forms.id = input.form_id',
      // The foreign keys take the same locks.
      lock: 'for key share of users, forms',
    },
  },
);

/** Maximum number of open drafts of a respondent (P3). */
export const MAX_DRAFTS = 5;

/**
 * Like {@link CREATE_SUBMISSION}, for a respondent. Locks the user first: `formtrail_open_drafts` is volatile, so
 * it then counts every draft that another transaction has committed.
 */
export const CREATE_SUBMISSION_OF_RESPONDENT = batchedStatement(
  'submissions.create_of_respondent',
  { uuid: 'uuid', form_id: 'integer', user_id: 'integer', begun_version: 'integer', is_test: 'boolean' },
  (input) => `insert into submissions (uuid, form_id, user_id, begun_version, is_test)
   select uuid, form_id, user_id, begun_version, is_test from ${input} where formtrail_open_drafts(user_id) < ${MAX_DRAFTS}
   returning array_position($1, uuid), ${SHOWN_COLUMNS}`,
  SHOWN_SUBMISSION,
  {
    locks: {
      join: 'join users on users.id = input.user_id join forms on forms.id = input.form_id',
      lock: 'for key share of forms skip locked for no key update of users',
    },
  },
);

export const COUNT_OPEN_DRAFTS = statement(
  'submissions.count_open_drafts',
  `select count(*) from submissions where user_id = $1 and status = 'draft'`,
  { count: integer },
);

export const FIND_SUBMISSION = statement(
  'submissions.find',
  `select ${FOUND_COLUMNS}, ${STEP_COUNT} from submissions where ${OWN}`,
  FOUND,
);

/** Finds out why a submission was not created: the form or the user was deleted, or one of them is locked. */
export const FIND_FORM_AND_USER = batchedStatement(
  'submissions.find_form_and_user',
  { form_id: 'integer', user_id: 'integer' },
  (input) => `select position, exists (select from forms where id = input.form_id),
    exists (select from users where id = input.user_id) from ${input}`,
  { hasForm: boolean, hasUser: boolean },
);

/**
 * Locks the submission, so that no other transaction writes to it or stores values in it (S12). Returns no row if another
 * transaction has locked it.
 */
export const LOCK_SUBMISSION = statement(
  'submissions.lock',
  `select ${FOUND_COLUMNS}, ${STEP_COUNT} from submissions where ${OWN} for no key update skip locked`,
  FOUND,
);

export const IS_OF_INPUT = 'submission_uuid = input.uuid';

/** Bytes. JSON of values that is longer is read, parsed and evaluated apart from other requests. */
export const LONG_JSON = 65_536;

/**
 * Parameters of reads. `long_of` is the UUID again if long values are wanted, and null otherwise. Requests for long values share no
 * batch, because the service would receive and parse all values of a batch at once.
 */
const READ = { ...OWNED, long_of: 'uuid' } as const;
const ONE_IF_LONG = { batchedBy: 'long_of' } as const;

const valuesIn = (order: string) =>
  `(select case when long_of is not null or octet_length(list) <= ${LONG_JSON} then list end from (
      select coalesce(json_agg(json_build_array(field_id, entity_record_id, value) ${order})::text, '[]') as list
        from submission_values where ${IS_OF_INPUT}) as stored)`;

/** An entity record: its id, the id of its entity, and its time of creation in wire format. */
export type StoredRecord = readonly [id: number, entityId: number, createdAt: string];

export const recordsWhere = (condition: string) => `(select coalesce(json_agg(
       json_build_array(id, entity_id, ${isoTimestamp('entity_records.created_at')}) order by id), '[]')
      from entity_records where ${condition})`;

/** The values are sorted by field, then by record with null first (V12). */
export const FIND_SUBMISSION_WITH_VALUES = batchedStatement<
  Unparsed<ShownSubmission & ValuesAndRecordsRow>,
  keyof typeof READ
>(
  'submissions.find_with_values',
  READ,
  (input) =>
    `select position, ${SHOWN_COLUMNS}, ${valuesIn('order by field_id, entity_record_id nulls first')},
       ${recordsWhere(IS_OF_INPUT)}
    from ${input} join submissions on ${IS_OWNED}`,
  { ...SHOWN_SUBMISSION, values: nullable(text), records: json<StoredRecord[]>() },
  ONE_IF_LONG,
);

/** Returns only what conditions need. The values are unsorted, because conditions do not depend on their order. */
export const FIND_VALUES = batchedStatement<Unparsed<ValuesRow>, keyof typeof READ>(
  'submissions.find_values',
  READ,
  (input) => `select position, form_id, ${valuesIn('')}
    from ${input} join submissions on ${IS_OWNED}`,
  { form_id: integer, values: nullable(text) },
  ONE_IF_LONG,
);

/** Like {@link FIND_VALUES}, with the records, for the conditions of each record (R6). */
export const FIND_VALUES_AND_RECORDS = batchedStatement<Unparsed<ReadSubmission>, keyof typeof READ>(
  'submissions.find_values_and_records',
  READ,
  (
    input,
  ) => `select position, form_id, status, ${microseconds('updated_at')}, ${valuesIn('')}, ${recordsWhere(IS_OF_INPUT)}
    from ${input} join submissions on ${IS_OWNED}`,
  {
    form_id: integer,
    status: SUBMISSION.status,
    updated_at: isoOf,
    values: nullable(text),
    records: json<StoredRecord[]>(),
  },
  ONE_IF_LONG,
);

/**
 * Updates status and meta (S3, S5). A parameter is null if the request omits the property. The JSON text `null` clears the meta.
 * A draft that is completed keeps the version of its form (N2), and which values were hidden (X1): see `hidden-values.ts`.
 */
export const PATCH_SUBMISSION = batchedStatement(
  'submissions.patch',
  { ...UNCHANGED, new_status: 'varchar', new_meta: 'json', form_version: 'integer', hidden: 'text' },
  (input) => `update submissions
      set status = coalesce(new_status, status),
          completed_version = case when status = 'draft' and new_status = 'completed' then form_version else completed_version end,
          hidden_values = case when status = 'draft' and new_status = 'completed' then string_to_array(hidden, ',') else hidden_values end,
          meta = case when new_meta is null then meta else nullif(new_meta::text, 'null')::json end,
          updated_at = ${NEXT_UPDATED_AT}
     from ${input}
    where ${IS_OWNED_AND_UNCHANGED} and (status = 'draft' or new_status is distinct from 'draft')
  returning position, ${COLUMNS}, completed_version`,
  { ...SUBMISSION, completed_version: nullable(integer) },
  LOCKS,
);

/** Foreign keys delete the values and records together with the submission (O2). */
export const DELETE_SUBMISSION = batchedStatement(
  'submissions.delete',
  UNCHANGED,
  (input) => `delete from submissions using ${input}
    where ${IS_OWNED_AND_UNCHANGED} and status = 'draft'
  returning position`,
  {},
  // Locks like the deletion itself, which waits for requests that are adding a value or a record.
  { locks: { ...LOCKS.locks, lock: 'for update of submissions' } },
);

const MOVED: Columns<MovedSubmission> = {
  uuid: text,
  form_id: integer,
  current_step: integer,
  updated_at: isoOf,
};

const MOVED_COLUMNS = `submissions.uuid, form_id, current_step, ${microseconds('updated_at')}`;

// Checking for a step at this position is cheaper than counting all steps.
const hasStep = (position: string) =>
  `exists (select from steps where steps.form_id = submissions.form_id offset ${position} - 1)`;

/** A single statement, so that no burst of calls moves past the last step (S9). */
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

/** Moves back by one step. A draft beyond the last step moves to the last step: the form may have lost steps. */
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

/** Moves from one position to another, unless the submission has moved meanwhile (C13). */
export const MOVE_SUBMISSION = batchedStatement(
  'submissions.move',
  { ...UNCHANGED, from_step: 'integer', to_step: 'integer' },
  (input) => `update submissions set current_step = to_step, updated_at = ${NEXT_UPDATED_AT}
     from ${input}
    where ${IS_OWNED_AND_UNCHANGED} and status = 'draft' and current_step = from_step
  returning position, ${MOVED_COLUMNS}`,
  MOVED,
  LOCKS,
);
