import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CHECKS, DROP_CHECKS } from './core/checks.js';
import { POSITIONS } from './core/positions.js';
import { DROP_TABLES, TABLES } from './core/tables.js';
import { DROP_VERSION_TRIGGERS, VERSION_TRIGGERS } from './core/versions.js';

/**
 * The tables of forms, submissions and tokens. Columns that only a later migration needs are here too, with null or false as default,
 * because other programs write them. Later migrations add triggers to these tables, and never replace a function.
 */
export class Core1798000000001 implements MigrationInterface {
  name = 'Core1798000000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [TABLES, VERSION_TRIGGERS, CHECKS, POSITIONS]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function formtrail_position');
    for (const sql of [DROP_TABLES, DROP_VERSION_TRIGGERS, DROP_CHECKS]) await runner.query(sql);
    await runner.query('drop function formtrail_keep_deleted_steps');
  }
}
