import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readShards } from '../database/distribution/shards.js';

/**
 * Changes the ids of records to `bigint`, because all submissions share one sequence. The keys are dropped first, so that references
 * to records are checked only once, and `submission_values` is rewritten only once.
 *
 * Citus cannot change the type of an identity column, so tables that are already distributed stay unchanged.
 */
export class BigintRecords1795737600000 implements MigrationInterface {
  name = 'BigintRecords1795737600000';

  async up(runner: QueryRunner): Promise<void> {
    if ((await readShards(runner.manager)) === undefined) await runner.query(recordsAs('bigint'));
  }

  async down(runner: QueryRunner): Promise<void> {
    if ((await readShards(runner.manager)) === undefined) await runner.query(recordsAs('integer'));
  }
}

const recordsAs = (type: 'bigint' | 'integer') => `
  alter table submission_values drop constraint submission_values_submission_uuid_entity_record_id_fkey;
  alter table files drop constraint files_submission_uuid_entity_record_id_fkey;
  alter table entity_records alter column id type ${type};
  -- The type of a column that another is computed from cannot be altered.
  alter table submission_values
    drop column record_key,
    alter column entity_record_id type ${type},
    add column record_key ${type} not null generated always as
      (case when is_repeatable then coalesce(entity_record_id, 0) else 0 end) stored,
    add primary key (submission_uuid, field_id, record_key);
  alter table files alter column entity_record_id type ${type};
  alter table submission_values add foreign key (submission_uuid, entity_record_id)
    references entity_records (submission_uuid, id) on delete cascade;
  alter table files add foreign key (submission_uuid, entity_record_id)
    references entity_records (submission_uuid, id) on delete cascade;
  comment on column submission_values.record_key is 'Made by the database: 0, or the record of a repeatable field''s value.'`;
