import type { DataSource, EntityManager } from 'typeorm';
import { findDistribution } from '../../database/distribution.js';
import { isoTimestampSql } from '../../database/iso-timestamp.js';

export interface AbandonedDrafts {
  /** Only drafts of this form. Undefined: drafts of all forms. */
  readonly formId: number | undefined;
  /** Only drafts whose last write was before this time. A timestamp that PostgreSQL can read. */
  readonly before: string;
}

/** Drafts per transaction. Small, so that locks are short and an interrupted purge loses little work. */
const BATCH = 1_000;

const ABANDONED = `status = 'draft' and not is_test and updated_at < $1::timestamptz and ($2::integer is null or form_id = $2)`;

// Each batch continues after the last one, so that it does not scan deleted rows again. It skips a locked draft, because a client
// is writing to it. PostgreSQL checks the condition again when it has the lock, so it does not delete a draft that was just
// written. Foreign keys delete values and records together with their submission.
export const DELETE_ABANDONED = {
  name: 'submissions.purge',
  text: `
  with abandoned as materialized (
    select uuid from submissions where ${ABANDONED} and ($3::uuid is null or uuid > $3)
     order by uuid limit ${BATCH} for update skip locked
  ), deleted as (
    delete from submissions using abandoned where submissions.uuid = abandoned.uuid and ${ABANDONED}
    returning submissions.uuid
  )
  select (select count(*) from abandoned)::integer as found, count(*)::integer as count,
    (select max(uuid::text) from abandoned) as last from deleted`,
};

/** The time this many seconds ago, by the clock of the database, which also sets `updated_at`. */
export async function secondsAgo(dataSource: DataSource, seconds: number): Promise<string> {
  const [{ moment }] = await dataSource.query<[{ moment: string }]>(
    `select ${isoTimestampSql('(now() - make_interval(secs => $1))')} as moment`,
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

/**
 * Deletes abandoned drafts in batches, and returns their number. Calls `progress` with the number so far. Completed batches stay
 * deleted if the purge fails or is interrupted. Calls `record` in the transaction of each batch that deletes something.
 */
export async function purgeDrafts(
  dataSource: DataSource,
  drafts: AbandonedDrafts,
  progress: (deleted: number) => void,
  record: RecordBatch = () => Promise.resolve(),
): Promise<number> {
  let deleted = 0;
  const deletion = (await findDistribution(dataSource)).textOf(DELETE_ABANDONED);
  let batch: Batch = { found: BATCH, count: 0, last: null };
  while (batch.found === BATCH) {
    const after = batch.last;
    batch = await dataSource.transaction(async (manager) => {
      const deleted = await deleteBatch(manager, deletion, drafts, after);
      if (deleted.count > 0) await record(manager, deleted.count);
      return deleted;
    });
    deleted += batch.count;
    progress(deleted);
  }
  return deleted;
}

type RecordBatch = (manager: EntityManager, drafts: number) => Promise<void>;

interface Batch {
  readonly found: number;
  readonly count: number;
  readonly last: string | null;
}

async function deleteBatch(
  manager: EntityManager,
  deletion: string,
  { formId, before }: AbandonedDrafts,
  after: string | null,
): Promise<Batch> {
  const [batch] = await manager.query<[Batch]>(deletion, [before, formId, after]);
  return batch;
}
