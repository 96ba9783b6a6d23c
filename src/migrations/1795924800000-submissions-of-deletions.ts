import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets the log name the submission of a file whose content cannot be deleted (U3), even after the submission and the
 * file are deleted.
 */
export class SubmissionsOfDeletions1795924800000 implements MigrationInterface {
  name = 'SubmissionsOfDeletions1795924800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table file_deletions add column submission_uuid uuid;
      comment on column file_deletions.submission_uuid is
        'Of the submission that had the file, for the log; null: queued by an older version.';

      create or replace function formtrail_file_deleted() returns trigger language plpgsql as $$
      begin
        insert into file_deletions (uuid, submission_uuid, until)
        values (old.uuid, old.submission_uuid, now() + interval '1 hour') on conflict do nothing;
        return null;
      end $$;

      create or replace function formtrail_files_truncated() returns trigger language plpgsql as $$
      begin
        insert into file_deletions (uuid, submission_uuid, until)
        select uuid, submission_uuid, now() + interval '1 hour' from files on conflict do nothing;
        return null;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function formtrail_file_deleted() returns trigger language plpgsql as $$
      begin
        insert into file_deletions (uuid, until) values (old.uuid, now() + interval '1 hour') on conflict do nothing;
        return null;
      end $$;

      create or replace function formtrail_files_truncated() returns trigger language plpgsql as $$
      begin
        insert into file_deletions (uuid, until) select uuid, now() + interval '1 hour' from files on conflict do nothing;
        return null;
      end $$;

      alter table file_deletions drop column submission_uuid`);
  }
}
