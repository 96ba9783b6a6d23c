import type { MigrationInterface, QueryRunner } from 'typeorm';
import { AS_OWNER, BUSY, withComments } from '../../../migrations/sql.js';
import { CHOICES } from './choices.js';

/**
 * The first key of the advisory locks of counters; the second is the id of the form. A form without limits has no row to lock. A change of
 * limits takes the lock alone, completions and deletions share it.
 */
const COUNTS_LOCK = 1_798_000_012;

/** Adds the counters of forms with a limit, and of their users. */
export class FormCounts1798000000012 implements MigrationInterface {
  name = 'FormCounts1798000000012';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [withComments(TABLES_OF_FORMS), OF_FORMS, BEGINNING]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function formtrail_form_limited cascade;
      drop function formtrail_obstacle, formtrail_count_users, formtrail_count_form;
      drop table user_counts, form_counts`);
  }
}

/** Adds the counters of options with places. */
export class OptionCounts1798000000013 implements MigrationInterface {
  name = 'OptionCounts1798000000013';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [withComments(TABLES_OF_OPTIONS), CHOICES, OF_OPTIONS]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function formtrail_options_limited, formtrail_option_deleted, formtrail_no_options cascade;
      drop function formtrail_recount, formtrail_count_options, formtrail_fill_held, formtrail_chosen_options, formtrail_choices,
        formtrail_most_parts, formtrail_option;
      drop table held_options, option_counts`);
  }
}

/** Adds the triggers that count submissions. */
export class CountedSubmissions1798000000014 implements MigrationInterface {
  name = 'CountedSubmissions1798000000014';

  async up(runner: QueryRunner): Promise<void> {
    const [{ schema }] = (await runner.query('select quote_ident(current_schema()) as schema')) as [
      { schema: string },
    ];
    await runner.query(countedIn(schema));
    if (await hasTriggers(runner)) await runner.query(TRIGGERS);
    else for (const sql of ONE_SERVER) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function formtrail_submission_counted, formtrail_submissions_uncounted, formtrail_no_submissions cascade;
      drop function formtrail_count, formtrail_uncount;
      alter table forms drop constraint if exists forms_limits_one_server_check;
      alter table options drop constraint if exists options_one_server_check`);
  }
}

/** Distributed tables cannot have triggers, and `db distribute` has dropped those of the table of submissions. */
async function hasTriggers(runner: QueryRunner): Promise<boolean> {
  const found = (await runner.query(
    `select tgname from pg_trigger where tgrelid = 'submissions'::regclass and tgname = 'written_off'`,
  )) as unknown[];
  return found.length > 0;
}

const ONE_SERVER = [
  `alter table forms add constraint forms_limits_one_server_check
     check (num_nonnulls(opens_at, closes_at, max_submissions, max_per_user) = 0)`,
  'alter table options add constraint options_one_server_check check (places is null)',
];

// No foreign key to users or submissions, because a transaction that locks a user may wait for a submission that is being completed.
const TABLES_OF_FORMS = `
  create table form_counts ( -- How many submissions of a form with a limit are completed. Completions of the form wait for the row. Only triggers write it.
    form_id integer primary key references forms on delete cascade, -- A form with a limit, or with an option that has one.
    completed integer not null -- The number of completed submissions, tests not counted.
  ) with (fillfactor = 50, ${BUSY});

  create table user_counts ( -- How many submissions of a form with max_per_user a user has completed. Only triggers write it.
    user_id integer not null, -- The user.
    form_id integer not null references form_counts on delete cascade, -- The form.
    completed integer not null, -- The number of completed submissions of the user, tests not counted.
    primary key (user_id, form_id)
  ) with (${BUSY});
  create index user_counts_form_id_idx on user_counts (form_id)`;

/** Each function brings counters in line with limits. The caller has locked the counts of the form. */
const OF_FORMS = `

  create function formtrail_count_form(form integer) returns void language plpgsql as $$
  begin
    if exists (select from forms where id = form and num_nonnulls(max_submissions, max_per_user) > 0)
      or exists (select from options join fields on fields.id = field_id where form_id = form and places is not null)
    then
      insert into form_counts (form_id, completed)
      select form, count(*) from submissions where form_id = form and status = 'completed' and not is_test
      on conflict do nothing;
    else
      delete from form_counts where form_id = form;
    end if;
  end $$;

  create function formtrail_count_users(form integer) returns void language plpgsql as $$
  begin
    delete from user_counts where form_id = form;
    insert into user_counts (user_id, form_id, completed)
    select user_id, form_id, count(*) from submissions where form_id = form and status = 'completed' and not is_test
       and exists (select from forms where id = form and max_per_user is not null)
     group by user_id, form_id;
  end $$;

  create function formtrail_form_limited() returns trigger ${AS_OWNER} $$
  begin
    perform pg_advisory_xact_lock(${COUNTS_LOCK}, new.id);
    perform formtrail_count_form(new.id);
    perform formtrail_count_users(new.id);
    return null;
  end $$;
  create trigger limits_insert after insert on forms
    for each row when (num_nonnulls(new.max_submissions, new.max_per_user) > 0) execute function formtrail_form_limited();
  create trigger limits_update after update on forms
    for each row when ((new.max_submissions is null) <> (old.max_submissions is null)
      or (new.max_per_user is null) <> (old.max_per_user is null))
    execute function formtrail_form_limited()`;

const BEGINNING = `
  -- Why a user cannot begin a submission of a form; null: the user can. Volatile, so that it sees what others have committed meanwhile.
  create function formtrail_obstacle(who integer, form integer) returns text language plpgsql as $$
  declare
    own forms;
  begin
    select * into own from forms where id = form;
    if own.opens_at > statement_timestamp() then
      return 'not_open_yet';
    elsif own.closes_at <= statement_timestamp() then
      return 'closed';
    elsif own.max_per_user <= (select completed from user_counts where user_id = who and form_id = form) then
      return 'already_answered';
    elsif own.max_submissions <= (select completed from form_counts where form_id = form) then
      return 'quota_reached';
    end if;
    return null;
  end $$`;

// No foreign key to options, so that these can still be truncated alone. Triggers delete the counters.
const TABLES_OF_OPTIONS = `
  create table option_counts ( -- How many completed submissions hold an option with places. Only triggers write it.
    option_id integer primary key, -- The option.
    form_id integer not null, -- The form of the option.
    taken integer not null -- The number of completed submissions that hold the option.
  ) with (fillfactor = 50, ${BUSY});
  create index option_counts_form_id_idx on option_counts (form_id);

  create table held_options ( -- The options with places that completed submissions hold, also after an option was renamed. Only triggers write it.
    submission_uuid uuid not null, -- The completed submission.
    option_id integer not null references option_counts on delete cascade, -- The option.
    primary key (submission_uuid, option_id)
  ) with (${BUSY});
  create index held_options_option_id_idx on held_options (option_id)`;

/** The name of a value in `submissions.hidden_values`. */
const VALUE_NAME = `stored.field_id || case stored.record_key when 0 then '' else '.' || stored.record_key end`;

const OF_OPTIONS = `
  -- The options with places that the visible values of a submission choose. A retired field was not shown.
  create function formtrail_chosen_options(submission uuid, form integer, hidden text[])
  returns table (field_id integer, record_key bigint, option_id integer) language plpgsql stable rows 1 as $$
  #variable_conflict use_column
  begin
    return query
      select stored.field_id, stored.record_key, chosen.id
        from (select field_id, formtrail_most_parts(field_id) as longest from (
               select distinct options.field_id from option_counts join options on options.id = option_id
                where option_counts.form_id = form offset 0) as of_field offset 0) as limited
        join fields on fields.id = limited.field_id and retired_at is null
        join field_types on field_types.id = field_type_id
        join submission_values as stored on stored.submission_uuid = submission and stored.field_id = fields.id
       cross join lateral formtrail_choices(fields.id, component, longest, stored.value) as chosen (id)
        join option_counts on option_counts.option_id = chosen.id
       where stored.value <> '' and (${VALUE_NAME} = any (hidden)) is not true;
  end $$;

  -- Lets completed submissions hold the options that their stored values choose. A submission keeps the options that it holds already: an
  -- option may have been renamed.
  create function formtrail_fill_held(form integer, counted integer[], is_new boolean) returns void language sql as $$
    insert into held_options (submission_uuid, option_id)
    select distinct submissions.uuid, chosen.id
      from (select *, formtrail_most_parts(id) as longest from fields where form_id = form
              and id in (select options.field_id from options where options.id = any (counted)) offset 0) as fields
      join field_types on field_types.id = field_type_id
      join submission_values as stored on stored.field_id = fields.id
      join submissions on submissions.uuid = stored.submission_uuid and status = 'completed' and not is_test
      -- Reading is slow, and most values are simply an option.
      left join options as exact on exact.field_id = fields.id and exact.value = stored.value
       and (component <> 'checkbox-input' or position(',' in stored.value) = 0)
     cross join lateral (select exact.id where exact.id is not null union all
       select read.id from formtrail_choices(fields.id, component, longest, stored.value) as read (id) where exact.id is null) as chosen (id)
     where chosen.id = any (counted) and (${VALUE_NAME} = any (hidden_values)) is not true
       and (is_new and component = 'checkbox-input' or not exists (
         select from held_options join options on options.id = held_options.option_id
          where held_options.submission_uuid = submissions.uuid and options.field_id = fields.id))
    on conflict do nothing
  $$;

  create function formtrail_count_options(form integer) returns void language plpgsql as $$
  declare
    added integer[];
  begin
    delete from option_counts where form_id = form and option_id not in (select id from options where places is not null);
    with inserted as (
      insert into option_counts (option_id, form_id, taken)
      select options.id, form, 0 from options join fields on fields.id = field_id where form_id = form and places is not null
      on conflict do nothing returning option_id
    )
    select array_agg(option_id) into added from inserted;
    if added is not null then
      perform formtrail_fill_held(form, added, true);
      update option_counts set taken = (select count(*) from held_options where held_options.option_id = option_counts.option_id)
       where option_id = any (added);
    end if;
  end $$;

  -- Counts everything again, and returns the counters that were wrong.
  create function formtrail_recount(form integer)
  returns table (kind text, id integer, counted integer, found integer) language plpgsql as $$
  #variable_conflict use_column
  declare
    counters constant text := $query$
      select 'form' as kind, form_id as id, completed as counted from form_counts where form_id = $1
      union all select 'user', user_id, completed from user_counts where form_id = $1
      union all select 'option', option_id, taken from option_counts where form_id = $1$query$;
  begin
    perform pg_advisory_xact_lock(${COUNTS_LOCK}, form);
    drop table if exists pg_temp.formtrail_counters;
    execute 'create temp table formtrail_counters on commit drop as ' || replace(counters, '$1', form::text);
    perform formtrail_count_form(form);
    update form_counts set completed = (
      select count(*) from submissions where submissions.form_id = form and status = 'completed' and not is_test)
     where form_id = form;
    if not found then
      return;
    end if;
    perform formtrail_count_users(form);
    perform formtrail_count_options(form);
    delete from held_options using option_counts where option_counts.option_id = held_options.option_id and form_id = form
       and not exists (select from submissions where uuid = submission_uuid and status = 'completed' and not is_test);
    perform formtrail_fill_held(form, array(select option_id from option_counts where form_id = form), false);
    update option_counts set taken = (select count(*) from held_options where held_options.option_id = option_counts.option_id)
     where form_id = form;
    return query execute 'select kind, id, coalesce(before.counted, 0), coalesce(now.counted, 0)
        from pg_temp.formtrail_counters before full join (' || counters || ') now using (kind, id)
       where coalesce(before.counted, 0) <> coalesce(now.counted, 0) order by kind, id' using form;
  end $$;
  comment on function formtrail_recount is
    'Counts the completed submissions of a form, its users and its options again. Returns the counters that were wrong.';

  create function formtrail_options_limited() returns trigger ${AS_OWNER} $$
  declare
    changed integer[];
    form integer;
  begin
    if tg_op = 'INSERT' then
      changed := array(select field_id from after where places is not null);
    else
      changed := array(select after.field_id from after left join before using (id)
                        where (after.places is null) <> (before.places is null));
    end if;
    if cardinality(changed) = 0 then
      return null;
    end if;
    for form in select distinct form_id from fields where id = any (changed) order by form_id loop
      perform pg_advisory_xact_lock(${COUNTS_LOCK}, form);
      perform formtrail_count_form(form);
      perform formtrail_count_options(form);
    end loop;
    return null;
  end $$;
  create trigger limits_insert after insert on options referencing new table as after
    for each statement execute function formtrail_options_limited();
  create trigger limits_update after update on options referencing old table as before new table as after
    for each statement execute function formtrail_options_limited();

  -- Locks before it locks the counter of the option, as completions do.
  create function formtrail_option_deleted() returns trigger ${AS_OWNER} $$
  begin
    perform pg_advisory_xact_lock(${COUNTS_LOCK}, form_id) from option_counts where option_id = old.id;
    delete from option_counts where option_id = old.id;
    return old;
  end $$;
  create trigger limits_delete before delete on options
    for each row when (old.places is not null) execute function formtrail_option_deleted();

  create function formtrail_no_options() returns trigger ${AS_OWNER} $$
  begin
    perform pg_advisory_xact_lock(${COUNTS_LOCK}, form_id)
       from (select distinct form_id from option_counts order by form_id) as counted;
    delete from option_counts;
    return null;
  end $$;
  create trigger limits_truncate before truncate on options
    for each statement execute function formtrail_no_options()`;

/**
 * The trigger functions name the schema, because setting a `search_path` takes longer than all that they do for a form without limits. They
 * call functions that set it only for forms with limits.
 */
const countedIn = (schema: string) => `
  create function formtrail_count(submission submissions) returns void language plpgsql set search_path from current as $$
  begin
    update form_counts set completed = completed + 1 where form_id = submission.form_id;
    insert into user_counts as known (user_id, form_id, completed)
    select submission.user_id, id, 1 from forms where id = submission.form_id and max_per_user is not null
    on conflict (user_id, form_id) do update set completed = known.completed + 1;
    with taken as (
      update option_counts set taken = taken + 1
       where option_id in (select option_id from formtrail_chosen_options(submission.uuid, submission.form_id, submission.hidden_values))
      returning option_id
    )
    insert into held_options (submission_uuid, option_id) select submission.uuid, option_id from taken;
  end $$;

  create function formtrail_uncount(form integer, gone uuid[], users integer[]) returns void language plpgsql set search_path from current as $$
  begin
    perform pg_advisory_xact_lock_shared(${COUNTS_LOCK}, form);
    update form_counts set completed = completed - cardinality(gone) where form_id = form;
    if not found then
      return;
    end if;
    update user_counts set completed = completed - lost.number
      from (select id, count(*) as number from unnest(users) id group by id) as lost
     where user_id = lost.id and form_id = form;
    delete from user_counts where user_id = any (users) and form_id = form and completed <= 0;
    with freed as (delete from held_options where submission_uuid = any (gone) returning option_id)
    update option_counts set taken = taken - lost.number
      from (select option_id, count(*) as number from freed group by option_id) as lost
     where option_counts.option_id = lost.option_id;
  end $$;

  create function formtrail_submission_counted() returns trigger language plpgsql security definer as $$
  begin
    if tg_op = 'UPDATE' then
      if old.status = 'completed' and not old.is_test then
        perform ${schema}.formtrail_uncount(old.form_id, array[old.uuid], array[old.user_id]);
      end if;
    end if;
    if new.status = 'completed' and not new.is_test then
      perform pg_advisory_xact_lock_shared(${COUNTS_LOCK}, new.form_id);
      if exists (select from ${schema}.form_counts where form_id = new.form_id) then
        -- The service judged the draft before the form got this limit. It responds with 503, and the client repeats its request.
        if nullif(current_setting('formtrail.judged_version', true), '') <>
          (select version::text from ${schema}.forms where id = new.form_id)
        then
          raise exception 'the form has changed since the submission was judged' using errcode = 'serialization_failure';
        end if;
        perform ${schema}.formtrail_count(new);
      end if;
    end if;
    return null;
  end $$;

  -- One form after the other in the order of their ids, so that two deletions cannot deadlock.
  create function formtrail_submissions_uncounted() returns trigger language plpgsql security definer as $$
  begin
    if exists (select from gone where status = 'completed' and not is_test) then
      perform ${schema}.formtrail_uncount(form_id, uuids, users) from (
        select form_id, array_agg(uuid) as uuids, array_agg(user_id) as users
          from gone where status = 'completed' and not is_test group by form_id order by form_id) as of_form;
    end if;
    return null;
  end $$;

  create function formtrail_no_submissions() returns trigger ${AS_OWNER} $$
  begin
    update form_counts set completed = 0;
    delete from user_counts;
    delete from held_options;
    update option_counts set taken = 0;
    return null;
  end $$`;

/** Storing values and moving fire no trigger. */
const TRIGGERS = `
  create trigger counts_insert after insert on submissions
    for each row when (new.status = 'completed') execute function formtrail_submission_counted();
  create trigger counts_update after update of status, form_id, user_id, is_test on submissions
    for each row when ((old.status = 'completed' or new.status = 'completed')
      and (old.status, old.form_id, old.user_id, old.is_test) is distinct from (new.status, new.form_id, new.user_id, new.is_test))
    execute function formtrail_submission_counted();
  create trigger counts_delete after delete on submissions referencing old table as gone
    for each statement execute function formtrail_submissions_uncounted();
  create trigger counts_truncate before truncate on submissions
    for each statement execute function formtrail_no_submissions()`;
