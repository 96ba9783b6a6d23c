import type { MigrationInterface, QueryRunner } from 'typeorm';
import { BUSY, time, withComments } from '../../../migrations/sql.js';

/**
 * Adds the files of submissions (U1 to U6), and a queue of contents to delete from the storage. If a program deletes the row of a file,
 * or the submission, field, record or value that the file belongs to, triggers queue the content in the same transaction.
 */
export class Files1798000000002 implements MigrationInterface {
  name = 'Files1798000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(withComments(TABLES));
    await runner.query(TRIGGERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function formtrail_value_left_file, formtrail_file_deleted, formtrail_files_truncated cascade;
      drop table file_deletions, files`);
  }
}

const TABLES = `
  create table files ( -- Files that values refer to as file:<uuid>. Their bytes are in the storage that FILES_URL names.
    uuid uuid primary key, -- Version 7. It also names the bytes in the storage.
    submission_uuid uuid not null, -- The submission that contains the file. The file is deleted together with it.
    form_id integer not null, -- The form of the submission and of the field.
    field_id integer not null, -- The field whose value may refer to the file.
    entity_record_id bigint, -- The record of that value, or null.
    name varchar(255) not null check (name <> ''), -- The name on the client's device; never part of a path.
    size integer not null check (size between 1 and 26214400), -- The size in bytes, at most 25 MiB.
    media_type varchar(255) not null, -- The type that the client announced; once the file is stored, the type of its content.
    sha256 bytea not null check (octet_length(sha256) = 32), -- SHA-256 of the content, 32 bytes, verified before the file is stored.
    state varchar(20) not null default 'pending' check (state in ('pending', 'stored', 'clean', 'infected')), -- pending, stored, clean or infected.
    ${time('created_at')} not null default now(), -- When the file was announced.
    ${time('expires_at')}, -- When the file is deleted unless a value refers to it by then; null: a value referred to it at the last check.
    ${time('scan_at')} not null default now(), -- When the next scan of a stored file is due.
    foreign key (form_id, submission_uuid) references submissions (form_id, uuid) on delete cascade,
    foreign key (field_id, form_id) references fields (id, form_id) on delete cascade,
    foreign key (submission_uuid, entity_record_id) references entity_records (submission_uuid, id) on delete cascade
  ) with (${BUSY});
  create index files_submission_uuid_field_id_idx on files (submission_uuid, field_id);
  create index files_field_id_idx on files (field_id);
  create index files_expires_at_idx on files (expires_at) where expires_at is not null;
  create index files_scan_at_idx on files (scan_at) where state = 'stored';

  create table file_deletions ( -- A queue of stored bytes to delete, because their file is deleted or infected.
    uuid uuid primary key, -- The UUID of the file.
    submission_uuid uuid, -- The submission of the file, for the log; null: not known.
    ${time('due_at')} not null default now(), -- When the next attempt is due.
    ${time('until')} not null -- When the last deletion is due. No upload can be under way after this time.
  ) with (${BUSY});
  create index file_deletions_due_at_idx on file_deletions (due_at)`;

const TRIGGERS = `
  create function formtrail_file_deleted() returns trigger language plpgsql as $$
  begin
    insert into file_deletions (uuid, submission_uuid, until)
    values (old.uuid, old.submission_uuid, now() + interval '1 hour') on conflict do nothing;
    return null;
  end $$;
  create trigger files_deleted after delete on files for each row execute function formtrail_file_deleted();

  create function formtrail_files_truncated() returns trigger language plpgsql as $$
  begin
    insert into file_deletions (uuid, submission_uuid, until)
    select uuid, submission_uuid, now() + interval '1 hour' from files on conflict do nothing;
    return null;
  end $$;
  create trigger files_truncated before truncate on files for each statement execute function formtrail_files_truncated();

  create function formtrail_value_left_file() returns trigger language plpgsql as $$
  begin
    delete from files where 'file:' || uuid = old.value
      and submission_uuid = old.submission_uuid and field_id = old.field_id;
    return null;
  end $$;
  -- With the conditions, other values call no function.
  create trigger submission_values_file_replaced after update on submission_values
    for each row when (old.value like 'file:%' and old.value <> new.value) execute function formtrail_value_left_file();
  create trigger submission_values_file_deleted after delete on submission_values
    for each row when (old.value like 'file:%') execute function formtrail_value_left_file()`;
