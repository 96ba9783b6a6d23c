import type { DataSource } from 'typeorm';
import { isoTimestamp } from '../../database/iso-timestamp.js';

export interface AbandonedDrafts {
  /** Of one form; undefined: of all. */
  readonly formId: number | undefined;
  /** Not written to since, as PostgreSQL reads it. */
  readonly before: string;
}

/** A transaction each: few enough for its locks to be short, and for an interrupted purge to lose little. */
const BATCH = 1_000;

const ABANDONED = `status = 'draft' and updated_at < $1::timestamptz and ($2::integer is null or form_id = $2)`;

// Each batch goes on after the last one, instead of passing what that has deleted. What somebody writes to at this moment
// is locked, and skipped. What was written to just before is no longer abandoned: PostgreSQL looks again once it has the
// lock. Values and records go with their submission.
const DELETE_BATCH = `
  with abandoned as materialized (
    select uuid from submissions where ${ABANDONED} and ($3::uuid is null or uuid > $3)
     order by uuid limit ${BATCH} for update skip locked
  ), deleted as (
    delete from submissions using abandoned where submissions.uuid = abandoned.uuid
    returning submissions.uuid
  )
  select count(*)::integer as count, max(uuid::text) as last from deleted`;

/** The moment so many seconds ago, by the clock of the database, which is the one that `updated_at` goes by. */
export async function secondsAgo(dataSource: DataSource, seconds: number): Promise<string> {
  const [{ moment }] = await dataSource.query<[{ moment: string }]>(
    `select ${isoTimestamp('(now() - make_interval(secs => $1))')} as moment`,
    [seconds],
  );
  return moment;
}

export async function countAbandonedDrafts(
  dataSource: DataSource,
  { formId, before }: AbandonedDrafts,
): Promise<number> {
  const [{ count }] = await dataSource.query<[{ count: number }]>(
    `select count(*)::integer as count from submissions where ${ABANDONED}`,
    [before, formId],
  );
  return count;
}

/** Deletes them in batches; `progress` is told how many are gone. What is gone stays gone if it fails or is interrupted. */
export async function purgeDrafts(
  dataSource: DataSource,
  drafts: AbandonedDrafts,
  progress: (deleted: number) => void,
): Promise<number> {
  let deleted = 0;
  let batch: Batch = { count: BATCH, last: null };
  while (batch.count === BATCH) {
    batch = await deleteBatch(dataSource, drafts, batch.last);
    deleted += batch.count;
    progress(deleted);
  }
  return deleted;
}

interface Batch {
  readonly count: number;
  readonly last: string | null;
}

async function deleteBatch(
  dataSource: DataSource,
  { formId, before }: AbandonedDrafts,
  after: string | null,
): Promise<Batch> {
  const [batch] = await dataSource.query<[Batch]>(DELETE_BATCH, [before, formId, after]);
  return batch;
}
