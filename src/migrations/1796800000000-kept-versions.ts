import type { MigrationInterface, QueryRunner } from 'typeorm';

const isTimestamp = (column: string) =>
  `${column} >= '0001-01-01 00:00:00+00' and ${column} < '10000-01-01 00:00:00+00'`;

/** The versions of a submission, in a row of the webhook outbox too (N2). */
const VERSIONS = {
  begun_version:
    'The version of the form when the submission was begun; null: begun before versions were kept.',
  completed_version:
    'The version of the form that was completed; null: not completed, or before versions were kept.',
};

/**
 * Keeps the schemas of completed versions, and the versions of each submission (N2, N3). Fields can be retired (N6). A version
 * has the name of the person who made it (N7).
 */
export class KeptVersions1796800000000 implements MigrationInterface {
  name = 'KeptVersions1796800000000';

  async up(runner: QueryRunner): Promise<void> {
    // One subcommand per query, because Citus does not support several for a distributed table.
    for (const table of ['submissions', 'webhook_outbox'])
      for (const [column, comment] of Object.entries(VERSIONS)) {
        await runner.query(`alter table ${table} add ${column} integer`);
        await runner.query(`comment on column ${table}.${column} is '${comment}'`);
      }
    await runner.query(TABLES);
    await runner.query(tell(', begun_version, completed_version'));
    await runner.query(claimNew('new.updated_by := formtrail_actor();'));
    await runner.query(
      raiseVersion('new.updated_by := old.updated_by;', 'new.updated_by := formtrail_actor();'),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(raiseVersion('', ''));
    await runner.query(claimNew(''));
    await runner.query(tell(''));
    await runner.query(`
      drop function formtrail_actor();
      drop table form_versions;
      alter table forms drop updated_by;
      alter table fields drop retired_at`);
    for (const table of ['submissions', 'webhook_outbox'])
      for (const column of Object.keys(VERSIONS)) await runner.query(`alter table ${table} drop ${column}`);
  }
}

const TABLES = `
  alter table fields add retired_at timestamptz constraint fields_retired_at_check check (${isTimestamp('retired_at')});
  comment on column fields.retired_at is 'When the field was taken out of the form; null: in use. Stored values stay.';

  alter table forms add updated_by varchar(255);
  comment on column forms.updated_by is 'Who made the version: the setting formtrail.actor, or null. Set by the database.';

  create table form_versions (
    form_id integer not null references forms on delete cascade,
    version integer not null,
    schema json not null,
    changed_by varchar(255),
    changed_at timestamptz not null constraint form_versions_changed_at_check check (${isTimestamp('changed_at')}),
    primary key (form_id, version)
  );
  comment on table form_versions is 'The schema of each version of a form in which a submission was completed. Only the service writes it.';
  comment on column form_versions.form_id is 'The form.';
  comment on column form_versions.version is 'The version of the form.';
  comment on column form_versions.schema is 'The response to GET /forms/{uuid}/schema, as it was.';
  comment on column form_versions.changed_by is 'Who made the version: forms.updated_by of that time.';
  comment on column form_versions.changed_at is 'When the version was made: forms.updated_at of that time.';

  create function formtrail_actor() returns varchar language sql stable as $$
    select left(nullif(current_setting('formtrail.actor', true), ''), 255)
  $$`;

const claimNew = (set: string) => `
  create or replace function formtrail_claim_new_form() returns trigger language plpgsql as $$
  begin
    perform formtrail_claim_form(new.id);
    ${set}
    return new;
  end $$`;

/** The function as it was, with a statement that keeps a column, and a statement that sets it for a new version. */
const raiseVersion = (keep: string, set: string) => `
  create or replace function formtrail_raise_version() returns trigger language plpgsql as $$
  begin
    if new is not distinct from old then
      return new;
    end if;
    new.version := old.version;
    new.updated_at := old.updated_at;
    ${keep}
    if formtrail_claim_form(new.id) then
      new.version := old.version + 1;
      new.updated_at := greatest(clock_timestamp(), case when old.updated_at < '9999-12-31 00:00:00+00' then old.updated_at end + interval '1 microsecond');
      ${set}
    end if;
    return new;
  end $$`;

/** The function as it was, with these columns of the submission in addition. */
const tell = (columns: string) => `
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
      select coalesce(json_agg(v), '[]') into stored from (
        select field_id, code as field_code, value, entity_record_id
          from submission_values join fields on fields.id = field_id
         where submission_uuid = submission.uuid order by field_id, entity_record_id nulls first) v;
    end if;
    insert into webhook_outbox (event, endpoint_ids, form_id, form_uuid, form_slug, form_version, submission_uuid, status,
           current_step, submission_created_at, submission_updated_at, meta, user_email, "values"${columns})
    select happened, listening, id, uuid, slug, version, submission.uuid, submission.status, submission.current_step,
           submission.created_at, submission.updated_at, case when is_full then submission.meta end, email, stored
           ${columns.replaceAll(', ', ', submission.')}
      from forms where id = submission.form_id;
    return submission;
  end $$`;
