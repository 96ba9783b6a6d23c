import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * O1: the submissions of a user by state and age. With the form as the last column those of one form are found in the
 * index alone. A submission moves in it when it is completed and at no other time, so that storing values and moving
 * between steps write to no index.
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
