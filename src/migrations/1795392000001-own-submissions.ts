import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds an index of the submissions of a user by status and age (O1). Its last column is the form, so that the
 * submissions of one form are found in the index alone. Completion is the only update that changes an index entry.
 * Storing values and moving between steps change none.
 */
export class OwnSubmissions1795392000001 implements MigrationInterface {
  name = 'OwnSubmissions1795392000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index if not exists submissions_user_id_status_created_at_uuid_form_id_idx
      on submissions (user_id, status, created_at, uuid, form_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index submissions_user_id_status_created_at_uuid_form_id_idx');
  }
}
