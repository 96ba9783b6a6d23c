import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the minimum and maximum number of records of an entity (R3). Forms now publish their entities (R4), so a change of an entity
 * raises the version again (F8). Also adds groups of conditions (C9).
 */
export class Records1795392000002 implements MigrationInterface {
  name = 'Records1795392000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table entities
        add column min_records integer,
        add column max_records integer,
        add constraint entities_min_records_check check (min_records between 0 and 200),
        add constraint entities_max_records_check check (max_records between 1 and 200),
        add constraint entities_records_check check (
          min_records <= max_records and (is_repeatable or (min_records <= 1 and max_records <= 1)));
      alter table conditions add column group_number integer;

      create trigger entities_touch after insert or update or delete on entities
        for each row execute function formtrail_touch_by_form_id();
      create function formtrail_entities_truncated() returns trigger language plpgsql as $$
      begin
        update forms set version = version + 1 where id in (select form_id from entities);
        perform pg_notify('formtrail', 'truncated');
        return null;
      end $$;
      create trigger entities_truncated before truncate on entities
        for each statement execute function formtrail_entities_truncated()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger entities_truncated on entities;
      drop function formtrail_entities_truncated();
      drop trigger entities_touch on entities;
      alter table conditions drop column group_number;
      alter table entities drop column min_records, drop column max_records`);
  }
}
