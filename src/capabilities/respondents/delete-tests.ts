import { Any, type DataSource, type EntityManager } from 'typeorm';
import { setDeletionReason } from '../../database/set-deletion-reason.js';
import { Submission } from '../../submissions/entities/submission.js';
import { Respondent } from './entities/respondent.js';

export interface DeletedTests {
  readonly previews: number;
  readonly submissions: number;
}

/** Previews and submissions per transaction. Small, so that locks are short and an interruption loses little work. */
const PREVIEW_BATCH = 100;
const SUBMISSION_BATCH = 1_000;

// The token of a preview is valid for an hour, so each of its submissions is then at least a day old.
const OLD = `is_preview and created_at < now() - interval '25 hours' and ($1::integer is null or form_id = $1)`;

const FIND_PREVIEWS = `select user_id from respondents where ${OLD}`;

/** Continues after a preview, because some stay: those with a held test. Skips previews that another server or command is deleting. */
const LOCK_PREVIEWS = `
  select users.id as user_id from users join (select * from respondents where ${OLD}) as previews on user_id = users.id
   where user_id > $2 order by user_id limit ${PREVIEW_BATCH} for update of users skip locked`;

/** Skips locked submissions, so that there is no deadlock with a command that deletes them. Foreign keys delete their values. */
const DELETE_TESTS = `
  with old as materialized (
    select uuid from submissions where user_id = any ($1) and is_test and not held limit ${SUBMISSION_BATCH} for update skip locked
  ), deleted as (
    delete from submissions using old where submissions.uuid = old.uuid returning submissions.uuid
  )
  select count(*)::integer as count from deleted`;

const FIND_KEPT = 'select distinct user_id from submissions where user_id = any ($1)';

/**
 * Deletes previews that began over 25 hours ago, with their submissions, completed or not (P10). Works in batches, which stay deleted
 * if a later batch fails. Calls `record` in the transaction of each batch that deletes submissions.
 *
 * @param formId only previews of this form. Undefined: previews of all forms
 */
export async function deleteTests(
  dataSource: DataSource,
  formId?: number,
  record: (manager: EntityManager, submissions: number) => Promise<void> = () => Promise.resolve(),
): Promise<DeletedTests> {
  const total = { previews: 0, submissions: 0 };
  let last = 0;
  for (;;) {
    const batch = await dataSource.transaction((manager) => deleteBatch(manager, formId, last, record));
    if (batch === undefined) return total;
    total.previews += batch.previews;
    total.submissions += batch.submissions;
    // A full batch may have left tests of its previews.
    if (batch.submissions < SUBMISSION_BATCH) ({ last } = batch);
  }
}

async function deleteBatch(
  manager: EntityManager,
  formId: number | undefined,
  after: number,
  record: (manager: EntityManager, submissions: number) => Promise<void>,
): Promise<(DeletedTests & { readonly last: number }) | undefined> {
  const userIds = await idsOf(manager, LOCK_PREVIEWS, formId ?? null, after);
  const last = userIds.at(-1);
  if (last === undefined) return undefined;
  await setDeletionReason(manager, 'test');
  const [{ count: submissions }] = await manager.query<[{ count: number }]>(DELETE_TESTS, [userIds]);
  if (submissions > 0) await record(manager, submissions);
  const kept = new Set(await idsOf(manager, FIND_KEPT, userIds));
  const deleted = userIds.filter((id) => !kept.has(id));
  // A trigger and foreign keys delete the users and their tokens. Previews have no codes.
  await manager.delete(Respondent, { userId: Any(deleted) });
  return { previews: deleted.length, submissions, last };
}

/** Counts the submissions that {@link deleteTests} would delete. */
export async function countTests({ manager }: DataSource, formId?: number): Promise<number> {
  // Two queries, because a distributed database has the two tables on different servers.
  const userIds = await idsOf(manager, FIND_PREVIEWS, formId ?? null);
  return manager.countBy(Submission, { userId: Any(userIds), isTest: true, held: false });
}

async function idsOf(manager: EntityManager, sql: string, ...parameters: unknown[]): Promise<number[]> {
  const rows = await manager.query<{ user_id: number }[]>(sql, parameters);
  return rows.map(({ user_id }) => user_id);
}
