import type { DataSource, EntityManager } from 'typeorm';
import { eraseUsers } from '../../cli/deletions.js';
import type { Person } from '../../cli/people.js';
import { setDeletionReason } from '../../database/set-deletion-reason.js';
import { forgetCopies } from '../../server/load-hooks.js';
import { anonymize } from './anonymize.js';
import type { ErasureKind } from './entities/erasure.js';
import type { ErasureLine } from './erasures.js';

/** What a restore had brought back, and what is gone again. */
export interface AppliedErasures {
  submissions: number;
  /** Submissions whose personal answers were deleted again. */
  anonymized: number;
  users: number;
  /** UUIDs of submissions that stay because they are held. */
  readonly held: Set<string>;
}

const INSERT = `
  insert into erasures (id, kind, happened_at, reason, submission_uuid, user_id, field_ids, identity_hashes)
  select id, kind, happened_at, reason, submission_uuid, user_id, field_ids,
         case when kind = 'user.erased' then array(select decode(hash, 'hex') from unnest(identity_hashes) as hash) end
    from json_to_recordset($1::json) as line (id uuid, kind text, happened_at timestamptz, reason text, submission_uuid uuid,
      user_id integer, field_ids integer[], identity_hashes text[])
  on conflict (id) do nothing`;

const FIND_SUBMISSIONS =
  'select uuid, held from submissions where uuid = any ($1::uuid[]) order by uuid for update';
const DELETE_SUBMISSIONS = 'delete from submissions where uuid = any ($1::uuid[])';

/** Deletes again what the erasures name, in the order of the kinds (T3). Does nothing about what is gone already. */
export async function applyErasures(
  dataSource: DataSource,
  erasures: readonly ErasureLine[],
  applied: AppliedErasures,
): Promise<void> {
  const ofKind = (wanted: ErasureKind) => erasures.filter(({ kind }) => kind === wanted);
  await dataSource.transaction(async (manager) => {
    await setDeletionReason(manager, 'restored');
    await manager.query(INSERT, [JSON.stringify(erasures)]);
    const deleted = await findAgain(manager, ofKind('submission.deleted'), applied);
    await manager.query(DELETE_SUBMISSIONS, [deleted]);
    await forgetCopies(manager, deleted);
    applied.submissions += deleted.length;
    const anonymized = ofKind('submission.anonymized');
    const found = new Set(await findAgain(manager, anonymized, applied));
    for (const { submission_uuid = '', field_ids = [], happened_at } of anonymized)
      if (found.has(submission_uuid))
        applied.anonymized += await anonymize(manager, [submission_uuid], field_ids, { at: happened_at });
  });
  const ids = ofKind('user.erased').map(({ id }) => id);
  if (ids.length === 0) return;
  const people = await dataSource.query<Person[]>(
    'select id, email from formtrail_restored_users($1::uuid[]) order by id',
    [ids],
  );
  for (const person of people)
    for (const { held } of await eraseUsers(dataSource, [person], 'restored')) {
      held.forEach((uuid) => applied.held.add(uuid));
      if (held.length === 0) applied.users += 1;
    }
}

/** Locks the submissions that exist, and returns those that are not held. */
async function findAgain(
  manager: EntityManager,
  erasures: readonly ErasureLine[],
  { held }: AppliedErasures,
): Promise<string[]> {
  const rows = await manager.query<{ uuid: string; held: boolean }[]>(FIND_SUBMISSIONS, [
    erasures.map(({ submission_uuid }) => submission_uuid),
  ]);
  for (const { uuid } of rows.filter((row) => row.held)) held.add(uuid);
  return rows.filter((row) => !row.held).map(({ uuid }) => uuid);
}
