import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the language of the submission to events. */
export class WebhookLocale1798000000019 implements MigrationInterface {
  name = 'WebhookLocale1798000000019';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_outbox add column locale varchar(35)');
    await runner.query(
      `comment on column webhook_outbox.locale is 'The language of the submission; null: not said.'`,
    );
    await runner.query(tellSql(', locale', ', submission.locale'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(tellSql('', ''));
    await runner.query('alter table webhook_outbox drop column locale');
  }
}

/** The function of the migration Webhooks, with further columns of the outbox and their values. */
const tellSql = (columns: string, values: string) => `
  create or replace function formtrail_webhooks_tell(submission submissions, happened text) returns submissions language plpgsql as $$
  declare
    listening integer[];
    is_full boolean;
    email text;
    stored json;
  begin
    select array_agg(id), bool_or(body = 'full') into listening, is_full from webhook_endpoints
     where happened = any (events) and (form_id is null or form_id = submission.form_id) and disabled_reason is null;
    if listening is null then
      return submission;
    end if;
    if is_full then
      select users.email into email from users where id = submission.user_id;
      -- An object has the key hidden only if the value was hidden.
      select coalesce(json_agg(v), '[]') into stored from (
        select case when field_id || case record_key when 0 then '' else '.' || record_key end
                      in (select unnest(submission.hidden_values))
                    then (select row_to_json(marked) from (select field_id, code as field_code, value, entity_record_id, true as hidden) marked)
                    else (select row_to_json(plain) from (select field_id, code as field_code, value, entity_record_id) plain) end as v
          from submission_values join fields on fields.id = field_id
         where submission_uuid = submission.uuid order by field_id, entity_record_id nulls first) v;
    end if;
    insert into webhook_outbox (event, endpoint_ids, form_id, form_uuid, form_slug, form_version, submission_uuid, status,
           current_step, submission_created_at, submission_updated_at, meta, user_email, "values", begun_version, completed_version${columns})
    select happened, listening, id, uuid, slug, version, submission.uuid, submission.status, formtrail_position(submission),
           submission.created_at, submission.updated_at, case when is_full then submission.meta end, email, stored,
           submission.begun_version, submission.completed_version${values}
      from forms where id = submission.form_id;
    return submission;
  end $$`;
