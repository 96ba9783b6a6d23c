import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The new trigger function of each table, which raises the version of the forms of the changed rows. */
const TOUCHING = {
  steps: 'formtrail_touch_forms_of_rows',
  entities: 'formtrail_touch_forms_of_rows',
  fields: 'formtrail_touch_forms_of_rows',
  conditions: 'formtrail_touch_forms_of_rows',
  options: 'formtrail_touch_forms_of_fields',
  field_rules: 'formtrail_touch_forms_of_fields',
} as const;

/** PostgreSQL allows transition tables only in a trigger for a single event, so there is a trigger for each event. */
const EVENTS = {
  insert: 'referencing new table as after',
  update: 'referencing old table as before new table as after',
  delete: 'referencing old table as before',
} as const;

/** The table, name and function of the triggers that fill in `form_id`. */
const FILLING = [
  ['fields', 'fields_form_id', 'formtrail_form_of_step'],
  ['conditions', 'conditions_form_id', 'formtrail_form_of_field'],
] as const;

/** SQL that collects the values of a column into `touched`, from the rows that a statement inserted, deleted or changed. */
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
 * Row triggers took most of the time of an import: 20,000 options caused 20,000 calls. Statement triggers replace the
 * row triggers. A statement raises the version of each form at most once (F8, F9), in the order of the ids, so that
 * two statements cannot deadlock.
 */
export class StatementTriggers1795914000000 implements MigrationInterface {
  name = 'StatementTriggers1795914000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function formtrail_touch_forms_of_rows() returns trigger language plpgsql as $$
      declare
        touched integer[];
        form integer;
      begin
        ${collect('form_id')}
        foreach form in array coalesce(touched, '{}') loop
          perform formtrail_touch_forms(form);
        end loop;
        return null;
      end $$;

      -- The fields are collected first: a statement on the table fields then has no table of a trigger in it, which Citus
      -- would not know.
      create function formtrail_touch_forms_of_fields() returns trigger language plpgsql as $$
      declare
        touched integer[];
        form integer;
      begin
        ${collect('field_id')}
        for form in select distinct form_id from fields where id = any (touched) order by form_id loop
          perform formtrail_touch_forms(form);
        end loop;
        return null;
      end $$`);
    for (const [table, procedure] of Object.entries(TOUCHING)) {
      await runner.query(`drop trigger ${table}_touch on ${table}`);
      for (const [event, rows] of Object.entries(EVENTS)) {
        await runner.query(`
          create trigger ${table}_touch_${event} after ${event} on ${table} ${rows}
            for each statement execute function ${procedure}()`);
      }
    }
    await fill(runner, 'when (coalesce(new.form_id, 0) = 0)');
    await runner.query('drop function formtrail_touch_by_form_id(), formtrail_touch_by_field_id()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function formtrail_touch_by_form_id() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          perform formtrail_touch_forms(new.form_id);
        elsif tg_op = 'DELETE' then
          perform formtrail_touch_forms(old.form_id);
        elsif new is distinct from old then
          perform formtrail_touch_forms(old.form_id, new.form_id);
        end if;
        return null;
      end $$;

      create function formtrail_touch_by_field_id() returns trigger language plpgsql as $$
      begin
        if tg_op <> 'INSERT' and (tg_op = 'DELETE' or new is distinct from old) then
          perform formtrail_touch_forms(form_id) from fields where id = old.field_id;
        end if;
        if tg_op <> 'DELETE' and (tg_op = 'INSERT' or new is distinct from old) then
          perform formtrail_touch_forms(form_id) from fields where id = new.field_id;
        end if;
        return null;
      end $$`);
    await fill(runner, '');
    for (const [table, procedure] of Object.entries(TOUCHING)) {
      for (const event of Object.keys(EVENTS))
        await runner.query(`drop trigger ${table}_touch_${event} on ${table}`);
      const before =
        procedure === 'formtrail_touch_forms_of_rows'
          ? 'formtrail_touch_by_form_id'
          : 'formtrail_touch_by_field_id';
      await runner.query(`
        create trigger ${table}_touch after insert or update or delete on ${table}
          for each row execute function ${before}()`);
    }
    await runner.query('drop function formtrail_touch_forms_of_rows(), formtrail_touch_forms_of_fields()');
  }
}

/** Without a condition, PostgreSQL calls the function even for rows that already have a `form_id`. */
async function fill(runner: QueryRunner, condition: string): Promise<void> {
  for (const [table, trigger, procedure] of FILLING) {
    await runner.query(`
      drop trigger ${trigger} on ${table};
      create trigger ${trigger} before insert on ${table} for each row ${condition} execute function ${procedure}()`);
  }
}
