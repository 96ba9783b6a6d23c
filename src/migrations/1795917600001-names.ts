import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables whose rows have names that are keys of field errors. Each entry also has the other table, because no name
 * of a form may occur in both tables.
 */
const NAMED = [
  {
    ...{ table: 'fields', column: 'code', title: 'code of a field' },
    ...{ others: 'entities', otherColumn: 'name', otherTitle: 'name of an entity' },
    ...{ shared: 'fields_code_entity_name_key', record: 'fields_code_record_check' },
  },
  {
    ...{ table: 'entities', column: 'name', title: 'name of an entity' },
    ...{ others: 'fields', otherColumn: 'code', otherTitle: 'code of a field' },
    ...{ shared: 'entities_name_field_code_key', record: 'entities_name_record_check' },
  },
] as const;

/**
 * The field errors of a response have a key for each field, for each field in a record (`code.17`), and for each
 * entity (R3, J4). The keys of a form must be unique, so this migration adds triggers that check them.
 *
 * The triggers reject only new names that are not unique. Existing names remain valid, and the other columns of their
 * rows can be changed, so every database can be upgraded. The triggers are deferrable constraint triggers, so that a
 * transaction may exchange two names. A trigger checks the row as it is when the trigger fires.
 *
 * Parallel transactions cannot store equal names, because each transaction locks the row of the form before it
 * searches for the name. With READ COMMITTED, a transaction then sees the names that an earlier transaction committed.
 * With a stricter isolation level, PostgreSQL raises an error instead of locking a row that has changed meanwhile.
 */
export class Names1795917600001 implements MigrationInterface {
  name = 'Names1795917600001';

  async up(runner: QueryRunner): Promise<void> {
    for (const { table, column, title, others, otherColumn, otherTitle, shared, record } of NAMED) {
      await runner.query(`
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
              table = '${table}', column = '${column}', constraint = '${record}';
          end if;
          if is_shared then
            raise exception 'the ${title} "%" is the ${otherTitle} of the same form', given
              using errcode = 'unique_violation', detail = 'Nobody could tell their mistakes apart.',
              table = '${table}', column = '${column}', constraint = '${shared}';
          end if;
          return null;
        end $$;
        create constraint trigger ${shared} after insert or update of ${column}, form_id on ${table}
          deferrable for each row execute function formtrail_${table}_${column}_changed()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { table, column, shared } of NAMED) {
      await runner.query(`drop trigger ${shared} on ${table}`);
      await runner.query(`drop function formtrail_${table}_${column}_changed()`);
    }
  }
}
