import type { MigrationInterface, QueryRunner } from 'typeorm';
import { checkOf, MAY_BE_INFINITE, TIMESTAMPS } from './1795910400000-timestamp-checks.js';

/** Instead of a timestamp after the year 9999: null is how these columns say that there is no end. */
const NULL_IS_NO_END = ['files.expires_at'];

/**
 * Replaces the timestamps that the migration before refuses: by infinity or null if they stand for no end, otherwise by the
 * time of this migration. Then it validates the checks, which locks nobody out. Nothing can fail, because no such row can be
 * added any more.
 */
export class ValidTimestamps1795910400001 implements MigrationInterface {
  name = 'ValidTimestamps1795910400001';

  async up(runner: QueryRunner): Promise<void> {
    // As a literal: Citus takes no now() within a case.
    const [{ now }] = (await runner.query('select now()::text as now')) as [{ now: string }];
    for (const [table, columns] of Object.entries(TIMESTAMPS)) {
      const isWrong = (column: string) => `not (${checkOf(table, column)})`;
      const changes = columns.map(
        (column) =>
          `${column} = case when ${isWrong(column)} then ${replacement(table, column, now)} else ${column} end`,
      );
      // All columns at once: a row that still has a wrong one cannot be written.
      await runner.query(`update ${table} set ${changes.join()} where ${columns.map(isWrong).join(' or ')}`);
      for (const column of columns)
        await runner.query(`alter table ${table} validate constraint ${table}_${column}_check`);
    }
  }

  async down(): Promise<void> {
    // The replaced values are gone, and the version before can live with a validated check.
  }
}

function replacement(table: string, column: string, now: string): string {
  const moment = `timestamptz '${now}'`;
  const name = `${table}.${column}`;
  const noEnd = MAY_BE_INFINITE.includes(name)
    ? `'infinity'`
    : NULL_IS_NO_END.includes(name)
      ? 'null'
      : undefined;
  return noEnd === undefined ? moment : `case when ${column} > ${moment} then ${noEnd} else ${moment} end`;
}
