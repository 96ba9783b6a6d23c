import type { MigrationInterface, QueryRunner } from 'typeorm';

/** All timestamp columns, by table. */
export const TIMESTAMPS: Readonly<Record<string, readonly string[]>> = {
  users: ['created_at'],
  api_tokens: ['expires_at', 'revoked_at', 'created_at'],
  forms: ['created_at', 'updated_at'],
  submissions: ['created_at', 'updated_at'],
  entity_records: ['created_at'],
  idempotency_keys: ['expires_at'],
  files: ['created_at', 'expires_at', 'scan_at'],
  file_deletions: ['due_at', 'until'],
  webhook_endpoints: ['previous_secret_expires_at', 'failing_since', 'created_at'],
  webhook_outbox: ['submission_created_at', 'submission_updated_at', 'created_at'],
  webhook_deliveries: ['next_attempt_at', 'created_at'],
};

/** The columns that may contain `infinity`, which means that there is no end. */
export const MAY_BE_INFINITE = ['api_tokens.expires_at', 'webhook_endpoints.previous_secret_expires_at'];

export const checkOf = (table: string, column: string) =>
  `${column} >= '0001-01-01 00:00:00+00' and ${column} < '10000-01-01 00:00:00+00'` +
  (MAY_BE_INFINITE.includes(`${table}.${column}`) ? ` or ${column} = 'infinity'` : '');

/** @param lastUpdate SQL for the previous `updated_at`, or null if no later time can be stored */
const raiseVersion = (lastUpdate: string) => `
  create or replace function formtrail_raise_version() returns trigger language plpgsql as $$
  begin
    if new is not distinct from old then
      return new;
    end if;
    new.version := old.version;
    new.updated_at := old.updated_at;
    if formtrail_claim_form(new.id) then
      new.version := old.version + 1;
      new.updated_at := greatest(clock_timestamp(), ${lastUpdate} + interval '1 microsecond');
    end if;
    return new;
  end $$`;

/**
 * Makes the database reject timestamps that ISO 8601 cannot represent: infinity, -infinity, and years before 1 or
 * after 9999. The checks are not validated yet, so this migration is fast and cannot fail. The next migration corrects
 * existing rows.
 */
export class TimestampChecks1795910400000 implements MigrationInterface {
  name = 'TimestampChecks1795910400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      raiseVersion(`case when old.updated_at < '9999-12-31 00:00:00+00' then old.updated_at end`),
    );
    for (const [table, columns] of Object.entries(TIMESTAMPS)) {
      // One statement per constraint, because Citus does not support this subcommand together with others.
      for (const column of columns) {
        const check = `${table}_${column}_check check (${checkOf(table, column)})`;
        await runner.query(`alter table ${table} add constraint ${check} not valid`);
      }
    }
    await comment(
      runner,
      '; null or infinity: never.',
      'signs; infinity: until the secret is rotated again.',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await comment(runner, '; null: never.', 'signs.');
    for (const [table, columns] of Object.entries(TIMESTAMPS)) {
      for (const column of columns)
        await runner.query(`alter table ${table} drop constraint ${table}_${column}_check`);
    }
    await runner.query(raiseVersion('old.updated_at'));
  }
}

function comment(runner: QueryRunner, ofToken: string, ofSecret: string): Promise<unknown> {
  return runner.query(`
    comment on column api_tokens.expires_at is 'From then on it is refused${ofToken}';
    comment on column webhook_endpoints.previous_secret_expires_at is 'Until when the previous secret ${ofSecret}'`);
}
