import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables besides those of HotTables1795219200002 that grow with requests, or whose rows requests replace or delete. */
const BUSY_TABLES = [
  'entity_records',
  'files',
  'file_deletions',
  'webhook_outbox',
  'webhook_deliveries',
  'users',
  'user_identities',
  'api_tokens',
  'respondents',
  'resume_codes',
  'spent_proofs',
];

/** Makes PostgreSQL vacuum and analyse these tables as often as those of HotTables1795219200002. No request waits for this. */
export class BusyTables1797200000001 implements MigrationInterface {
  name = 'BusyTables1797200000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of BUSY_TABLES) {
      await runner.query(`alter table ${table} set (
        autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_vacuum_insert_scale_factor = 0.02,
        autovacuum_analyze_scale_factor = 0.01
      )`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of BUSY_TABLES) {
      await runner.query(`alter table ${table} reset (
        autovacuum_vacuum_scale_factor,
        autovacuum_vacuum_insert_scale_factor,
        autovacuum_analyze_scale_factor
      )`);
    }
  }
}
