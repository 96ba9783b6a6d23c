import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table, name, event and function of each trigger. */
const TRIGGERS = [
  ['forms', 'forms_claim', 'before insert', 'formtrail_claim_new_form'],
  ['forms', 'forms_version', 'before update', 'formtrail_raise_version'],
  ['forms', 'forms_deleted', 'after delete', 'formtrail_form_deleted'],
  ['steps', 'steps_touch', 'after insert or update or delete', 'formtrail_touch_by_form_id'],
  ['entities', 'entities_touch', 'after insert or update or delete', 'formtrail_touch_by_form_id'],
  ['fields', 'fields_touch', 'after insert or update or delete', 'formtrail_touch_by_form_id'],
  ['conditions', 'conditions_touch', 'after insert or update or delete', 'formtrail_touch_by_form_id'],
  ['options', 'options_touch', 'after insert or update or delete', 'formtrail_touch_by_field_id'],
  ['field_types', 'field_types_touch', 'after update', 'formtrail_touch_by_field_type'],
  ['fields', 'fields_form_id', 'before insert', 'formtrail_form_of_step'],
  ['conditions', 'conditions_form_id', 'before insert', 'formtrail_form_of_field'],
  ['api_tokens', 'api_tokens_changed', 'after update or delete', 'formtrail_token_changed'],
] as const;

/**
 * Adds triggers that raise the version of a form once per transaction, for changes by any program (F8). When the
 * transaction commits, every instance is notified on the channel `formtrail` (`form <id>`, `token <hash>`), so that it
 * can invalidate its caches (F9).
 */
export class FormVersions1795219200001 implements MigrationInterface {
  name = 'FormVersions1795219200001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- True the first time that a transaction asks for this form. The setting ends with the transaction, and a
      -- rollback to a savepoint takes it back together with the version it stood for.
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

      create function formtrail_claim_new_form() returns trigger language plpgsql as $$
      begin
        perform formtrail_claim_form(new.id);
        return new;
      end $$;

      create function formtrail_raise_version() returns trigger language plpgsql as $$
      begin
        if new is not distinct from old then
          return new;
        end if;
        new.version := old.version;
        new.updated_at := old.updated_at;
        if formtrail_claim_form(new.id) then
          new.version := old.version + 1;
          new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
        end if;
        return new;
      end $$;

      create function formtrail_form_deleted() returns trigger language plpgsql as $$
      begin
        perform pg_notify('formtrail', 'form ' || old.id);
        return null;
      end $$;

      -- The version given here only marks the row as changed; formtrail_raise_version decides what it becomes.
      create function formtrail_touch_forms(variadic touched integer[]) returns void language sql as $$
        update forms set version = version + 1 where id = any (touched)
          and coalesce(current_setting('formtrail.claimed_forms', true), '') not like '%,' || id || ',%'
      $$;

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
      end $$;

      create function formtrail_touch_by_field_type() returns trigger language plpgsql as $$
      begin
        if new is distinct from old then
          -- In the order of their ids, so that two such changes cannot wait for each other.
          perform formtrail_touch_forms(form_id)
            from (select distinct form_id from fields where field_type_id = new.id order by form_id) used;
        end if;
        return null;
      end $$;

      create function formtrail_form_of_step() returns trigger language plpgsql as $$
      begin
        if new.form_id is null then
          select form_id into new.form_id from steps where id = new.step_id;
        end if;
        return new;
      end $$;

      create function formtrail_form_of_field() returns trigger language plpgsql as $$
      begin
        if new.form_id is null then
          select form_id into new.form_id from fields where id = new.field_id;
        end if;
        return new;
      end $$;

      create function formtrail_token_changed() returns trigger language plpgsql as $$
      begin
        perform pg_notify('formtrail', 'token ' || encode(old.token_hash, 'hex'));
        return null;
      end $$;
    `);
    for (const [table, trigger, when, procedure] of TRIGGERS) {
      await runner.query(
        `create trigger ${trigger} ${when} on ${table} for each row execute function ${procedure}()`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, trigger] of TRIGGERS) {
      await runner.query(`drop trigger ${trigger} on ${table}`);
    }
    await runner.query(`
      drop function formtrail_token_changed(), formtrail_form_of_field(), formtrail_form_of_step(),
        formtrail_touch_by_field_type(), formtrail_touch_by_field_id(), formtrail_touch_by_form_id(),
        formtrail_touch_forms(integer[]), formtrail_form_deleted(), formtrail_raise_version(),
        formtrail_claim_new_form(), formtrail_claim_form(integer)
    `);
  }
}
