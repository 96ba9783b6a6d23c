import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables whose rows can have conditions, in addition to fields (C10). */
const OWNERS = [
  { column: 'step_id', table: 'steps', comment: 'The step that the condition shows or hides.' },
  { column: 'entity_id', table: 'entities', comment: 'The entity that the condition shows or hides.' },
] as const;

/** Steps and entities get conditions too. A condition has exactly one owner, which belongs to the form of the tested field. */
export class ConditionsOfSteps1796500000000 implements MigrationInterface {
  name = 'ConditionsOfSteps1796500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table conditions alter field_id drop not null;
      comment on table conditions is 'Conditions that show, hide or require a field, or show or hide a step or an entity, depending on the stored value of a field of the form.';
      comment on column conditions.form_id is 'The form of the owner and of the tested field; 0 or null: the database sets it.';
      comment on column conditions.field_id is 'The field that the condition shows, hides or requires.';
      comment on column conditions.action is 'The effect on the owner while the condition is met.';
      comment on column conditions.group_number is 'Conditions of an owner with the same action and number must all be met; null: the condition counts alone.'`);
    for (const { column, table, comment } of OWNERS)
      await runner.query(`
        alter table conditions add ${column} integer;
        alter table conditions add constraint conditions_${column}_form_id_fkey
          foreign key (${column}, form_id) references ${table} (id, form_id) on delete cascade;
        create index conditions_${column}_idx on conditions (${column});
        comment on column conditions.${column} is '${comment}'`);
    await runner.query(`
      alter table conditions add constraint conditions_owner_check
        check (num_nonnulls(field_id, step_id, entity_id) = 1);
      alter table conditions add constraint conditions_require_check
        check (action <> 'require' or field_id is not null);

      create function formtrail_form_of_condition() returns trigger language plpgsql as $$
      begin
        select form_id into new.form_id from (
          select form_id from fields where id = new.field_id
          union all select form_id from steps where id = new.step_id
          union all select form_id from entities where id = new.entity_id
        ) owners limit 1;
        return new;
      end $$`);
    await fill(runner, 'formtrail_form_of_condition');
    await runner.query('drop function formtrail_form_of_field()');
  }

  /** Conditions of steps and entities are deleted, because the schema before has no place for them. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function formtrail_form_of_field() returns trigger language plpgsql as $$
      begin
        select form_id into new.form_id from fields where id = new.field_id;
        return new;
      end $$`);
    await fill(runner, 'formtrail_form_of_field');
    await runner.query(`
      drop function formtrail_form_of_condition();
      delete from conditions where field_id is null;
      alter table conditions drop constraint conditions_require_check;
      alter table conditions drop constraint conditions_owner_check;
      alter table conditions drop entity_id;
      alter table conditions drop step_id;
      alter table conditions alter field_id set not null`);
  }
}

async function fill(runner: QueryRunner, procedure: string): Promise<void> {
  await runner.query(`
    drop trigger conditions_form_id on conditions;
    create trigger conditions_form_id before insert on conditions
      for each row when (coalesce(new.form_id, 0) = 0) execute function ${procedure}()`);
}
