import { isoOf, microseconds } from '../../database/iso-timestamp.js';
import { batchedStatement, integer, statement } from '../../database/statement.js';
import {
  IS_OF_INPUT,
  IS_OWNED_AND_UNCHANGED,
  LOCKS,
  NEXT_UPDATED_AT,
  numbersIn,
  UNCHANGED,
} from '../submission.columns.js';

const IS_FOREIGN_RECORD = `(select entity_records.id from entity_records
     where ${IS_OF_INPUT} and entity_records.id = named.id) is null`;

/**
 * Stores all entries of a request, or none (V3, V5, V7). Each column of the entries is one parameter, and no two
 * entries have the same key. The update comes first and locks the submission, so that parallel requests wait for
 * each other. `form_id` is the form that the entries were checked against, and `named_records` has all records
 * that the entries name. The statement looks up one record at a time, because a join that was planned for a
 * small table would read all records.
 *
 * The statement adds the size of the entries to the counters of the submission, and subtracts nothing for replaced values (V9). It
 * writes nothing if a counter would exceed `most_values` or `most_bytes`, or if the submission has not been counted yet: see
 * `stored-size.statements.ts`. It writes nothing either if the user stores more than `most_stored`. Null: it does not look.
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
    most_values: 'integer',
    most_bytes: 'integer',
    most_stored: 'bigint',
  },
  (input) => `with written as (
     update submissions set updated_at = ${NEXT_UPDATED_AT},
            value_count = value_count + added_values, value_bytes = value_bytes + added_bytes
       from ${input}, lateral (select coalesce(sum(text_bytes), 0) as stored, count(*) as changes
         from user_storage where user_storage.user_id = input.user_id and most_stored is not null) as of_user
      where ${IS_OWNED_AND_UNCHANGED} and submissions.form_id = input.form_id and status = 'draft'
        and (most_stored is null or stored <= most_stored)
        and value_count + added_values <= most_values and value_bytes + added_bytes <= most_bytes
        and not exists (select from unnest(${numbersIn('named_records')}) named (id)
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
   select position, ${microseconds('updated_at')}, stored, changes from written`,
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
