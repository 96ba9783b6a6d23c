import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ON_SHARDS_FUNCTIONS } from '../database/distribution/on-shards.js';
import { readShards } from '../database/distribution/shards.js';

/**
 * Creates the functions that execute statements on shards, if submissions are already distributed. Otherwise `db distribute` creates
 * them. A version that changes these functions needs another migration like this one.
 */
export class ShardFunctions1795824000001 implements MigrationInterface {
  name = 'ShardFunctions1795824000001';

  async up(runner: QueryRunner): Promise<void> {
    if ((await readShards(runner.manager)) === undefined) return;
    for (const statement of ON_SHARDS_FUNCTIONS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function if exists formtrail_on_shards(uuid, text, text[]);
      drop function if exists formtrail_of_shard(text, bigint);
      drop function if exists formtrail_hold_shards(bigint[])`);
  }
}
