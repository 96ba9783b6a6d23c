import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables whose rows are published or cached, each with a query for the forms that its rows belong to. */
const FORMS_OF = {
  forms: undefined,
  steps: 'select form_id from steps',
  fields: 'select form_id from fields',
  conditions: 'select form_id from conditions',
  options: 'select fields.form_id from options join fields on fields.id = options.field_id',
  field_types: undefined,
  users: undefined,
  api_tokens: undefined,
} as const;

/**
 * TRUNCATE is a change like any other (F8, F9, A3), but does not fire row triggers. Each table therefore gets a statement trigger,
 * which fires before TRUNCATE, while the forms of the rows are still known. Entities are not published, so a change of an entity no
 * longer raises the version of its form.
 */
export class Truncation1795305600000 implements MigrationInterface {
  name = 'Truncation1795305600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger entities_touch on entities');
    for (const [table, forms] of Object.entries(FORMS_OF)) {
      await runner.query(`
        create function formtrail_${table}_truncated() returns trigger language plpgsql as $$
        begin
          ${forms === undefined ? '' : `update forms set version = version + 1 where id in (${forms});`}
          perform pg_notify('formtrail', 'truncated');
          return null;
        end $$;
        create trigger ${table}_truncated before truncate on ${table}
          for each statement execute function formtrail_${table}_truncated()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of Object.keys(FORMS_OF)) {
      await runner.query(`drop trigger ${table}_truncated on ${table}`);
      await runner.query(`drop function formtrail_${table}_truncated()`);
    }
    await runner.query(`create trigger entities_touch after insert or update or delete on entities
      for each row execute function formtrail_touch_by_form_id()`);
  }
}
