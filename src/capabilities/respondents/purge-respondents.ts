import { Any, type DataSource, type EntityManager } from 'typeorm';
import { ApiToken } from '../../auth/entities/api-token.js';
import { setDeletionReason } from '../../database/set-deletion-reason.js';
import { forgetCopies } from '../../server/load-hooks.js';
import { Respondent } from './entities/respondent.js';

export interface PurgedRespondents {
  readonly respondents: number;
  readonly drafts: number;
}

/** Respondents per transaction. Small, so that locks are short and an interrupted purge loses little work. */
const BATCH = 500;

const IS_LIVE = `(
    exists (select from api_tokens
             where api_tokens.user_id = respondents.user_id and revoked_at is null and expires_at > now())
    or exists (select from resume_codes where resume_codes.user_id = respondents.user_id and expires_at > now()))`;

const HAS_SUBMISSION = 'exists (select from submissions where submissions.user_id = respondents.user_id)';

const HAS_DRAFT = `exists (select from submissions
    where submissions.user_id = respondents.user_id and status = 'draft' and not held)`;

/**
 * Respondents who cannot continue and have something to delete, and those who began nothing within 24 hours (P8). Completed
 * submissions keep their respondent. Previews are deleted by `deleteTests`.
 */
const PURGEABLE = `not is_preview and ($1::integer is null or form_id = $1) and (
    not ${IS_LIVE} and (${HAS_DRAFT} or not ${HAS_SUBMISSION})
    or respondents.created_at < now() - interval '24 hours' and not ${HAS_SUBMISSION})`;

// Continues after the last batch, so that it does not check the same respondents again. Skips a respondent who is beginning a draft
// or asking for or using a code, because the service locks the user for this.
const LOCK_BATCH = `
  select user_id from respondents join users on users.id = user_id where ${PURGEABLE} and user_id > $2
   order by user_id limit ${BATCH} for update of users skip locked`;

/** Locks the drafts first, as every write does. Drafts that a client is completing are skipped, and held ones stay (T2). */
const DELETE_DRAFTS = `
  with drafts as materialized (
    select uuid from submissions where user_id = any ($1) and status = 'draft' and not held for update skip locked
  ), deleted as (
    delete from submissions using drafts where submissions.uuid = drafts.uuid returning submissions.uuid
  )
  select uuid from deleted`;

/** The users are locked, so none of them begins a submission meanwhile. */
const FIND_DELETABLE = `select user_id from respondents where user_id = any ($1) and not ${HAS_SUBMISSION}`;

type RecordBatch = (manager: EntityManager, purged: PurgedRespondents) => Promise<void>;

/**
 * Deletes respondents who cannot continue, with their drafts, and respondents who began nothing within 24 hours (P8). Completed
 * batches stay deleted if the purge is interrupted. Calls `record` in the transaction of each batch that deletes something.
 *
 * @param formId only respondents of this form. Undefined: respondents of all forms
 */
export async function purgeRespondents(
  dataSource: DataSource,
  formId: number | undefined,
  progress: (respondents: number) => void,
  record: RecordBatch,
): Promise<PurgedRespondents> {
  const total = { respondents: 0, drafts: 0 };
  if (!(await hasRespondents(dataSource.manager))) return total;
  let last = 0;
  for (;;) {
    const batch = await dataSource.transaction((manager) => purgeBatch(manager, formId, last, record));
    if (batch === undefined) return total;
    last = batch.last;
    total.respondents += batch.respondents;
    total.drafts += batch.drafts;
    progress(total.respondents);
  }
}

async function purgeBatch(
  manager: EntityManager,
  formId: number | undefined,
  after: number,
  record: RecordBatch,
): Promise<(PurgedRespondents & { readonly last: number }) | undefined> {
  const found = await manager.query<{ user_id: number }[]>(LOCK_BATCH, [formId ?? null, after]);
  const last = found.at(-1)?.user_id;
  if (last === undefined) return undefined;
  const userIds = found.map(({ user_id }) => user_id);
  await setDeletionReason(manager, 'retention');
  const drafts = await manager.query<{ uuid: string }[]>(DELETE_DRAFTS, [userIds]);
  await forgetCopies(
    manager,
    drafts.map(({ uuid }) => uuid),
  );
  const deletable = await manager.query<{ user_id: number }[]>(FIND_DELETABLE, [userIds]);
  const deletedIds = deletable.map(({ user_id }) => user_id);
  // Before the codes, because a program that ends a token locks the token first (docs/architecture.md).
  await manager.delete(ApiToken, { userId: Any(deletedIds) });
  // A trigger and foreign keys delete the users and their codes.
  await manager.delete(Respondent, { userId: Any(deletedIds) });
  const respondents = deletedIds.length;
  const purged = { respondents, drafts: drafts.length };
  if (respondents + drafts.length > 0) await record(manager, purged);
  return { ...purged, last };
}

/** Counts the respondents that {@link purgeRespondents} would delete, and those whose drafts it would delete. */
export async function countPurgeable({ manager }: DataSource, formId: number | undefined): Promise<number> {
  if (!(await hasRespondents(manager))) return 0;
  const [{ count }] = await manager.query<[{ count: number }]>(
    `select count(*)::integer as count from respondents where ${PURGEABLE}`,
    [formId ?? null],
  );
  return count;
}

/** A distributed database has no respondents, and rejects the statements that find those to delete. */
const hasRespondents = (manager: EntityManager): Promise<boolean> => manager.exists(Respondent);
