import { isoOf, microsecondsSql } from '../../database/iso-timestamp.js';
import { batchedStatement, integer, statement } from '../../database/statement.js';
import {
  IS_OF_INPUT,
  IS_OWNED_AND_UNCHANGED,
  LOCKS,
  NEXT_UPDATED_AT,
  numbersSql,
  UNCHANGED,
} from '../submission.columns.js';
import { MAX_TEXT, MAX_VALUES, TEXT_BYTES } from './stored-size.js';

const IS_FOREIGN_RECORD = `(select entity_records.id from entity_records
     where ${IS_OF_INPUT} and entity_records.id = named.id) is null`;

/** Whether the counters, which are upper bounds, prove that the entries fit. */
const FITS_SURELY = `own.value_count + added_values <= ${MAX_VALUES} and own.value_bytes + added_bytes <= ${MAX_TEXT}`;

/** The values that the entries replace. The limit makes PostgreSQL look up one value at a time. */
const REPLACED = `unnest(field_ids::integer[], are_repeatable::boolean[], record_ids::bigint[]) as entry (field_id, is_repeatable, record_id),
     lateral (select ${TEXT_BYTES} as bytes from submission_values
       where ${IS_OF_INPUT} and submission_values.field_id = entry.field_id
         and record_key = case when entry.is_repeatable then coalesce(entry.record_id, 0) else 0 end limit 1) as old`;

/**
 * The counters of the submission after the entries are stored (V9), or no row if these would exceed a limit. If the counters do not prove
 * that the entries fit, all values are counted. A submission that has exceeded a limit since before the limits existed may change as
 * long as it does not grow.
 */
const NEXT_SIZE = `select own.updated_at as seen_at, own.value_count + added_values as count, own.value_bytes + added_bytes as bytes
       from submissions as own where own.uuid = input.uuid and ${FITS_SURELY}
     union all
     select own.updated_at, stored.count - replaced.count + added_values, stored.bytes - replaced.bytes + added_bytes
       from submissions as own,
         lateral (select count(*) as count, coalesce(sum(${TEXT_BYTES}), 0) as bytes
           from submission_values where submission_uuid = own.uuid) as stored,
         lateral (select count(*) as count, coalesce(sum(bytes), 0) as bytes from ${REPLACED}) as replaced
      where own.uuid = input.uuid and (${FITS_SURELY}) is not true
        and stored.count - replaced.count + added_values <= greatest(${MAX_VALUES}, stored.count)
        and stored.bytes - replaced.bytes + added_bytes <= greatest(${MAX_TEXT}, stored.bytes)`;

/**
 * Stores all entries of a request, or none (V3, V5, V7). Each column of the entries is one parameter, and no two
 * entries have the same key. The input locks the submission, so that a parallel request writes nothing and is
 * repeated. `form_id` is the form that the entries were checked against, and `named_records` has all records
 * that the entries name. The statement looks up one record at a time, because a join that was planned for a
 * small table would read all records.
 *
 * It writes nothing if the submission would exceed a limit (V9), or if another request has changed the submission between the
 * snapshot and the lock, because the values were counted in the snapshot. It writes nothing either if the user stores more than
 * `most_stored`. Null: it does not look.
 */
export const STORE_VALUES = batchedStatement(
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
    most_stored: 'bigint',
  },
  (input) => `with written as (
     update submissions set updated_at = ${NEXT_UPDATED_AT}, value_count = size.count, value_bytes = size.bytes
       from ${input}, lateral (${NEXT_SIZE}) as size,
         lateral (select coalesce(sum(text_bytes), 0) as stored, count(*) as changes
         from user_storage where user_storage.user_id = input.user_id and most_stored is not null) as of_user
      where ${IS_OWNED_AND_UNCHANGED} and submissions.updated_at = seen_at
        and submissions.form_id = input.form_id and status = 'draft'
        and (most_stored is null or stored <= most_stored)
        and not exists (select from unnest(${numbersSql('named_records')}) named (id)
          where ${IS_FOREIGN_RECORD})
     returning position, submissions.uuid, submissions.form_id, updated_at,
       field_ids, are_repeatable, record_ids, contents, stored, changes
   ), inserted as (
     insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, entity_record_id, value)
     select uuid, form_id, entry.*
       from written, unnest(
         field_ids::integer[], are_repeatable::boolean[], record_ids::bigint[], contents::text[]) entry
     on conflict (submission_uuid, field_id, record_key)
       do update set value = excluded.value, entity_record_id = excluded.entity_record_id
   )
   select position, ${microsecondsSql('updated_at')}, stored, changes from written`,
  { updated_at: isoOf, stored: integer, changes: integer },
  { batchedBy: 'form_id', ...LOCKS },
);

/** Returns the named records that do not belong to the submission. */
export const FIND_FOREIGN_RECORDS = statement(
  'submissions.find_foreign_records',
  `select id from unnest($2::bigint[]) named (id)
    where not exists (select from entity_records where submission_uuid = $1 and entity_records.id = named.id)`,
  { id: integer },
);
