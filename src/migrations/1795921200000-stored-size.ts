import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the size of each submission (V9). Existing submissions have null. Their size is computed when values are next
 * stored in them.
 */
export class StoredSize1795921200000 implements MigrationInterface {
  name = 'StoredSize1795921200000';

  async up(runner: QueryRunner): Promise<void> {
    // One command per query, because Citus does not support several commands on a distributed table in one query.
    for (const statement of [
      'alter table submissions add column value_count integer, add column value_bytes integer',
      'alter table submissions alter column value_count set default 0, alter column value_bytes set default 0',
      `comment on column submissions.value_count is
        'At least as many values as are stored. Null: not counted yet.'`,
      `comment on column submissions.value_bytes is
        'At least as many bytes as the stored values have. Null: not counted yet.'`,
    ])
      await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table submissions drop column value_count, drop column value_bytes`);
  }
}
