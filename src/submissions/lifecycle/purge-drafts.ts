import type { DataSource, EntityManager } from 'typeorm';
import { textOn } from '../../database/distribution/distributed-text.js';
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

// Each batch goes on after the last one, so it does not pass deleted rows again. A draft that somebody writes to at this moment
// is locked, and skipped. PostgreSQL checks the condition again when it has the lock, so a draft that was just written to
// stays. Values and records are deleted together with their submission.
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

/**
 * Deletes them in batches; `progress` is told how many are gone. What is gone stays gone if it fails or is interrupted.
 * `record` is called in the transaction of each batch that deletes something.
 */
export async function purgeDrafts(
  dataSource: DataSource,
  drafts: AbandonedDrafts,
  progress: (deleted: number) => void,
  record: RecordBatch = () => Promise.resolve(),
): Promise<number> {
  let deleted = 0;
  const deletion = await textOn(dataSource, DELETE_ABANDONED);
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
