import { windowSql } from '../../submissions/small-batches.js';

/** Why something of a submission is due to be deleted: the submission itself, or its personal answers. */
export type DueReason = 'completed' | 'drafts' | 'personal';

/** A day is 24 hours in every time zone of the database. */
const over = (since: string, days: string) => `${since} < now() - make_interval(hours => 24 * ${days})`;

/** Rows from before the database kept the time of completion have none. */
const COMPLETED_AT = 'coalesce(completed_at, updated_at)';

const isCompletedOver = (days: string) => `status = 'completed' and ${over(COMPLETED_AT, days)}`;
const isDraftOver = (days: string) => `status = 'draft' and ${over('updated_at', days)}`;

/** Tests have a period of their own (P10). */
const MAY_BE_DUE = 'not held and not is_test';

/** The forms that have a period. `$1`: only this form, or null. */
export const FIND_FORMS = `
  select id, slug, keep_completed_days as "completedDays", keep_drafts_days as "draftsDays", keep_personal_days as "personalDays",
         array(select fields.id from fields where form_id = forms.id and is_personal order by fields.id) as "personalFieldIds"
    from forms
   where num_nonnulls(keep_completed_days, keep_drafts_days, keep_personal_days) > 0 and ($1::integer is null or id = $1)
   order by id`;

/** `$1`: the UUID after which the window begins, or null. `$2`: the form. `$3` to `$5`: its periods for completed submissions, drafts and personal answers. `$6`: its personal fields. */
export const FIND_DUE = windowSql(
  '$1',
  'status, is_test, held, updated_at, completed_at',
  'form_id = $2',
  `case when not (${MAY_BE_DUE}) then null
        when ${isCompletedOver('$3::integer')} then 'completed'
        when ${isDraftOver('$4::integer')} then 'drafts'
        when ${isCompletedOver('$5::integer')} and exists (
          select from submission_values where submission_uuid = uuid and field_id = any ($6::integer[])) then 'personal'
   end`,
);

/** Locks submissions among `$1` if `due` still holds. Skips those that a client is writing to. */
const lockSql = (due: string, lock: string) => `
    select uuid from submissions
      join (select id, keep_completed_days, keep_drafts_days, keep_personal_days from forms) as periods on id = form_id
     where uuid = any ($1::uuid[]) and ${MAY_BE_DUE} and (${due})
     order by uuid for ${lock} of submissions skip locked`;

/** Deletes the submissions among `$1` that are still due. Foreign keys and triggers delete their values, records and files. */
export const DELETE_DUE = `
  with due as materialized (
    ${lockSql(`${isCompletedOver('keep_completed_days')} or ${isDraftOver('keep_drafts_days')}`, 'update')}
  ), deleted as (
    delete from submissions using due where submissions.uuid = due.uuid returning submissions.uuid, status
  )
  select uuid, status from deleted`;

/** Locks the submissions among `$1` whose personal answers are still due. Every write to a submission takes this lock. */
export const LOCK_PERSONAL = lockSql(isCompletedOver('keep_personal_days'), 'no key update');

/** Deletes the answers of the submissions `$1` in the fields `$2`. Triggers delete the files that they refer to. */
export const DELETE_ANSWERS = `
  with deleted as (
    delete from submission_values where submission_uuid = any ($1::uuid[]) and field_id = any ($2::integer[])
    returning submission_uuid, field_id
  )
  select submission_uuid as uuid, array_agg(distinct field_id order by field_id) as "fieldIds" from deleted group by submission_uuid`;

/** Leaves `updated_at` as it is, because nobody has written to the submission (T4). `$2`: when the answers were first deleted; null: now. */
export const MARK_ANONYMIZED = `
  update submissions set anonymized_at = coalesce($2::timestamptz, now())
   where uuid = any ($1::uuid[]) and anonymized_at is null`;

/** Records deleted answers (T3). `$1` is a JSON array of objects with `uuid` and `fieldIds`. */
export const RECORD_ANONYMIZED = `
  insert into erasures (kind, happened_at, reason, submission_uuid, field_ids)
  select 'submission.anonymized', now(), 'retention', uuid, "fieldIds"
    from json_to_recordset($1::json) as row (uuid uuid, "fieldIds" integer[])`;
