import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For each table whose rows are published or remembered: the forms that its rows are part of. */
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
 * F8, F9, A3: TRUNCATE is a change like any other. Triggers for rows do not hear of it, so that each table has one for
 * the statement. It comes before the rows are gone, while it can be told whose they were. An entity, which is no part of
 * what a form publishes, no longer moves its version.
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
