import type { DataSource, EntityManager } from 'typeorm';
import { findDistribution } from '../database/distribution.js';
import { isoTimestampSql } from '../database/iso-timestamp.js';
import { setDeletionReason } from '../database/set-deletion-reason.js';
import { forgetCopies } from '../server/load-hooks.js';
import { type FoundSubmission, inWindows, SmallBatches, windowSql } from '../submissions/small-batches.js';

export interface AbandonedDrafts {
  /** Only drafts of this form. Undefined: drafts of all forms. */
  readonly formId: number | undefined;
  /** Only drafts whose last write was before this time. A timestamp that PostgreSQL can read. */
  readonly before: string;
}

/** `$1` of the statement is a time, `$2` a form or null. */
const OF_FORM = '($2::integer is null or form_id = $2)';
const ABANDONED = `status = 'draft' and not is_test and not held and updated_at < $1::timestamptz`;

const FIND_ABANDONED = {
  name: 'submissions.find_abandoned',
  text: windowSql(
    '$3',
    'status, is_test, held, updated_at',
    OF_FORM,
    `case when ${ABANDONED} then 'abandoned' end`,
  ),
};

// Skips a locked draft, because a client is writing to it. PostgreSQL checks the condition again when it has the lock, so it does not
// delete a draft that was just written or held. Foreign keys delete values and records together with their submission.
export const DELETE_ABANDONED = {
  name: 'submissions.purge',
  text: `
  with abandoned as materialized (
    select uuid from submissions where uuid = any ($3::uuid[]) and ${OF_FORM} and ${ABANDONED} order by uuid for update skip locked
  ), deleted as (
    delete from submissions using abandoned where submissions.uuid = abandoned.uuid and ${OF_FORM} and ${ABANDONED}
    returning submissions.uuid
  )
  select uuid from deleted`,
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
    `select count(*)::integer as count from submissions where ${OF_FORM} and ${ABANDONED}`,
    [before, formId],
  );
  return count;
}

/**
 * Deletes abandoned drafts in small batches, and returns their number. Calls `progress` with the number so far. Completed batches stay
 * deleted if the purge fails or is interrupted. Calls `record` in the transaction of each batch that deletes something.
 */
export async function purgeDrafts(
  dataSource: DataSource,
  { formId, before }: AbandonedDrafts,
  progress: (deleted: number) => void,
  record: RecordBatch = () => Promise.resolve(),
): Promise<number> {
  const distribution = await findDistribution(dataSource);
  const find = distribution.textOf(FIND_ABANDONED);
  const deletion = distribution.textOf(DELETE_ABANDONED);
  const batches = new SmallBatches();
  let total = 0;
  const windows = inWindows((after) =>
    dataSource.query<FoundSubmission<'abandoned'>[]>(find, [before, formId, after]),
  );
  for await (const found of windows)
    await batches.run(found, async (uuids) => {
      total += await dataSource.transaction(async (manager) => {
        await setDeletionReason(manager, 'retention');
        const rows = await manager.query<{ uuid: string }[]>(deletion, [before, formId, uuids]);
        const deleted = rows.map(({ uuid }) => uuid);
        await forgetCopies(manager, deleted);
        if (deleted.length > 0) await record(manager, deleted.length);
        return deleted.length;
      });
      progress(total);
      return true;
    });
  return total;
}

type RecordBatch = (manager: EntityManager, drafts: number) => Promise<void>;
