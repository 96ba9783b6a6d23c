import type { MigrationInterface, QueryRunner } from 'typeorm';
import { checkOf, MAY_BE_INFINITE, TIMESTAMPS } from './1795910400000-timestamp-checks.js';

/** The columns where null means that there is no end. Null replaces their timestamps after the year 9999. */
const NULL_IS_NO_END = ['files.expires_at'];

/**
 * Replaces the timestamps that the previous migration rejects: by infinity or null if they mean that there is no end,
 * otherwise by the time of this migration. Then the migration validates the checks. The validation blocks neither
 * reads nor writes, and cannot fail, because new rows are already checked.
 */
export class ValidTimestamps1795910400001 implements MigrationInterface {
  name = 'ValidTimestamps1795910400001';

  async up(runner: QueryRunner): Promise<void> {
    // A literal, because Citus does not support now() within a case.
    const [{ now }] = (await runner.query('select now()::text as now')) as [{ now: string }];
    for (const [table, columns] of Object.entries(TIMESTAMPS)) {
      const isWrong = (column: string) => `not (${checkOf(table, column)})`;
      const changes = columns.map(
        (column) =>
          `${column} = case when ${isWrong(column)} then ${replacement(table, column, now)} else ${column} end`,
      );
      // All columns in one update, because the checks reject a row that still has an invalid timestamp.
      await runner.query(`update ${table} set ${changes.join()} where ${columns.map(isWrong).join(' or ')}`);
      for (const column of columns)
        await runner.query(`alter table ${table} validate constraint ${table}_${column}_check`);
    }
  }

  async down(): Promise<void> {
    // Does nothing: the replaced values are lost, and the previous version works with validated checks.
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
