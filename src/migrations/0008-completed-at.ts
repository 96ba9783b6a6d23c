import type { MigrationInterface, QueryRunner } from 'typeorm';

const CHECK = 'submissions_completed_at_check';

/**
 * Adds the time of completion. Submissions that are completed already keep null, because their last write may be a later change of their
 * meta. No row is written, so that the lock is short however many rows there are.
 */
export class CompletedAt1798000000008 implements MigrationInterface {
  name = 'CompletedAt1798000000008';

  async up(runner: QueryRunner): Promise<void> {
    // Separate queries, because Citus accepts only one change of a distributed table in a query.
    await runner.query('alter table submissions add column completed_at timestamptz');
    await runner.query(`comment on column submissions.completed_at is
      'When it was completed; null: a draft, or completed before the database kept this time.'`);
    await runner.query(`alter table submissions add constraint ${CHECK}
      check (completed_at >= '0001-01-01 00:00:00+00' and completed_at < '10000-01-01 00:00:00+00') not valid`);
    await runner.query(FUNCTION);
    if (await hasTriggers(runner)) await runner.query(TRIGGERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function formtrail_set_completed_at cascade');
    await runner.query('alter table submissions drop column completed_at');
  }
}

/** Reads the whole table, but blocks no write. */
export class CompletedAtChecked1798000000009 implements MigrationInterface {
  name = 'CompletedAtChecked1798000000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table submissions validate constraint ${CHECK}`);
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

/** The migration UserStorage adds this trigger, and `db distribute` drops it, because distributed tables cannot have triggers. */
async function hasTriggers(runner: QueryRunner): Promise<boolean> {
  const found = (await runner.query(
    `select tgname from pg_trigger where tgrelid = 'submissions'::regclass and tgname = 'written_off'`,
  )) as unknown[];
  return found.length > 0;
}

/**
 * Keeps a time that the program gives: the statement of the service has the time of its `updated_at`, and a copy of a row has the time of
 * the original. A row that is inserted without it was completed no later than its last write.
 */
const FUNCTION = `
  create function formtrail_set_completed_at() returns trigger language plpgsql as $$
  begin
    new.completed_at := case when new.status = 'completed' then coalesce(
      new.completed_at, case tg_op when 'INSERT' then new.updated_at else statement_timestamp() end) end;
    return new;
  end $$`;

/** Completing and reopening are the only updates that call the function, so that storing values and moving cost nothing more. */
const TRIGGERS = `
  create trigger completed_at_insert before insert on submissions
    for each row when (new.status = 'completed' or new.completed_at is not null) execute function formtrail_set_completed_at();
  create trigger completed_at_update before update of status on submissions
    for each row when (old.status is distinct from new.status) execute function formtrail_set_completed_at()`;
