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

/** A row that is inserted without a time was completed no later than its last write. */
const FUNCTION = `
  create function formtrail_set_completed_at() returns trigger language plpgsql as $$
  begin
    new.completed_at := case when new.status = 'completed' then
      case tg_op when 'INSERT' then new.updated_at else statement_timestamp() end end;
    return new;
  end $$`;

/**
 * Fire only if the program has not set the time itself. The service does, and a copy of a row keeps the time of the original. Storing values
 * and moving therefore cost nothing more, and neither does a completion by the service.
 */
const IS_AMISS = `(new.status = 'completed') is distinct from (new.completed_at is not null)`;
const TRIGGERS = `
  create trigger completed_at_insert before insert on submissions
    for each row when (${IS_AMISS}) execute function formtrail_set_completed_at();
  create trigger completed_at_update before update of status on submissions
    for each row when (old.status is distinct from new.status and ${IS_AMISS}) execute function formtrail_set_completed_at()`;
