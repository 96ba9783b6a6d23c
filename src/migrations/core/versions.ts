import { AS_OWNER } from '../sql.js';

/** A transaction raises the version of a form once, whichever program changes the form or its parts (F8). */
const VERSIONS = `
  -- True the first time that a transaction asks for this form. The setting ends with the transaction. A rollback to a savepoint
  -- restores it together with the version.
  create function formtrail_claim_form(form integer) returns boolean language plpgsql as $$
  declare
    claimed text := coalesce(nullif(current_setting('formtrail.claimed_forms', true), ''), ',');
  begin
    if claimed like '%,' || form || ',%' then
      return false;
    end if;
    perform set_config('formtrail.claimed_forms', claimed || form || ',', true);
    perform pg_notify('formtrail', 'form ' || form);
    return true;
  end $$;

  create function formtrail_actor() returns varchar language sql stable as $$
    select left(nullif(current_setting('formtrail.actor', true), ''), 255)
  $$;

  create function formtrail_claim_new_form() returns trigger language plpgsql as $$
  begin
    perform formtrail_claim_form(new.id);
    new.updated_by := formtrail_actor();
    return new;
  end $$;
  create trigger forms_claim before insert on forms for each row execute function formtrail_claim_new_form();

  create function formtrail_raise_version() returns trigger language plpgsql as $$
  begin
    if new is not distinct from old then
      return new;
    end if;
    new.version := old.version;
    new.updated_at := old.updated_at;
    new.updated_by := old.updated_by;
    if formtrail_claim_form(new.id) then
      new.version := old.version + 1;
      new.updated_at := greatest(clock_timestamp(), case when old.updated_at < '9999-12-31 00:00:00+00' then old.updated_at end + interval '1 microsecond');
      new.updated_by := formtrail_actor();
    end if;
    return new;
  end $$;
  create trigger forms_version before update on forms for each row execute function formtrail_raise_version();

  create function formtrail_form_deleted() returns trigger language plpgsql as $$
  begin
    perform pg_notify('formtrail', 'form ' || old.id);
    return null;
  end $$;
  create trigger forms_deleted after delete on forms for each row execute function formtrail_form_deleted();

  create function formtrail_token_changed() returns trigger language plpgsql as $$
  begin
    perform pg_notify('formtrail', 'token ' || encode(old.token_hash, 'hex'));
    return null;
  end $$;
  create trigger api_tokens_changed after update or delete on api_tokens
    for each row execute function formtrail_token_changed()`;

/**
 * Caches keep the schema of a version for a year under the UUID of its form (N3). A form that is deleted and created again with its
 * UUID therefore begins above the last version, and so does a form that gets another UUID.
 */
const UUIDS = `
  -- The update changes nothing, but waits for a transaction that deletes a form with the UUID.
  create function formtrail_begin_uuid() returns trigger ${AS_OWNER} $$
  declare
    last integer;
  begin
    insert into form_uuids as known (uuid) values (new.uuid)
        on conflict (uuid) do update set last_version = known.last_version
    returning last_version into last;
    new.version := greatest(new.version, last + 1);
    return new;
  end $$;
  -- After forms_version in the order of names, because that trigger decides the version.
  create trigger forms_version_begun before insert on forms for each row execute function formtrail_begin_uuid();
  create trigger forms_version_moved before update on forms for each row
    when (new.uuid is distinct from old.uuid) execute function formtrail_begin_uuid();

  create function formtrail_end_uuid() returns trigger ${AS_OWNER} $$
  begin
    insert into form_uuids as known (uuid, last_version) values (old.uuid, old.version)
        on conflict (uuid) do update set last_version = greatest(known.last_version, old.version);
    return null;
  end $$;
  create trigger forms_uuid_left after update on forms for each row
    when (new.uuid is distinct from old.uuid) execute function formtrail_end_uuid();
  create trigger forms_uuid_deleted after delete on forms for each row execute function formtrail_end_uuid();

  create function formtrail_forms_truncated() returns trigger ${AS_OWNER} $$
  begin
    insert into form_uuids as known (uuid, last_version) select uuid, version from forms
        on conflict (uuid) do update set last_version = greatest(known.last_version, excluded.last_version);
    perform pg_notify('formtrail', 'truncated');
    return null;
  end $$;
  create trigger forms_truncated before truncate on forms for each statement execute function formtrail_forms_truncated()`;

/** Collects the values of a column into `touched`, from the rows that a statement inserted, deleted or changed. */
const collect = (column: string) => `
    if tg_op = 'INSERT' then
      select array_agg(distinct ${column} order by ${column}) into touched from after;
    elsif tg_op = 'DELETE' then
      select array_agg(distinct ${column} order by ${column}) into touched from before;
    else
      select array_agg(distinct ${column} order by ${column}) into touched
        from ((table before except table after) union all (table after except table before)) changed;
    end if;`;

/**
 * Functions of statement triggers on the parts of forms. An import changes 20,000 rows in a statement, so row triggers take too long.
 * Forms are touched in the order of their ids, so that two statements cannot deadlock.
 */
const PARTS = `
  -- The version given here only marks the row as changed; formtrail_raise_version decides what it becomes.
  create function formtrail_touch_forms(variadic touched integer[]) returns void language sql as $$
    update forms set version = version + 1 where id = any (touched)
      and coalesce(current_setting('formtrail.claimed_forms', true), '') not like '%,' || id || ',%'
  $$;

  create function formtrail_touch_forms_of_rows() returns trigger language plpgsql as $$
  declare
    touched integer[];
    form integer;
  begin${collect('form_id')}
    foreach form in array coalesce(touched, '{}') loop
      perform formtrail_touch_forms(form);
    end loop;
    return null;
  end $$;

  -- The fields are collected first, because Citus does not know the table of a trigger in a statement on the table fields.
  create function formtrail_touch_forms_of_fields() returns trigger language plpgsql as $$
  declare
    touched integer[];
    form integer;
  begin${collect('field_id')}
    for form in select distinct form_id from fields where id = any (touched) order by form_id loop
      perform formtrail_touch_forms(form);
    end loop;
    return null;
  end $$;

  create function formtrail_touch_by_field_type() returns trigger language plpgsql as $$
  begin
    if new is distinct from old then
      perform formtrail_touch_forms(form_id)
        from (select distinct form_id from fields where field_type_id = new.id order by form_id) used;
    end if;
    return null;
  end $$;
  create trigger field_types_touch after update on field_types
    for each row execute function formtrail_touch_by_field_type();

  -- Fires before TRUNCATE, while the forms of the rows are still known: the argument is a query for them.
  create function formtrail_truncated() returns trigger language plpgsql as $$
  begin
    if tg_nargs > 0 then
      execute 'update forms set version = version + 1 where id in (' || tg_argv[0] || ')';
    end if;
    perform pg_notify('formtrail', 'truncated');
    return null;
  end $$`;

const ofFields = (table: string) => `select form_id from ${table} join fields on fields.id = field_id`;

/** SQL of the triggers of a table of published forms, whose rows have a form or a field. */
const touching = (table: string, owner: 'rows' | 'fields') => `
  create trigger ${table}_touch_insert after insert on ${table} referencing new table as after
    for each statement execute function formtrail_touch_forms_of_${owner}();
  create trigger ${table}_touch_update after update on ${table} referencing old table as before new table as after
    for each statement execute function formtrail_touch_forms_of_${owner}();
  create trigger ${table}_touch_delete after delete on ${table} referencing old table as before
    for each statement execute function formtrail_touch_forms_of_${owner}();
  ${truncated(table, `'${owner === 'rows' ? `select form_id from ${table}` : ofFields(table)}'`)}`;

const truncated = (table: string, forms = '') => `
  create trigger ${table}_truncated before truncate on ${table}
    for each statement execute function formtrail_truncated(${forms})`;

/**
 * When a transaction commits, every instance is notified on the channel `formtrail` (`form <id>`, `token <hash>`, `truncated`), so that
 * it can invalidate its caches (F9, A3).
 */
export const VERSION_TRIGGERS = [
  VERSIONS,
  UUIDS,
  PARTS,
  ...['steps', 'entities', 'fields', 'conditions'].map((table) => touching(table, 'rows')),
  ...['options', 'field_rules'].map((table) => touching(table, 'fields')),
  ...['field_types', 'users', 'api_tokens'].map((table) => truncated(table)),
].join(';');

export const DROP_VERSION_TRIGGERS = `
  drop function formtrail_claim_new_form, formtrail_raise_version, formtrail_claim_form, formtrail_actor, formtrail_form_deleted,
    formtrail_token_changed, formtrail_begin_uuid, formtrail_end_uuid, formtrail_forms_truncated, formtrail_touch_forms,
    formtrail_touch_forms_of_rows, formtrail_touch_forms_of_fields, formtrail_touch_by_field_type, formtrail_truncated`;
