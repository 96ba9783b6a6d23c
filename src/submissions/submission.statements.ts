import type { StoredValue } from '../conditions/engine/index.js';
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
import type { SubmissionReference } from './submission-reference.decorator.js';

/** A submission's own columns, with timestamps in wire format. */
export interface SubmissionRow {
  readonly uuid: string;
  readonly form_id: number;
  readonly status: Status;
  /** The position of the submission's step now, from 1 (S14). */
  readonly current_step: number;
  readonly meta: Record<string, unknown> | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * What a hot statement reads of the step of a submission, because the service can find the position in the form: see `positionIn`.
 */
export interface StoredStep {
  /** Null: the position that is stored holds. */
  readonly step_id: number | null;
  /** The position when the submission last moved. */
  readonly stored_position: number;
}

/** Adds what only responses to creating, reading and listing show. */
export interface ShownSubmission extends SubmissionRow {
  /** A test is deleted after a day, and nothing counts it. */
  readonly is_test: boolean;
  /** The versions of the form in which it was begun and completed. Null: not known, or not completed (N2). */
  readonly begun_version: number | null;
  readonly completed_version: number | null;
}

/** The version of the form that the position of the submission is from (N1). */
interface OfVersion {
  readonly form_version: number;
}

export type VersionedSubmission = SubmissionRow & OfVersion;

export type PatchedSubmission = Omit<SubmissionRow, 'current_step'> &
  StoredStep &
  Pick<ShownSubmission, 'completed_version'>;

/** Adds the number of the form's steps, and upper bounds for the stored values (null: not counted yet). */
export interface FoundSubmission extends VersionedSubmission {
  readonly step_count: number;
  readonly value_count: number | null;
  readonly value_bytes: number | null;
}

/** The columns that advancing and retreating return. The submission stays a draft. */
export type MovedSubmission = Pick<
  PatchedSubmission,
  'uuid' | 'form_id' | 'step_id' | 'stored_position' | 'updated_at'
>;

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

const STEP_COUNT = '(select count(*) from steps where steps.form_id = submissions.form_id)';

const FORM_VERSION = '(select forms.version from forms where forms.id = submissions.form_id)';

/**
 * The position of a submission among the steps of its form, from 1 (S14). The submission keeps the id of its step. If this step was
 * deleted, `deleted_steps` names the step before it. If another program has moved or begun the submission by `current_step`
 * alone, this position holds. The function `formtrail_position` is the same for triggers.
 */
export const POSITION = `(select greatest(1, case when submissions.step_position = submissions.current_step
      then count(*) filter (where until.step_number <= (
        select held.step_number from steps as held
         where held.form_id = submissions.form_id and held.id = coalesce(
           (select moved_to from deleted_steps where deleted_steps.id = submissions.step_id), submissions.step_id)))
      else least(submissions.current_step, count(*)) end)::integer
    from steps as until where until.form_id = submissions.form_id)`;

const columnsWith = (position: string) => `submissions.uuid, submissions.form_id, status, ${position}, meta,
  ${microseconds('created_at')}, ${microseconds('updated_at')}`;

const COLUMNS = columnsWith(POSITION);

const STEP_ID = 'case when submissions.step_position = submissions.current_step then submissions.step_id end';
const STORED_COLUMNS = columnsWith(`${STEP_ID}, submissions.current_step`);

const BEFORE_STEP = { uuid: text, form_id: integer, status: text as Read<SubmissionRow['status']> };
const AFTER_STEP = {
  meta: nullable(json<Record<string, unknown>>()),
  created_at: isoOf,
  updated_at: isoOf,
};
const SUBMISSION: Columns<SubmissionRow> = { ...BEFORE_STEP, current_step: integer, ...AFTER_STEP };
const STORED_SUBMISSION = {
  ...BEFORE_STEP,
  step_id: nullable(integer),
  stored_position: integer,
  ...AFTER_STEP,
};

const SHOWN_ONLY = 'is_test, begun_version, completed_version';
export const SHOWN_COLUMNS = `${COLUMNS}, ${SHOWN_ONLY}`;
/** A new draft is on the first step of the version in which it is begun. */
const CREATED_COLUMNS = `${columnsWith('current_step')}, ${SHOWN_ONLY}`;

const SHOWN = {
  is_test: boolean,
  begun_version: nullable(integer),
  completed_version: nullable(integer),
};
export const SHOWN_SUBMISSION: Columns<ShownSubmission> = { ...SUBMISSION, ...SHOWN };

const FOUND: Columns<FoundSubmission> = {
  ...SUBMISSION,
  value_count: nullable(integer),
  value_bytes: nullable(integer),
  step_count: integer,
  form_version: integer,
};
const FOUND_COLUMNS = `${COLUMNS}, value_count, value_bytes, ${STEP_COUNT}, ${FORM_VERSION}`;
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
    : numberList(ifMatch.map(microsecondsOf).filter((one) => one !== undefined));
}

/** Formats numbers as a parameter for {@link numbersIn}. */
export const numberList = (numbers: readonly (number | string)[]): string => numbers.join();

export const numbersIn = (list: string) => `string_to_array(${list}, ',')::bigint[]`;

const IS_OWNED = 'submissions.uuid = input.uuid and submissions.user_id = input.user_id';

export const IS_OWNED_AND_UNCHANGED = `${IS_OWNED}
      and (if_match is null or ${microseconds('updated_at')} = any (${numbersIn('if_match')}))`;

/**
 * For statements whose first parameters are {@link versionOf}. Skips a submission that another transaction has locked, so that the request
 * waits without a connection (ADR 7).
 */
export const unlockedAndUnchanged = (lock = 'for no key update') => `${OWN}
      and exists (select from submissions as own where own.uuid = $1 and own.user_id = $2 ${lock} skip locked)
      and ($3::text is null or ${microseconds('updated_at')} = any (${numbersIn('$3::text')}))`;

/** The first parameters of writes: the submission, its user, and the versions that the request expects (S11). */
export const versionOf = ({ uuid, userId, ifMatch }: SubmissionReference) =>
  [uuid, userId, ifMatchVersions(ifMatch)] as const;

export const LOCKS = {
  locks: { join: `join submissions on ${IS_OWNED}`, lock: 'for no key update of submissions' },
};

/** Strictly increasing even if the clock stands still, because it is the ETag (S6, S11). */
export const NEXT_UPDATED_AT = laterThan('updated_at');

const NEW_SUBMISSION = {
  ...{ uuid: 'uuid', form_id: 'integer', user_id: 'integer', begun_version: 'integer', step_id: 'integer' },
} as const;

export const CREATE_SUBMISSION = batchedStatement(
  'submissions.create',
  NEW_SUBMISSION,
  (input) => `insert into submissions (uuid, form_id, user_id, begun_version, step_id, step_position)
   select uuid, form_id, user_id, begun_version, step_id, 1 from ${input}
   returning array_position($1, uuid), ${CREATED_COLUMNS}`,
  SHOWN_SUBMISSION,
  {
    locks: {
      join: 'join users on users.id = input.user_id join forms on forms.id = input.form_id',
      // The foreign keys take the same locks.
      lock: 'for key share of users, forms',
    },
  },
);

/**
 * Like {@link CREATE_SUBMISSION}, if all conditions hold. Locks the user first: a volatile condition then sees every draft that
 * another transaction has committed. Without `offset 0`, PostgreSQL would evaluate the conditions before it locks.
 */
export const createSubmissionWhere = (name: string, conditions: readonly string[]) =>
  batchedStatement(
    name,
    { ...NEW_SUBMISSION, is_test: 'boolean' },
    (
      input,
    ) => `insert into submissions (uuid, form_id, user_id, begun_version, step_id, step_position, is_test)
   select uuid, form_id, user_id, begun_version, step_id, 1, is_test
     from ${input} where ${['true', ...conditions].join(' and ')}
   returning array_position($1, uuid), ${CREATED_COLUMNS}`,
    SHOWN_SUBMISSION,
    {
      locks: {
        join: 'join users on users.id = input.user_id join forms on forms.id = input.form_id',
        lock: 'offset 0 for key share of forms skip locked for no key update of users',
      },
    },
  );

export const FIND_SUBMISSION = statement(
  'submissions.find',
  `select ${FOUND_COLUMNS} from submissions where ${OWN}`,
  FOUND,
);

/** Finds out why a submission was not created: the form or the user was deleted, or one of them is locked. */
export const FIND_FORM_AND_USER = statement(
  'submissions.find_form_and_user',
  'select exists (select from forms where id = $1), exists (select from users where id = $2)',
  { hasForm: boolean, hasUser: boolean },
);

/**
 * Locks the submission, so that no other transaction writes to it or stores values in it (S12). Returns no row if another
 * transaction has locked it.
 */
export const LOCK_SUBMISSION = statement(
  'submissions.lock',
  `select ${FOUND_COLUMNS} from submissions where ${OWN} for no key update skip locked`,
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
  Unparsed<Omit<ShownSubmission, 'current_step'> & StoredStep & ValuesAndRecordsRow>,
  keyof typeof READ
>(
  'submissions.find_with_values',
  READ,
  (input) =>
    `select position, ${STORED_COLUMNS}, ${SHOWN_ONLY}, ${valuesIn('order by field_id, entity_record_id nulls first')},
       ${recordsWhere(IS_OF_INPUT)}
    from ${input} join submissions on ${IS_OWNED}`,
  { ...STORED_SUBMISSION, ...SHOWN, values: nullable(text), records: json<StoredRecord[]>() },
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
 * A draft that is completed keeps the version of its form (N2), and which values were hidden (X1): see `hidden-values.ts`. If the
 * values were checked, the form must still have this version (S4). `$4` is the status, `$5` the meta, `$6` the version, `$7` whether the
 * values were checked, `$8` the hidden values.
 */
export const PATCH_SUBMISSION = statement(
  'submissions.patch',
  `update submissions
      set status = coalesce($4::varchar, status),
          meta = case when $5::json is null then meta else nullif($5::json::text, 'null')::json end,
          completed_version = case when status = 'draft' and $4 = 'completed' then $6::integer else completed_version end,
          hidden_values = case when status = 'draft' and $4 = 'completed' then string_to_array($8::text, ',') else hidden_values end,
          updated_at = ${NEXT_UPDATED_AT}
    where ${unlockedAndUnchanged()}
      and case when status = 'draft' then not $7::boolean or ${FORM_VERSION} = $6 else $4 is distinct from 'draft' end
  returning ${STORED_COLUMNS}, completed_version`,
  { ...STORED_SUBMISSION, completed_version: nullable(integer) },
);

/**
 * Foreign keys delete the values and records together with the submission (O2). The lock is that of the deletion itself, which waits for
 * requests that are adding a value or a record.
 */
export const DELETE_SUBMISSION = statement(
  'submissions.delete',
  `delete from submissions where ${unlockedAndUnchanged('for update')} and status = 'draft' returning true`,
  { isDeleted: boolean },
);

const MOVED: Columns<MovedSubmission> = {
  uuid: text,
  form_id: integer,
  step_id: integer,
  stored_position: integer,
  updated_at: isoOf,
};
const MOVED_COLUMNS = `submissions.uuid, submissions.form_id, submissions.step_id, current_step, ${microseconds('updated_at')}`;

/** Whether `held` is the step of the submission. */
const IS_SETTLED = `submissions.step_position = submissions.current_step
      and held.id = submissions.step_id and held.form_id = submissions.form_id`;

/** Moves to the nearest step on one side of the current step. `current_step` and `step_position` stay equal, so that the `step_id` holds. */
const moveToNearest =
  (side: '>' | '<', order: 'asc' | 'desc', position: string) => (input: string) => `update submissions
      set current_step = ${position}, updated_at = ${NEXT_UPDATED_AT}, step_id = reached.id, step_position = ${position}
     from ${input}
    cross join steps as held
    cross join lateral (
      select near.id from steps as near where near.form_id = held.form_id and near.step_number ${side} held.step_number
       order by near.step_number ${order} limit 1
    ) as reached
    where ${IS_OWNED_AND_UNCHANGED} and status = 'draft' and ${IS_SETTLED}
  returning position, ${MOVED_COLUMNS}`;

/** A single statement, so that no burst of calls moves past the last step (S9). */
export const ADVANCE_SUBMISSION = batchedStatement(
  'submissions.advance',
  UNCHANGED,
  moveToNearest('>', 'asc', 'current_step + 1'),
  MOVED,
  LOCKS,
);

export const RETREAT_SUBMISSION = batchedStatement(
  'submissions.retreat',
  UNCHANGED,
  moveToNearest('<', 'desc', 'greatest(1, current_step - 1)'),
  MOVED,
  LOCKS,
);

/**
 * Stores the id of the step that a draft is on, if its own was deleted, or if another program has moved it by `current_step`. The ETag
 * stays. Only then can {@link ADVANCE_SUBMISSION} and {@link RETREAT_SUBMISSION} move the draft, which are simpler thereby.
 */
export const SETTLE_SUBMISSION = statement(
  'submissions.settle',
  `update submissions
      set (current_step, step_id, step_position) = (
        select found.position, reached.id, found.position
          from (select ${POSITION} as position offset 0) as found
         cross join lateral (
           select near.id from steps as near where near.form_id = submissions.form_id
            order by near.step_number offset found.position - 1 limit 1
         ) as reached)
    where ${unlockedAndUnchanged()} and status = 'draft' and ${STEP_COUNT} > 0
      and not exists (select from steps as held where ${IS_SETTLED})
  returning true`,
  { isSettled: boolean },
);

/** Moves to step `$4` at position `$5` of version `$6` of the form, and only while the form has this version (S12, C13). */
export const MOVE_SUBMISSION = statement(
  'submissions.move',
  `update submissions
      set current_step = $5::integer, updated_at = ${NEXT_UPDATED_AT}, step_id = $4::integer, step_position = $5
    where ${unlockedAndUnchanged()} and status = 'draft' and ${FORM_VERSION} = $6::integer
  returning ${MOVED_COLUMNS}`,
  MOVED,
);
