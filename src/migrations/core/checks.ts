/** The database fills in `form_id`, so that other programs need not. Without the conditions, PostgreSQL calls the functions for all rows. */
const FORM_IDS = `
  create function formtrail_form_of_step() returns trigger language plpgsql as $$
  begin
    select form_id into new.form_id from steps where id = new.step_id;
    return new;
  end $$;
  create trigger fields_form_id before insert on fields
    for each row when (coalesce(new.form_id, 0) = 0) execute function formtrail_form_of_step();

  create function formtrail_form_of_condition() returns trigger language plpgsql as $$
  begin
    select form_id into new.form_id from (
      select form_id from fields where id = new.field_id
      union all select form_id from steps where id = new.step_id
      union all select form_id from entities where id = new.entity_id
    ) owners limit 1;
    return new;
  end $$;
  create trigger conditions_form_id before insert on conditions
    for each row when (coalesce(new.form_id, 0) = 0) execute function formtrail_form_of_condition()`;

/**
 * A trigger, because a check constraint must not depend on files of the server. `pg_timezone_names` also has files that are no names
 * of time zones, and a second copy of each name below `posix/` or `right/`.
 */
const TIME_ZONES = `
  create function formtrail_check_time_zone() returns trigger language plpgsql as $$
  begin
    if new.time_zone is null or (tg_op = 'UPDATE' and new.time_zone = old.time_zone) then
      return new;
    end if;
    if new.time_zone ~ '^(posix/|right/|Factory$|localtime$|posixrules$)'
      or not exists (select from pg_timezone_names where lower(name) = lower(new.time_zone)) then
      raise exception 'there is no time zone "%"', new.time_zone using errcode = 'check_violation',
        hint = 'Give a name of the IANA time zone database, such as Europe/Berlin, or null.',
        table = 'forms', column = 'time_zone', constraint = 'forms_time_zone_check';
    end if;
    return new;
  end $$;
  create trigger forms_time_zone before insert or update of time_zone on forms
    for each row execute function formtrail_check_time_zone()`;

/** The tables whose rows have names that are keys of field errors, with the other table, because no form may have a name in both. */
const NAMED = [
  {
    ...{ table: 'fields', column: 'code', title: 'code of a field' },
    ...{ others: 'entities', otherColumn: 'name', otherTitle: 'name of an entity' },
  },
  {
    ...{ table: 'entities', column: 'name', title: 'name of an entity' },
    ...{ others: 'fields', otherColumn: 'code', otherTitle: 'code of a field' },
  },
] as const;

/** The most rows of a form, by table, with the column that leads to the form, and a query for the rows of `form` (F14). */
const LIMITS = {
  fields: { most: 10_000, owner: 'form_id', rows: 'select from fields where form_id = form' },
  options: {
    ...{ most: 100_000, owner: 'field_id' },
    rows: 'select from options join fields on fields.id = field_id where form_id = form',
  },
  conditions: { most: 30_000, owner: 'form_id', rows: 'select from conditions where form_id = form' },
} as const;

/**
 * The field errors of a response have a key for each field, for each field in a record (`code.17`), and for each entity (R3, J4). The
 * triggers reject names of a form that are not unique as keys. They are deferrable constraint triggers, so that a transaction may
 * exchange two names. A trigger checks the row as it is when the trigger fires.
 *
 * Parallel transactions cannot store equal names, because each transaction locks the row of the form before it searches for the name.
 * With READ COMMITTED, a transaction then sees the names that an earlier transaction committed. With a stricter isolation level,
 * PostgreSQL raises an error instead of locking a row that has changed meanwhile.
 */
const NAMES = NAMED.map(({ table, column, title, others, otherColumn, otherTitle }) => {
  const shared = `${table}_${column}_${others === 'fields' ? 'field' : 'entity'}_${otherColumn}_key`;
  return `
  create function formtrail_${table}_${column}_changed() returns trigger language plpgsql as $$
  declare
    given text;
    is_shared boolean;
  begin
    if tg_op = 'UPDATE' and new.${column} = old.${column} and new.form_id = old.form_id then
      return null;
    end if;
    perform from forms where id = new.form_id for no key update;
    select ${column}, exists (select from ${others} where form_id = new.form_id and ${others}.${otherColumn} = ${table}.${column})
      into given, is_shared from ${table} where id = new.id;
    if given ~ '[.][0-9]+$' then
      raise exception 'the ${title} "%" ends in a dot and a number', given using errcode = 'check_violation',
        detail = 'The mistakes of a field in a record have the code of the field, a dot and the id of the record.',
        table = '${table}', column = '${column}', constraint = '${table}_${column}_record_check';
    end if;
    if is_shared then
      raise exception 'the ${title} "%" is the ${otherTitle} of the same form', given
        using errcode = 'unique_violation', detail = 'Nobody could tell their mistakes apart.',
        table = '${table}', column = '${column}', constraint = '${shared}';
    end if;
    return null;
  end $$;
  create constraint trigger ${shared} after insert or update of ${column}, form_id on ${table}
    deferrable for each row execute function formtrail_${table}_${column}_changed()`;
});

/** The owners are collected first, because Citus does not know the table of a trigger in a statement on the table fields. */
const COUNTS = Object.entries(LIMITS).map(
  ([table, { most, owner, rows }]) => `
  create function formtrail_limit_${table}() returns trigger language plpgsql as $$
  declare
    owners integer[] := array(select distinct ${owner} from after);
    form integer;
  begin
    for form in ${owner === 'form_id' ? 'select unnest(owners)' : 'select distinct form_id from fields where id = any (owners)'} loop
      perform from (${rows} offset ${most} limit 1) excess;
      if found then
        raise exception 'a form has at most ${most} ${table}' using errcode = 'check_violation',
          detail = 'Divide the form into several forms.', table = '${table}', constraint = '${table}_count_check';
      end if;
    end loop;
    return null;
  end $$;
  create trigger ${table}_limited after insert on ${table} referencing new table as after
    for each statement execute function formtrail_limit_${table}()`,
);

export const CHECKS = [FORM_IDS, TIME_ZONES, ...NAMES, ...COUNTS].join(';');

export const DROP_CHECKS = `
  drop function formtrail_form_of_step, formtrail_form_of_condition, formtrail_check_time_zone, formtrail_fields_code_changed,
    formtrail_entities_name_changed, formtrail_limit_fields, formtrail_limit_options, formtrail_limit_conditions`;
