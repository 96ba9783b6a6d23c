import type { DataSource } from 'typeorm';
import { isoTimestamp } from './iso-timestamp.js';

/** docs/operations.md has the same for jobs that run SQL. */
const RECORD_BACKUP = `
  insert into backups (taken_at)
  select given from (select coalesce($1::timestamptz, now()) as given) input where given <= now() + interval '1 minute'
    on conflict (id) do update set taken_at = greatest(backups.taken_at, excluded.taken_at)
  returning ${isoTimestamp('taken_at')} as taken_at`;

/**
 * Records a good backup that was begun at `takenAt`, or now, and returns when the newest recorded one was begun. Returns
 * undefined and records nothing if `takenAt` is in the future: the alert would not ring until then.
 */
export async function recordBackup(dataSource: DataSource, takenAt?: string): Promise<string | undefined> {
  const [row] = await dataSource.query<{ taken_at: string }[]>(RECORD_BACKUP, [takenAt]);
  return row?.taken_at;
}
