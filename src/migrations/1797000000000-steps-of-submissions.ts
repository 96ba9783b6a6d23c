import type { MigrationInterface, QueryRunner } from 'typeorm';
import { creationOf, type Mirror, triggersOf } from '../database/distribution/mirrors.js';
import { readShards } from '../database/distribution/shards.js';

const COLUMNS = {
  step_id: 'The step of the submission, which may have been deleted; null: see step_position.',
  step_position:
    'The current_step that was written together with step_id. If it differs, a version of the service without this column has moved the submission, and current_step holds.',
};

const FORM_COLUMNS = {
  id: 'integer not null',
  uuid: 'uuid not null',
  name: 'varchar(255) not null',
  slug: 'varchar(255) not null',
};

/** The mirrors for Citus before and after this migration (see `mirrors.ts`). */
const OLD_FORMS = { table: 'forms', name: 'form_keys', columns: FORM_COLUMNS };
const FORMS = { ...OLD_FORMS, columns: { ...FORM_COLUMNS, version: 'integer not null' } };
const OLD_STEPS = {
  table: 'steps',
  name: 'step_keys',
  columns: { id: 'integer not null', form_id: 'integer not null' },
  keys: 'create index on step_keys (form_id)',
};
const STEPS = {
  ...OLD_STEPS,
  columns: { ...OLD_STEPS.columns, step_number: 'integer not null' },
  keys: 'create index on step_keys (form_id, step_number)',
};
const DELETED_STEPS = {
  table: 'deleted_steps',
  name: 'deleted_step_keys',
  columns: { id: 'integer not null', moved_to: 'integer' },
};

/**
 * A submission keeps the id of its step, so that it stays on this step while steps are added, deleted and reordered (S14).
 * Deleting a step does not write to its submissions: `deleted_steps` has the step on which they are then.
 */
export class StepsOfSubmissions1797000000000 implements MigrationInterface {
  name = 'StepsOfSubmissions1797000000000';

  async up(runner: QueryRunner): Promise<void> {
    // One subcommand per query, because Citus does not support several for a distributed table.
    for (const [column, comment] of Object.entries(COLUMNS)) {
      await runner.query(`alter table submissions add ${column} integer`);
      await runner.query(`comment on column submissions.${column} is '${comment}'`);
    }
    await runner.query(
      `comment on column submissions.current_step is 'The position for versions of the service without step_id, from 1. formtrail_position(submissions) is the position now.'`,
    );
    await runner.query(
      `comment on column steps.is_visible is 'Whether clients show the step. Completion requires nothing on a step that is not visible.'`,
    );
    await runner.query(DELETED);
    await runner.query(POSITION);
    await runner.query(tell('formtrail_position(submission)'));
    if ((await readShards(runner.manager)) !== undefined) await mirror(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    if ((await readShards(runner.manager)) !== undefined) await unmirror(runner);
    await runner.query(tell('submission.current_step'));
    await runner.query(`
      drop function formtrail_position(submissions);
      drop trigger steps_kept_insert on steps;
      drop trigger steps_kept_delete on steps;
      drop trigger steps_kept_truncate on steps;
      drop function formtrail_keep_deleted_steps();
      drop table deleted_steps`);
    await runner.query(
      `comment on column submissions.current_step is 'The position among the steps of the form, from 1.'`,
    );
    await runner.query(
      `comment on column steps.is_visible is 'For clients. The service counts a step that is not visible like any other.'`,
    );
    for (const column of Object.keys(COLUMNS).reverse())
      await runner.query(`alter table submissions drop ${column}`);
  }
}

const DELETED = `
  create table deleted_steps (
    id integer primary key,
    form_id integer not null references forms on delete cascade,
    moved_to integer
  );
  create index deleted_steps_form_id_moved_to_idx on deleted_steps (form_id, moved_to);
  comment on table deleted_steps is 'The deleted steps of each form. Only the database writes it.';
  comment on column deleted_steps.id is 'The id of the deleted step.';
  comment on column deleted_steps.form_id is 'The form of the step.';
  comment on column deleted_steps.moved_to is 'The step on which its submissions are now: the one before it, or the first; null: the form had no other.';

  -- A statement has no table of a trigger in it, because Citus would not know that table.
  create function formtrail_keep_deleted_steps() returns trigger language plpgsql as $$
  declare
    ids integer[];
    forms_of integer[];
    numbers integer[];
  begin
    if tg_op = 'TRUNCATE' then
      insert into deleted_steps (id, form_id) select id, form_id from steps on conflict (id) do nothing;
      update deleted_steps set moved_to = null where moved_to is not null;
      return null;
    end if;
    if tg_op = 'INSERT' then
      select array_agg(id) into ids from after;
      delete from deleted_steps where id = any (ids);
      return null;
    end if;
    select array_agg(id), array_agg(form_id), array_agg(step_number) into ids, forms_of, numbers from before;
    -- Two transactions that delete steps of one form wait for each other, so that each sees what the other has deleted. A deleted
    -- form keeps no steps. An import deletes a step with the number that the step before it already has.
    perform from forms where id = any (forms_of) order by id for no key update;
    insert into deleted_steps (id, form_id, moved_to)
    select gone.id, gone.form_id, coalesce(
        (select steps.id from steps where steps.form_id = gone.form_id and steps.step_number <= gone.step_number
          order by steps.step_number desc limit 1),
        (select steps.id from steps where steps.form_id = gone.form_id order by steps.step_number limit 1))
      from unnest(ids, forms_of, numbers) as gone (id, form_id, step_number)
     where gone.form_id in (select forms.id from forms)
    on conflict (id) do update set form_id = excluded.form_id, moved_to = excluded.moved_to;
    update deleted_steps set moved_to = gone.moved_to
      from deleted_steps as gone
     where gone.id = any (ids) and deleted_steps.form_id = gone.form_id and deleted_steps.moved_to = gone.id;
    return null;
  end $$;
  create trigger steps_kept_insert after insert on steps referencing new table as after
    for each statement execute function formtrail_keep_deleted_steps();
  create trigger steps_kept_delete after delete on steps referencing old table as before
    for each statement execute function formtrail_keep_deleted_steps();
  create trigger steps_kept_truncate before truncate on steps
    for each statement execute function formtrail_keep_deleted_steps()`;

/** The same position as in `submission.statements.ts`, for triggers and other programs. */
const POSITION = `
  create function formtrail_position(submission submissions) returns integer language sql stable as $$
    select greatest(1, case when submission.step_position = submission.current_step
      then count(*) filter (where until.step_number <= (
        select held.step_number from steps as held
         where held.form_id = submission.form_id and held.id = coalesce(
           (select moved_to from deleted_steps where deleted_steps.id = submission.step_id), submission.step_id)))
      else least(submission.current_step, count(*)) end)::integer
    from steps as until where until.form_id = submission.form_id
  $$`;

/** The function as it was, with this position of the submission. */
const tell = (position: string) => `
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
           current_step, submission_created_at, submission_updated_at, meta, user_email, "values", begun_version, completed_version)
    select happened, listening, id, uuid, slug, version, submission.uuid, submission.status, ${position},
           submission.created_at, submission.updated_at, case when is_full then submission.meta end, email, stored
           , submission.begun_version, submission.completed_version
      from forms where id = submission.form_id;
    return submission;
  end $$`;

async function mirror(runner: QueryRunner): Promise<void> {
  await replaceSteps(runner, STEPS);
  for (const statement of [...creationOf(DELETED_STEPS), ...triggersOf(DELETED_STEPS)])
    await runner.query(statement);
  await runner.query('alter table form_keys add version integer');
  await replaceTriggers(runner, FORMS);
  await runner.query(`
    do $$
    declare
      ids integer[];
      uuids uuid[];
      names varchar[];
      slugs varchar[];
      versions integer[];
    begin
      select array_agg(id), array_agg(uuid), array_agg(name), array_agg(slug), array_agg(version)
        into ids, uuids, names, slugs, versions from forms;
      if ids is not null then
        insert into form_keys select * from unnest(ids, uuids, names, slugs, versions)
          on conflict (id) do update set version = excluded.version;
      end if;
    end $$`);
  await runner.query('alter table form_keys alter version set not null');
}

async function unmirror(runner: QueryRunner): Promise<void> {
  await replaceTriggers(runner, OLD_FORMS);
  await runner.query('alter table form_keys drop version');
  await dropTriggers(runner, DELETED_STEPS);
  await runner.query('drop table deleted_step_keys');
  await replaceSteps(runner, OLD_STEPS);
}

/** No table refers to this mirror, so it is created again. */
async function replaceSteps(runner: QueryRunner, steps: Mirror): Promise<void> {
  await dropTriggers(runner, steps);
  await runner.query('drop table step_keys');
  for (const statement of [...creationOf(steps), ...triggersOf(steps)]) await runner.query(statement);
}

async function replaceTriggers(runner: QueryRunner, mirror: Mirror): Promise<void> {
  await dropTriggers(runner, mirror);
  for (const statement of triggersOf(mirror)) await runner.query(statement);
}

async function dropTriggers(runner: QueryRunner, { name }: Pick<Mirror, 'name'>): Promise<void> {
  for (const event of ['insert', 'update', 'delete', 'truncate'])
    await runner.query(`drop function formtrail_${name}_${event}() cascade`);
}
