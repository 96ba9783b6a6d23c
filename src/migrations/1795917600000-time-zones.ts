import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the time zone of a form, which decides which day `today` is in its rules (J2). The existing trigger compares the whole row of a
 * form, so a change of the time zone raises the version (F8).
 */
export class TimeZones1795917600000 implements MigrationInterface {
  name = 'TimeZones1795917600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table forms add time_zone varchar(255);
      comment on column forms.time_zone is
        'The time zone that decides which day today is in rules for dates: a name of the IANA time zone database, such as Europe/Berlin; null: any day that it is somewhere on Earth.';

      -- A trigger, because a check constraint must not depend on files of the server. pg_timezone_names also has files that
      -- are no names of time zones, and a second copy of each name below posix/ or right/.
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
        for each row execute function formtrail_check_time_zone();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger forms_time_zone on forms;
      drop function formtrail_check_time_zone();
      alter table forms drop time_zone;
    `);
  }
}
