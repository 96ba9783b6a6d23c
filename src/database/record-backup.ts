import type { DataSource } from 'typeorm';
import { isoTimestampSql } from './iso-timestamp.js';

/** docs/operations/backup.md has the same statement, for jobs that execute SQL. */
const RECORD_BACKUP = `
  insert into backups (taken_at)
  select given from (select coalesce($1::timestamptz, now()) as given) input where given <= now() + interval '1 minute'
    on conflict (id) do update set taken_at = greatest(backups.taken_at, excluded.taken_at)
  returning ${isoTimestampSql('taken_at')} as taken_at`;

/**
 * Records that a successful backup began at `takenAt`, or now. Returns when the newest recorded backup began. If
 * `takenAt` is more than a minute in the future, it returns undefined and records nothing, because the alert for old
 * backups would fire too late.
 */
export async function recordBackup(dataSource: DataSource, takenAt?: string): Promise<string | undefined> {
  const [row] = await dataSource.query<{ taken_at: string }[]>(RECORD_BACKUP, [takenAt]);
  return row?.taken_at;
}
