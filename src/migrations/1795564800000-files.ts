import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The comment on each column, by table. The comment on the table has an empty key. */
const COMMENTS: Record<string, Record<string, string>> = {
  fields: {
    max_bytes: 'What a file of the field may have at most, in bytes; null: 25 MiB.',
    accept: 'What a file of the field may be, as the accept attribute of HTML has it; null: anything.',
  },
  files: {
    '': 'Files that values stand for, as file:<uuid>; their bytes are in the storage that FILES_URL names.',
    uuid: 'Version 7; names the bytes in the storage too.',
    submission_uuid: 'The submission that has it; the file goes with it.',
    form_id: 'The form of the submission and of the field.',
    field_id: 'The field whose value it may be.',
    entity_record_id: 'The record that the value belongs to; null: none.',
    name: 'As the client has it; never part of a path.',
    size: 'In bytes, 25 MiB at most.',
    media_type: 'What the client says until the file is stored, then what its content says.',
    sha256: 'Of the content, 32 bytes; verified before the file is stored.',
    state: 'pending, stored, clean or infected.',
    created_at: 'When the file was announced.',
    expires_at: 'When it goes unless a value holds it by then; null: one did when that was looked at.',
    scan_at: 'When a stored file may be scanned next.',
  },
  file_deletions: {
    '': 'Bytes that are to be deleted from the storage: of files that are gone, or infected.',
    uuid: 'Of the file.',
    due_at: 'When it is tried next.',
    until: 'When it is done for the last time: by then nobody can still be uploading.',
  },
};

/**
 * Adds the files of submissions (U1 to U6), and a queue of contents to delete from the storage. If a program deletes
 * the row of a file, or the submission, field, record or value that the file belongs to, triggers queue the content in
 * the same transaction.
 */
export class Files1795564800000 implements MigrationInterface {
  name = 'Files1795564800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table fields
        add column max_bytes integer,
        add column accept varchar(1000),
        add constraint fields_max_bytes_check check (max_bytes between 1 and 26214400),
        -- As the attribute of HTML, in lower case.
        add constraint fields_accept_check check (accept ~
          '^([.][a-z0-9][a-z0-9.+_-]*|[a-z]+/([*]|[a-z0-9][a-z0-9.+_-]*))(, ?([.][a-z0-9][a-z0-9.+_-]*|[a-z]+/([*]|[a-z0-9][a-z0-9.+_-]*)))*$');

      create table files (
        uuid uuid primary key,
        submission_uuid uuid not null,
        form_id integer not null,
        field_id integer not null,
        entity_record_id integer,
        name varchar(255) not null check (name <> ''),
        size integer not null check (size between 1 and 26214400),
        media_type varchar(255) not null,
        sha256 bytea not null check (octet_length(sha256) = 32),
        state varchar(20) not null default 'pending' check (state in ('pending', 'stored', 'clean', 'infected')),
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        scan_at timestamptz not null default now(),
        foreign key (form_id, submission_uuid) references submissions (form_id, uuid) on delete cascade,
        foreign key (field_id, form_id) references fields (id, form_id) on delete cascade,
        foreign key (submission_uuid, entity_record_id) references entity_records (submission_uuid, id)
          on delete cascade
      );
      create index files_submission_uuid_field_id_idx on files (submission_uuid, field_id);
      create index files_field_id_idx on files (field_id);
      create index files_expires_at_idx on files (expires_at) where expires_at is not null;
      create index files_scan_at_idx on files (scan_at) where state = 'stored';

      create table file_deletions (
        uuid uuid primary key,
        due_at timestamptz not null default now(),
        -- Until then somebody may still be uploading.
        until timestamptz not null
      );
      create index file_deletions_due_at_idx on file_deletions (due_at);

      create function formtrail_file_deleted() returns trigger language plpgsql as $$
      begin
        insert into file_deletions (uuid, until) values (old.uuid, now() + interval '1 hour') on conflict do nothing;
        return null;
      end $$;
      create trigger files_deleted after delete on files
        for each row execute function formtrail_file_deleted();

      create function formtrail_files_truncated() returns trigger language plpgsql as $$
      begin
        insert into file_deletions (uuid, until) select uuid, now() + interval '1 hour' from files on conflict do nothing;
        return null;
      end $$;
      create trigger files_truncated before truncate on files
        for each statement execute function formtrail_files_truncated();

      create function formtrail_value_left_file() returns trigger language plpgsql as $$
      begin
        delete from files where 'file:' || uuid = old.value
          and submission_uuid = old.submission_uuid and field_id = old.field_id;
        return null;
      end $$;
      -- The conditions are looked at before anything is called, so that other values cost nothing.
      create trigger submission_values_file_replaced after update on submission_values
        for each row when (old.value like 'file:%' and old.value <> new.value)
        execute function formtrail_value_left_file();
      create trigger submission_values_file_deleted after delete on submission_values
        for each row when (old.value like 'file:%')
        execute function formtrail_value_left_file();
    `);
    for (const [table, comments] of Object.entries(COMMENTS)) {
      for (const [column, comment] of Object.entries(comments)) {
        const what = column === '' ? `table ${table}` : `column ${table}.${column}`;
        await runner.query(`comment on ${what} is '${comment}'`);
      }
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger if exists submission_values_file_deleted on submission_values;
      drop trigger if exists submission_values_file_replaced on submission_values;
      drop table file_deletions, files;
      drop function formtrail_value_left_file(), formtrail_files_truncated(), formtrail_file_deleted();
      alter table fields drop column max_bytes, drop column accept`);
  }
}
