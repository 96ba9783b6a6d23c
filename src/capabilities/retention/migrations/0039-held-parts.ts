import type { MigrationInterface, QueryRunner } from 'typeorm';
import { AS_OWNER, hasTriggersOfSubmissions } from '../../../migrations/sql.js';

/** Rejects changes of the rows of held submissions in one table (T2), whichever program makes them. */
abstract class HeldParts implements MigrationInterface {
  abstract readonly name: string;
  protected abstract readonly table: string;

  async up(runner: QueryRunner): Promise<void> {
    if (!(await hasTriggersOfSubmissions(runner))) return;
    const check = (trigger: string, events: string) => `
      create trigger held_${trigger} ${events} for each statement when (formtrail_any_held())
        execute function formtrail_held_changed()`;
    await runner.query(
      [
        check('insert', `after insert on ${this.table} referencing new table as after`),
        check('update', `after update on ${this.table} referencing old table as before new table as after`),
        check('delete', `after delete on ${this.table} referencing old table as before`),
        truncation(this.table),
      ].join(';'),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    if (!(await hasTriggersOfSubmissions(runner))) return;
    for (const trigger of ['insert', 'update', 'delete', 'truncate'])
      await runner.query(`drop trigger held_${trigger} on ${this.table}`);
  }
}

const truncation = (table: string) => `
  create trigger held_truncate before truncate on ${table}
    for each statement execute function formtrail_held_truncated()`;

export class HeldValues1798000000039 extends HeldParts {
  name = 'HeldValues1798000000039';
  protected readonly table = 'submission_values';
}

export class HeldRecords1798000000040 extends HeldParts {
  name = 'HeldRecords1798000000040';
  protected readonly table = 'entity_records';
}

/** A scan may store its result, and a hold changes when a file expires. */
const CHANGED = 'uuid, submission_uuid, form_id, field_id, entity_record_id, name, size, media_type, sha256';

/** Rows instead of statements, because other columns of a file may change. A capability owns the table, so it may not exist. */
export class HeldFiles1798000000041 implements MigrationInterface {
  name = 'HeldFiles1798000000041';

  async up(runner: QueryRunner): Promise<void> {
    if (!(await runner.hasTable('files'))) return;
    await runner.query(`
      create function formtrail_held_file() returns trigger ${AS_OWNER} $$
      begin
        if tg_op <> 'INSERT' then
          perform formtrail_reject_held(submission_uuid) from held_submissions where submission_uuid = old.submission_uuid;
        end if;
        if tg_op = 'DELETE' then
          return old;
        end if;
        perform formtrail_reject_held(submission_uuid) from held_submissions where submission_uuid = new.submission_uuid;
        return new;
      end $$;
      create trigger held_change before insert or delete or update of ${CHANGED} on files
        for each row when (formtrail_any_held()) execute function formtrail_held_file();
      ${truncation('files')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    if (!(await runner.hasTable('files'))) return;
    await runner.query(`
      drop trigger if exists held_truncate on files;
      drop function if exists formtrail_held_file cascade`);
  }
}

/** Keeps the content of an infected file until its submission is released (T2). */
export class HeldContents1798000000048 implements MigrationInterface {
  name = 'HeldContents1798000000048';

  async up(runner: QueryRunner): Promise<void> {
    if (!(await runner.hasTable('file_deletions'))) return;
    await runner.query(`
      create function formtrail_held_content() returns trigger ${AS_OWNER} $$
      begin
        return case when not exists (select from held_submissions where submission_uuid = new.submission_uuid) then new end;
      end $$;
      create trigger held_insert before insert on file_deletions
        for each row when (formtrail_any_held()) execute function formtrail_held_content()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    if (await runner.hasTable('file_deletions'))
      await runner.query('drop function formtrail_held_content cascade');
  }
}
