import { boolean, integer, json, nullable, statement } from '../../database/statement.js';
import { isoOf, microsecondsSql } from '../../database/iso-timestamp.js';
import { NEXT_UPDATED_AT, recordsSql } from '../submission.columns.js';
import type { StoredRecord } from '../submission.rows.js';

/**
 * Creates a record if the submission has fewer than `$4` records of the entity and fewer than `$5` records in total
 * (R3). Otherwise `id` is null. Lock the submission first, so that parallel calls count each other's records.
 */
export const CREATE_RECORD = statement(
  'records.create',
  `with counted as (
     select count(*) as of_all, count(*) filter (where entity_id = $2) as of_entity
       from entity_records where submission_uuid = $1
   ), created as (
     insert into entity_records (submission_uuid, form_id, entity_id)
     select $1, $3, $2 from counted where of_entity < $4 and of_all < $5
     returning id, created_at
   ), written as (
     update submissions set updated_at = ${NEXT_UPDATED_AT}
      where uuid = $1 and exists (select from created)
     returning updated_at
   )
   select of_entity, created.id, ${microsecondsSql('created.created_at')}, ${microsecondsSql('written.updated_at')}
     from counted left join created on true left join written on true`,
  { of_entity: integer, id: nullable(integer), created_at: nullable(isoOf), updated_at: nullable(isoOf) },
);

/** Updates the ETag of a locked submission. */
export const TOUCH_LOCKED = statement(
  'records.touch',
  `update submissions set updated_at = ${NEXT_UPDATED_AT} where uuid = $1
   returning ${microsecondsSql('updated_at')}`,
  { updated_at: isoOf },
);

/** Finds the records of a submission, sorted by id (R5). */
export const FIND_RECORDS = statement(
  'records.find',
  `select form_id, ${recordsSql('submission_uuid = $1')} from submissions where uuid = $1 and user_id = $2`,
  { form_id: integer, records: json<StoredRecord[]>() },
);

/** Deletes a record of a locked submission. A foreign key deletes the values together with the record. */
export const DELETE_RECORD = statement(
  'records.delete',
  'delete from entity_records where submission_uuid = $1 and id = $2::bigint returning true',
  { isDeleted: boolean },
);

/** Whether the user has the submission, and the submission has the record. */
export const HAS_RECORD = statement(
  'records.has',
  `select exists (select from submissions where uuid = $1 and user_id = $2),
          exists (select from entity_records where submission_uuid = $1 and id = $3::bigint)`,
  { isOwn: boolean, hasRecord: boolean },
);
