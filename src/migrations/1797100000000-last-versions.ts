import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The most rows of a form, by table, with the column that leads to the form, and a query for the rows of `form` (F14). */
const LIMITS = {
  fields: { most: 10_000, owner: 'form_id', rows: 'select from fields where form_id = form' },
  options: {
    ...{ most: 100_000, owner: 'field_id' },
    rows: 'select from options join fields on fields.id = field_id where form_id = form',
  },
  conditions: { most: 30_000, owner: 'form_id', rows: 'select from conditions where form_id = form' },
} as const;

/** The function as it was, with a statement that keeps the versions of all forms. */
const formsTruncated = (rights: string, keep: string) => `
  create or replace function formtrail_forms_truncated() returns trigger language plpgsql ${rights} as $$
  begin
    ${keep}
    perform pg_notify('formtrail', 'truncated');
    return null;
  end $$`;

/** The functions that write form_uuids have the rights of the owner, so that the roles of panels need none. */
const DEFINER = 'security definer set search_path from current';

/**
 * Caches keep the schema of a version for a year under the UUID of its form (N3). A form that is deleted and created again with its
 * UUID therefore begins above the last version, and so does a form that gets another UUID. The database keeps the last version of
 * each UUID.
 *
 * New rows of a form are limited (F14). A form that is larger already stays as it is, and its rows can be changed and deleted.
 */
export class LastVersions1797100000000 implements MigrationInterface {
  name = 'LastVersions1797100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table form_uuids (
        uuid uuid primary key,
        last_version integer not null default 0
      );
      comment on table form_uuids is 'The UUIDs of forms, also of deleted ones, so that no version of a UUID repeats. Triggers write it.';
      comment on column form_uuids.uuid is 'The UUID of a form.';
      comment on column form_uuids.last_version is 'The last version of a form that had the UUID and was deleted or got another one; 0: none.';

      -- The update changes nothing, but waits for a transaction that deletes a form with the UUID.
      create function formtrail_begin_uuid() returns trigger language plpgsql ${DEFINER} as $$
      declare
        last integer;
      begin
        insert into form_uuids as known (uuid) values (new.uuid)
            on conflict (uuid) do update set last_version = known.last_version
        returning last_version into last;
        new.version := greatest(new.version, last + 1);
        return new;
      end $$;

      create function formtrail_end_uuid() returns trigger language plpgsql ${DEFINER} as $$
      begin
        insert into form_uuids as known (uuid, last_version) values (old.uuid, old.version)
            on conflict (uuid) do update set last_version = greatest(known.last_version, old.version);
        return null;
      end $$;

      -- After forms_version in the order of names, because that trigger decides the version.
      create trigger forms_version_begun before insert on forms for each row execute function formtrail_begin_uuid();
      create trigger forms_version_moved before update on forms for each row
        when (new.uuid is distinct from old.uuid) execute function formtrail_begin_uuid();
      create trigger forms_uuid_left after update on forms for each row
        when (new.uuid is distinct from old.uuid) execute function formtrail_end_uuid();
      create trigger forms_uuid_deleted after delete on forms for each row execute function formtrail_end_uuid()`);
    await runner.query(
      formsTruncated(
        DEFINER,
        `insert into form_uuids as known (uuid, last_version) select uuid, version from forms
             on conflict (uuid) do update set last_version = greatest(known.last_version, excluded.last_version);`,
      ),
    );
    // The owners are collected first: a statement on the table fields then has no table of a trigger in it, which Citus would
    // not know.
    for (const [table, { most, owner, rows }] of Object.entries(LIMITS))
      await runner.query(`
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
          for each statement execute function formtrail_limit_${table}()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of Object.keys(LIMITS)) {
      await runner.query(`drop trigger ${table}_limited on ${table}`);
      await runner.query(`drop function formtrail_limit_${table}()`);
    }
    await runner.query(formsTruncated('', ''));
    for (const trigger of ['version_begun', 'version_moved', 'uuid_left', 'uuid_deleted'])
      await runner.query(`drop trigger forms_${trigger} on forms`);
    await runner.query('drop function formtrail_begin_uuid(), formtrail_end_uuid()');
    await runner.query('drop table form_uuids');
  }
}
