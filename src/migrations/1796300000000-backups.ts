import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time of the last successful backup, so that an alert can fire when the backup is too old. */
export class Backups1796300000000 implements MigrationInterface {
  name = 'Backups1796300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table backups (
        id integer primary key default 1 check (id = 1),
        taken_at timestamptz not null default now() check (
          taken_at >= '0001-01-01 00:00:00+00' and taken_at < '10000-01-01 00:00:00+00')
      );
      comment on table backups is 'The last good backup, in one row. The job that makes backups writes it.';
      comment on column backups.id is 'Always 1.';
      comment on column backups.taken_at is 'When the backup began: it has everything from before.'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table backups');
  }
}
