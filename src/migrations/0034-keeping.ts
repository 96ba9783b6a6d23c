import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasTriggersOfSubmissions } from './sql.js';

const PERIODS = ['keep_completed_days', 'keep_drafts_days', 'keep_personal_days'] as const;

const KEPT: Readonly<Record<(typeof PERIODS)[number], string>> = {
  keep_completed_days: 'Days after their completion when submissions are deleted; null: never.',
  keep_drafts_days: 'Days after their last write when drafts are deleted; null: never.',
  keep_personal_days:
    'Days after their completion when the personal answers of submissions are deleted; null: never.',
};

/** Adds how long submissions and their personal answers are kept. */
export class KeepingTimes1798000000034 implements MigrationInterface {
  name = 'KeepingTimes1798000000034';

  async up(runner: QueryRunner): Promise<void> {
    const columns = PERIODS.map((column) => `add ${column} integer check (${column} between 1 and 36500)`);
    const comments = PERIODS.map((column) => `comment on column forms.${column} is '${KEPT[column]}'`);
    await runner.query([`alter table forms ${columns.join(', ')}`, ...comments].join(';'));
    if (!(await hasTriggersOfSubmissions(runner)))
      await runner.query(
        `alter table forms add constraint forms_keeping_one_server_check check (num_nonnulls(${PERIODS.join()}) = 0)`,
      );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table forms ${PERIODS.map((column) => `drop ${column}`).join(', ')}`);
  }
}

/** Adds which fields ask for personal data. */
export class PersonalFields1798000000035 implements MigrationInterface {
  name = 'PersonalFields1798000000035';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table fields add is_personal boolean not null default false;
      comment on column fields.is_personal is
        'True: the answers are personal data, which are deleted keep_personal_days after completion.'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table fields drop is_personal');
  }
}

/** Adds which submissions nothing may delete, and when the personal answers of a submission were deleted. */
export class HeldSubmissions1798000000036 implements MigrationInterface {
  name = 'HeldSubmissions1798000000036';

  async up(runner: QueryRunner): Promise<void> {
    // Separate queries, because Citus accepts only one change of a distributed table in a query.
    await runner.query('alter table submissions add column held boolean not null default false');
    await runner.query(`comment on column submissions.held is
      'True: it cannot be deleted, and its values, records and files cannot be changed or deleted. Administration panels set it.'`);
    await runner.query('alter table submissions add column anonymized_at timestamptz');
    await runner.query(`comment on column submissions.anonymized_at is
      'When personal answers were first deleted; null: never.'`);
    // The next migration validates it, because validation reads the whole table.
    await runner.query(`alter table submissions add constraint submissions_anonymized_at_check
      check (anonymized_at >= '0001-01-01 00:00:00+00' and anonymized_at < '10000-01-01 00:00:00+00') not valid`);
    if (!(await hasTriggersOfSubmissions(runner)))
      await runner.query(
        'alter table submissions add constraint submissions_held_one_server_check check (not held) not valid',
      );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table submissions drop column held');
    await runner.query('alter table submissions drop column anonymized_at');
  }
}

/** Reads the whole table, but blocks no write. */
export class HeldSubmissionsChecked1798000000037 implements MigrationInterface {
  name = 'HeldSubmissionsChecked1798000000037';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table submissions validate constraint submissions_anonymized_at_check');
    if (!(await hasTriggersOfSubmissions(runner)))
      await runner.query('alter table submissions validate constraint submissions_held_one_server_check');
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}
