import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readShards } from '../database/distribution/shards.js';

/**
 * Counts what users stored before the triggers existed. A migration of its own, because it reads all values: it locks nothing,
 * while the triggers count what is written meanwhile.
 */
export class CountUserStorage1797300000005 implements MigrationInterface {
  name = 'CountUserStorage1797300000005';

  async up(runner: QueryRunner): Promise<void> {
    if ((await readShards(runner.manager)) === undefined)
      await runner.query('select formtrail_recount_storage()');
  }

  /** The totals stay right, because the triggers count on. */
  async down(): Promise<void> {}
}
