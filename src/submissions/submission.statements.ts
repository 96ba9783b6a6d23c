import type { StoredValue } from '../rules/index.js';
import {
  boolean,
  type Columns,
  integer,
  json,
  nullable,
  type Read,
  sharedStatement,
  statement,
  text,
} from '../database/statement.js';
import type { Layout } from '../database/distribution/layout.js';
import { isoOf, isoTimestamp, microseconds, microsecondsOf } from '../database/iso-timestamp.js';
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

/** With the number of its form's steps, and what it holds at most (null: not counted yet). */
export interface FoundSubmission extends SubmissionRow {
  readonly step_count: number;
  readonly value_count: number | null;
  readonly value_bytes: number | null;
}

/** What advancing and retreating tell of a submission, which was and stays a draft. */
export type MovedSubmission = Pick<SubmissionRow, 'uuid' | 'form_id' | 'current_step' | 'updated_at'>;

export type { StoredValue };

/** What is stored in a submission. */
export interface ValuesRow {
  readonly form_id: number;
  readonly values: readonly StoredValue[];
}

export interface ValuesAndRecordsRow extends ValuesRow {
  /** By id (R5). */
  readonly records: readonly StoredRecord[];
}

const COLUMNS = `submissions.uuid, submissions.form_id, status, current_step, meta,
  ${microseconds('created_at')}, ${microseconds('updated_at')}`;

const SUBMISSION: Columns<SubmissionRow> = {
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

const stepCount = ({ steps }: Layout) =>
  `(select count(*) from ${steps} as steps where steps.form_id = submissions.form_id)`;

const OWN = 'uuid = $1 and user_id = $2';

/** Which submission a shared statement is about, and whose it must be. */
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

// To read an array's own syntax is stable instead of immutable, which Citus refuses beside columns.
const numbersIn = (list: string) => `string_to_array(${list}, ',')::bigint[]`;

export const isOwnedAndUnchanged = ({ bound }: Layout) =>
  `submissions.uuid = asked.uuid and submissions.user_id = asked.user_id and ${bound('submissions.uuid')}
      and (if_match is null or ${microseconds('updated_at')} = any (${numbersIn('if_match')}))`;

export const LOCKS = {
  locks: {
    join: ({ bound }: Layout) => `join submissions using (uuid, user_id) where ${bound('submissions.uuid')}`,
    lock: 'for no key update of submissions',
  },
};

// Strictly increasing even if the clock stands still, because it is the ETag (S6, S11). From the last day that can be stored, it
// starts again with the clock. Citus takes stable functions only without columns.
export const NEXT_UPDATED_AT = `greatest(statement_timestamp(),
            ((case when updated_at < '9999-12-31 00:00:00+00' then updated_at end) at time zone 'UTC'
              + interval '1 microsecond') at time zone 'UTC')`;

export const CREATE_SUBMISSION = sharedStatement(
  'submissions.create',
  { uuid: 'uuid', form_id: 'integer', user_id: 'integer' },
  // Of rows that come from a query, Citus would look at all before it sends the first to its shard.
  (asked, { isDistributed }) => `insert into submissions (uuid, form_id, user_id) ${
    isDistributed
      ? 'values (($1::uuid[])[1], ($2::integer[])[1], ($3::integer[])[1])'
      : `select uuid, form_id, user_id from ${asked}`
  }
   returning ${isDistributed ? '1' : 'array_position($1, uuid)'}, ${COLUMNS}`,
  SUBMISSION,
  {
    locks: {
      join: ({ users, forms, isItsShard }) => `join ${users} as users on users.id = asked.user_id
        join ${forms} as forms on forms.id = asked.form_id where ${isItsShard('asked.uuid')}`,
      // As the foreign keys will.
      lock: 'for key share of users, forms',
    },
  },
);

/** One of the user's own in a list, with as much of its form as it takes to name it. */
export interface ListedSubmission extends SubmissionRow {
  readonly form_uuid: string;
  readonly form_name: string;
  readonly form_slug: string;
}

const listOwn = (name: string, ofForm: string) =>
  statement<ListedSubmission>(
    name,
    ({ isDistributed, forms }) => {
      const ofUser = `user_id = $1 and (created_at, submissions.uuid) < ($3::timestamptz, $4::uuid) ${ofForm}`;
      return `select ${COLUMNS}, form_uuid, form_name, form_slug
       from ${
         // Each shard gives a page, of which Citus makes one; it takes no lateral.
         isDistributed
           ? 'submissions'
           : `unnest($2::varchar[]) as wanted (wanted_status)
       cross join lateral (
         select * from submissions where status = wanted_status and ${ofUser}
          order by created_at desc, uuid desc limit $5
       ) as submissions`
       }
       join (select id, uuid as form_uuid, name as form_name, slug as form_slug from ${forms}) as forms
         on forms.id = submissions.form_id
      ${isDistributed ? `where status = any ($2::varchar[]) and ${ofUser}` : ''}
      order by created_at desc, submissions.uuid desc limit $5`;
    },
    { ...SUBMISSION, form_uuid: text, form_name: text, form_slug: text },
  );

/**
 * O1: as many of the user's submissions in these states as are asked for, those created before a moment (with a UUID,
 * among those of the same moment), newest first. An index has those of each state in this order, so that no page looks
 * at more than twice its rows, however far it is from the first.
 */
export const LIST_SUBMISSIONS = listOwn('submissions.list', '');

/** The same of one form, which the index tells apart by itself. */
export const LIST_SUBMISSIONS_OF_FORM = listOwn('submissions.list_of_form', 'and form_id = $6');

export const FIND_SUBMISSION = statement(
  'submissions.find',
  (layout) => `select ${FOUND_COLUMNS}, ${stepCount(layout)} from submissions where ${OWN}`,
  FOUND,
);

/** Why a submission was not created: one of them is gone, or else locked. */
export const FIND_FORM_AND_USER = sharedStatement(
  'submissions.find_form_and_user',
  { form_id: 'integer', user_id: 'integer' },
  (asked) => `select position, exists (select from forms where id = asked.form_id),
    exists (select from users where id = asked.user_id) from ${asked}`,
  { hasForm: boolean, hasUser: boolean },
);

/**
 * S4: until the transaction ends, nobody else writes to the submission or stores values in it. Gives nothing where others
 * have locked it.
 */
export const LOCK_SUBMISSION = statement(
  'submissions.lock',
  (layout) =>
    `select ${FOUND_COLUMNS}, ${stepCount(layout)} from submissions where ${OWN} for no key update skip locked`,
  FOUND,
);

const isOfAsked = ({ bound }: Layout) => `submission_uuid = asked.uuid and ${bound('submission_uuid')}`;

const valuesIn = (order: string, layout: Layout) =>
  `(select coalesce(json_agg(json_build_array(field_id, entity_record_id, value) ${order}), '[]')
      from submission_values where ${isOfAsked(layout)})`;

/** An entity record: its id, its entity's, and on the wire when it was made. */
export type StoredRecord = readonly [id: number, entityId: number, createdAt: string];

export const recordsWhere = (condition: string) => `(select coalesce(json_agg(
       json_build_array(id, entity_id, ${isoTimestamp('entity_records.created_at')}) order by id), '[]')
      from entity_records where ${condition})`;

/** V12: by field, then by record with null first. */
export const FIND_SUBMISSION_WITH_VALUES = sharedStatement(
  'submissions.find_with_values',
  OWNED,
  (asked, layout) =>
    `select position, ${COLUMNS}, ${valuesIn('order by field_id, entity_record_id nulls first', layout)},
       ${recordsWhere(isOfAsked(layout))}
    from ${asked} join submissions using (uuid, user_id) where ${layout.bound('submissions.uuid')}`,
  { ...SUBMISSION, values: json<StoredValue[]>(), records: json<StoredRecord[]>() },
);

/** As much as conditions look at, to which the order means nothing. */
export const FIND_VALUES = sharedStatement(
  'submissions.find_values',
  OWNED,
  (asked, layout) => `select position, form_id, ${valuesIn('', layout)}
    from ${asked} join submissions using (uuid, user_id) where ${layout.bound('submissions.uuid')}`,
  { form_id: integer, values: json<StoredValue[]>() },
);

/** And with the records, for whoever looks at each of them (R6). */
export const FIND_VALUES_AND_RECORDS = sharedStatement(
  'submissions.find_values_and_records',
  OWNED,
  (asked, layout) => `select position, form_id, ${valuesIn('', layout)}, ${recordsWhere(isOfAsked(layout))}
    from ${asked} join submissions using (uuid, user_id) where ${layout.bound('submissions.uuid')}`,
  { form_id: integer, values: json<StoredValue[]>(), records: json<StoredRecord[]>() },
);

/** S3, S5: status and meta are null where they were not given; a meta that is to be null is the text `null`. */
export const PATCH_SUBMISSION = sharedStatement(
  'submissions.patch',
  { ...UNCHANGED, new_status: 'varchar', new_meta: 'json' },
  (asked, layout) => `update submissions
      set status = coalesce(new_status, status),
          meta = case when new_meta is null then meta else nullif(new_meta::text, 'null')::json end,
          updated_at = ${NEXT_UPDATED_AT}
     from ${asked}
    where ${isOwnedAndUnchanged(layout)} and (status = 'draft' or new_status is distinct from 'draft')
  returning position, ${COLUMNS}`,
  SUBMISSION,
  LOCKS,
);

/** O2: values and records go with it. */
export const DELETE_SUBMISSION = sharedStatement(
  'submissions.delete',
  UNCHANGED,
  (asked, layout) => `delete from submissions using ${asked}
    where ${isOwnedAndUnchanged(layout)} and status = 'draft'
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
const hasStep = (position: string, { steps }: Layout) =>
  `exists (select from ${steps} as steps where steps.form_id = submissions.form_id offset ${position} - 1)`;

/** S9: one statement, so that no burst of calls passes the last step. */
export const ADVANCE_SUBMISSION = sharedStatement(
  'submissions.advance',
  UNCHANGED,
  (asked, layout) => `update submissions set current_step = current_step + 1, updated_at = ${NEXT_UPDATED_AT}
     from ${asked}
    where ${isOwnedAndUnchanged(layout)} and status = 'draft' and ${hasStep('current_step + 1', layout)}
  returning position, ${MOVED_COLUMNS}`,
  MOVED,
  LOCKS,
);

/** Back by one, and onto the last step from beyond it: the form may have lost steps meanwhile. */
export const RETREAT_SUBMISSION = sharedStatement(
  'submissions.retreat',
  UNCHANGED,
  (asked, layout) => `update submissions
      set current_step = case when ${hasStep('current_step - 1', layout)} then current_step - 1 else ${stepCount(layout)} end,
          updated_at = ${NEXT_UPDATED_AT}
     from ${asked}
    where ${isOwnedAndUnchanged(layout)} and status = 'draft' and current_step > 1 and ${hasStep('1', layout)}
  returning position, ${MOVED_COLUMNS}`,
  MOVED,
  LOCKS,
);

const isForeignRecord = (uuid: string, { bound }: Layout) =>
  `(select entity_records.id from entity_records
     where submission_uuid = ${uuid} and ${bound('submission_uuid')} and entity_records.id = named.id) is null`;

/**
 * V3, V5, V7: stores all entries of a request or none. Of the entries, in columns, no key comes twice. The update comes first
 * and locks the submission, so that parallel calls take turns. `form_id` is the form that the entries were checked against,
 * `named_records` are all records that were named; they are looked up one by one: to join them, PostgreSQL would read all
 * records that there are, where it planned that while there were few.
 *
 * V9: what the entries add is added to what the submission holds at most, without looking at what they replace. Nothing is written if
 * that is more than `most_values` or `most_bytes`, or was never counted: see `stored-size.statements.ts`.
 */
export const STORE_VALUES = sharedStatement(
  'submissions.store_values',
  {
    ...UNCHANGED,
    form_id: 'integer',
    named_records: 'text',
    field_ids: 'text',
    are_repeatable: 'text',
    record_ids: 'text',
    contents: 'text',
    added_values: 'integer',
    added_bytes: 'integer',
    most_values: 'integer',
    most_bytes: 'integer',
  },
  (asked, layout) => `with written as (
     update submissions set updated_at = ${NEXT_UPDATED_AT},
            value_count = value_count + added_values, value_bytes = value_bytes + added_bytes
       from ${asked}
      where ${isOwnedAndUnchanged(layout)} and submissions.form_id = asked.form_id and status = 'draft'
        and value_count + added_values <= most_values and value_bytes + added_bytes <= most_bytes
        and not exists (select from unnest(${numbersIn('named_records')}) named (id)
          where ${isForeignRecord('asked.uuid', layout)})
     returning position, submissions.uuid, submissions.form_id, updated_at,
       field_ids, are_repeatable, record_ids, contents
   ), stored as (
     insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, entity_record_id, value)
     select uuid, form_id, entry.*
       from written, unnest(
         field_ids::integer[], are_repeatable::boolean[], record_ids::bigint[], contents::text[]) entry
     on conflict (submission_uuid, field_id, record_key)
       do update set value = excluded.value, entity_record_id = excluded.entity_record_id
   )
   select position, ${microseconds('updated_at')} from written`,
  { updated_at: isoOf },
  { sharedBy: 'form_id', ...LOCKS },
);

/** Of the records that were named, those that are not the submission's own. */
export const FIND_FOREIGN_RECORDS = statement(
  'submissions.find_foreign_records',
  `select id from unnest($2::bigint[]) named (id)
    where not exists (select from entity_records where submission_uuid = $1 and entity_records.id = named.id)`,
  { id: integer },
);
