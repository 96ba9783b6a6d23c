import type { MigrationInterface, QueryRunner } from 'typeorm';
import { AS_OWNER } from '../../../migrations/sql.js';

/** Adds which endpoints receive personal data. */
export class WebhooksWithoutPersonal1798000000045 implements MigrationInterface {
  name = 'WebhooksWithoutPersonal1798000000045';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table webhook_endpoints add column personal boolean not null default true;
      comment on column webhook_endpoints.personal is
        'False: full bodies have no user_email, no meta and no values of personal fields.'`);
    await recordChanges(runner, ['form_id', 'url', 'events', 'body', 'personal']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await recordChanges(runner, ['form_id', 'url', 'events', 'body']);
    await runner.query('alter table webhook_endpoints drop column personal');
  }
}

/** Records changes of these columns, if something records changes of endpoints. */
async function recordChanges(runner: QueryRunner, columns: readonly string[]): Promise<void> {
  const isRecorded = (await runner.query(
    `select from pg_trigger where tgrelid = 'webhook_endpoints'::regclass and tgname = 'webhook_endpoints_audit_changed'`,
  )) as unknown[];
  if (isRecorded.length === 0) return;
  const row = (name: string) => `(${columns.map((column) => `${name}.${column}`).join(', ')})`;
  await runner.query(`
    create or replace trigger webhook_endpoints_audit_changed after update on webhook_endpoints
      for each row when (${row('old')} is distinct from ${row('new')})
      execute function formtrail_audit_act('webhook.changed', 'webhook:', 'id')`);
}

/** Adds the personal fields of an event. A deletion that must leave no copy has no contents. */
export class PersonalFieldsOfEvents1798000000046 implements MigrationInterface {
  name = 'PersonalFieldsOfEvents1798000000046';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table webhook_outbox add column user_id integer, add column personal_fields integer[];
      comment on column webhook_outbox.user_id is
        'The user of the submission, who may have been deleted; null: written before the database kept it.';
      comment on column webhook_outbox.personal_fields is
        'The personal fields that values belong to; null: none, or no listening endpoint receives full bodies.';
      create index webhook_outbox_submission_uuid_idx on webhook_outbox (submission_uuid)`);
    await runner.query(tellSql(true));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(tellSql(false));
    await runner.query(`
      drop index webhook_outbox_submission_uuid_idx;
      alter table webhook_outbox drop column user_id, drop column personal_fields`);
  }
}

/**
 * The function of the migration WebhookLocale. If `hasPersonal`, it also stores which values are personal, and stores no contents of a
 * submission that is deleted because it must be forgotten.
 */
const tellSql = (hasPersonal: boolean) => `
  create or replace function formtrail_webhooks_tell(submission submissions, happened text) returns submissions language plpgsql as $$
  declare
    listening integer[];
    is_full boolean;
    email text;
    stored json;${hasPersonal ? '\n    personal integer[];' : ''}
  begin
    select array_agg(id), bool_or(body = 'full') into listening, is_full from webhook_endpoints
     where happened = any (events) and (form_id is null or form_id = submission.form_id) and disabled_reason is null;
    if listening is null then
      return submission;
    end if;${hasPersonal ? FORGOTTEN : ''}
    if is_full then
      select users.email into email from users where id = submission.user_id;
      -- An object has the key hidden only if the value was hidden.
      select coalesce(json_agg(v), '[]') into stored from (
        select case when field_id || case record_key when 0 then '' else '.' || record_key end
                      in (select unnest(submission.hidden_values))
                    then (select row_to_json(marked) from (select field_id, code as field_code, value, entity_record_id, true as hidden) marked)
                    else (select row_to_json(plain) from (select field_id, code as field_code, value, entity_record_id) plain) end as v
          from submission_values join fields on fields.id = field_id
         where submission_uuid = submission.uuid order by field_id, entity_record_id nulls first) v;${hasPersonal ? PERSONAL : ''}
    end if;
    insert into webhook_outbox (event, endpoint_ids, form_id, form_uuid, form_slug, form_version, submission_uuid, status,
           current_step, submission_created_at, submission_updated_at, meta, user_email, "values", begun_version, completed_version, locale${hasPersonal ? ', user_id, personal_fields' : ''})
    select happened, listening, id, uuid, slug, version, submission.uuid, submission.status, formtrail_position(submission),
           submission.created_at, submission.updated_at, case when is_full then submission.meta end, email, stored,
           submission.begun_version, submission.completed_version, submission.locale${hasPersonal ? ', submission.user_id, personal' : ''}
      from forms where id = submission.form_id;
    return submission;
  end $$`;

const FORGOTTEN = `
    if happened = 'submission.deleted'
       and current_setting('formtrail.deletion_reason', true) in ('retention', 'erasure', 'restored') then
      is_full := false;
    end if;`;

const PERSONAL = `
      select array_agg(id order by id) into personal from fields
       where form_id = submission.form_id and is_personal
         and exists (select from submission_values where submission_uuid = submission.uuid and field_id = fields.id);`;

/** Adds a function that deletes what waiting and given-up webhooks contain of submissions. */
export class ForgottenWebhooks1798000000047 implements MigrationInterface {
  name = 'ForgottenWebhooks1798000000047';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table webhook_deliveries add column user_id integer;
      comment on column webhook_deliveries.user_id is
        'The user of the submission, who may have been deleted; null: written before the database kept it.';
      create index webhook_deliveries_submission_uuid_idx on webhook_deliveries (submission_uuid)`);
    await runner.query(FORGET);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function formtrail_webhooks_of_user, formtrail_webhooks_forget, formtrail_webhooks_contains;
      drop index webhook_deliveries_submission_uuid_idx;
      alter table webhook_deliveries drop column user_id`);
  }
}

/**
 * `formtrail_webhooks_contains` says whether a body has values: those of certain fields, or any. If PostgreSQL cannot read the body, the
 * answer is true, because another program may have stored `\\u0000` in the meta, which PostgreSQL cannot decode.
 *
 * `formtrail_webhooks_forget` has the rights of the owner, because servers may not use the tables of webhooks. It may be called by
 * each role that may delete submissions. The endpoints that would receive none of the deleted contents keep their webhooks.
 *
 * The worker moves an event to the deliveries in one statement, and skips locked events. Each statement of the function sees what was
 * committed before it. The first statement waits for the worker, so the last statement sees all deliveries of these events. The setting
 * forces index scans, even if the statements were planned when the tables were small.
 */
const FORGET = `
  create function formtrail_webhooks_contains(body text, field_ids integer[]) returns boolean language plpgsql as $$
  declare
    stored json;
  begin
    stored := body::json #> '{data,submission,values}';
    if stored is null or field_ids is null then
      return stored is not null;
    end if;
    return exists (select from json_to_recordset(stored) as stored_value (field_id integer) where field_id = any (field_ids));
  exception when data_exception then
    return true;
  end $$;

  create function formtrail_webhooks_forget(uuids uuid[], field_ids integer[]) returns void
  set enable_seqscan = off ${AS_OWNER} $$
  begin
    if not has_table_privilege(coalesce(nullif(current_setting('role'), 'none'), session_user), 'submissions', 'delete') then
      raise insufficient_privilege using message = 'only a role that may delete submissions may delete their webhooks';
    end if;
    if field_ids is null then
      update webhook_outbox
         set endpoint_ids = array(select id from webhook_endpoints where id = any (endpoint_ids) and body = 'thin'),
             meta = null, user_email = null, "values" = null, personal_fields = null
       where submission_uuid = any (uuids) and "values" is not null;
    else
      update webhook_outbox
         set endpoint_ids = array(select id from webhook_endpoints
                                   where id = any (endpoint_ids) and (body = 'thin' or not personal)),
             "values" = (select coalesce(json_agg(stored), '[]') from json_array_elements("values") stored
                          where (stored ->> 'field_id')::integer <> all (field_ids))
       where submission_uuid = any (uuids)
         and exists (select from json_array_elements("values") stored where (stored ->> 'field_id')::integer = any (field_ids));
    end if;
    delete from webhook_outbox where submission_uuid = any (uuids) and endpoint_ids = '{}';
    delete from webhook_deliveries where submission_uuid = any (uuids) and formtrail_webhooks_contains(body, field_ids);
  end $$;
  -- For databases where functions are not everybody's by default.
  grant execute on function formtrail_webhooks_forget to public;

  -- The deleted submissions of a user that webhooks contain. A submission that is still there is held, and keeps its webhooks.
  create function formtrail_webhooks_of_user(erased integer) returns setof uuid language sql stable security definer
  set search_path from current as $$
    select submission_uuid from (
      select submission_uuid from webhook_outbox where user_id = erased
      union select submission_uuid from webhook_deliveries where user_id = erased) as known
     where not exists (select from submissions where uuid = submission_uuid)
  $$;
  grant execute on function formtrail_webhooks_of_user to public`;
