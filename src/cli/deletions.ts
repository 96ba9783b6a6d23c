import type { DataSource, EntityManager } from 'typeorm';
import { ApiToken } from '../auth/entities/api-token.js';
import { User } from '../auth/entities/user.js';
import { isForeignKeyViolation } from '../database/database-errors.js';
import { findDistribution } from '../database/distribution.js';
import { type DeletionReason, setDeletionReason } from '../database/set-deletion-reason.js';
import { Form } from '../forms/entities/form.js';
import { IdempotencyKey } from '../submissions/entities/idempotency-key.js';
import { Submission } from '../submissions/entities/submission.js';
import { asOperator } from './as-operator.js';
import type { SelectedSubmissions } from '../server/hooks.js';
import { loadHooks, recordAct } from '../server/load-hooks.js';
import { CommandError } from './command-error.js';
import { lockPeople, type Person } from './people.js';

export interface SubmissionCounts {
  readonly submissions: number;
  readonly values: number;
  readonly records: number;
}

export interface UserCounts extends SubmissionCounts {
  readonly tokens: number;
  readonly idempotencyKeys: number;
}

export type Retirement = 'retired' | 'already retired' | 'unknown';

/** Makes the form reject new submissions. Existing drafts can be completed (F4). */
export async function retireForm({ manager }: DataSource, slug: string): Promise<Retirement> {
  // Only one of two parallel updates finds an active form, so only one call reports `retired`.
  const { affected } = await manager.update(Form, { slug, isActive: true }, { isActive: false });
  if (affected === 1) return 'retired';
  return (await manager.existsBy(Form, { slug })) ? 'already retired' : 'unknown';
}

/** Counts the submissions that can be deleted (T2), of a form without tests (P10). */
export async function countSubmissions(manager: EntityManager, { column, key }: SelectedSubmissions) {
  const selected = `submissions.${column} = $1 and not held ${column === 'form_id' ? 'and not is_test' : ''}`;
  const [counts] = await manager.query<[SubmissionCounts]>(
    `select (select count(*)::integer from submissions where ${selected}) as submissions,
            (select count(*)::integer from submissions join submission_values on submission_uuid = uuid
              where ${selected}) as values,
            (select count(*)::integer from submissions join entity_records on submission_uuid = uuid
              where ${selected}) as records`,
    [key],
  );
  return counts;
}

export const lockSubmissions = (column: SelectedSubmissions['column']) => ({
  name: 'submissions.lock_all',
  text: `select count(*) from (select from submissions where ${column} = $1 order by uuid for update) locked`,
});

/** @throws CommandError if a capability forbids the deletion */
export async function ensureDeletable(manager: EntityManager, selected: SelectedSubmissions): Promise<void> {
  for (const { deletions } of await loadHooks()) {
    const obstacle = await deletions?.obstacle?.(manager, selected);
    if (obstacle !== undefined) throw new CommandError(obstacle);
  }
}

/**
 * Locks the submissions first, as every write does. Values that were stored before the lock are counted and deleted.
 * After the lock, no value can be stored. Submissions of a user that are held stay (T2). Returns what `record` returns.
 */
async function deleteSubmissions<Counts>(
  manager: EntityManager,
  selected: SelectedSubmissions,
  reason: DeletionReason,
  record: (counts: SubmissionCounts) => Promise<Counts>,
): Promise<Counts> {
  const { column, key } = selected;
  const hooks = await loadHooks();
  await setDeletionReason(manager, reason);
  for (const { deletions } of hooks) await deletions?.lock?.(manager, selected);
  await manager.query((await findDistribution(manager)).textOf(lockSubmissions(column)), [key]);
  await ensureDeletable(manager, selected);
  const counts = await countSubmissions(manager, selected);
  // Foreign keys delete the values and records.
  await manager.query(`delete from submissions where ${column} = $1 and not held`, [key]);
  const recorded = await record(counts);
  for (const { deletions } of hooks) await deletions?.deleteRest?.(manager, selected);
  return recorded;
}

const recordDeletion = (manager: EntityManager, subject: string) => async (counts: SubmissionCounts) => {
  if (counts.submissions > 0)
    await recordAct(manager, { action: 'submissions.deleted', subject, detail: { ...counts } });
  return counts;
};

/** Returns undefined if there is no such submission. */
export function deleteSubmission(dataSource: DataSource, uuid: string) {
  return asOperator(dataSource, async (manager) => {
    const selected = { column: 'uuid', key: uuid } as const;
    const record = recordDeletion(manager, `submission:${uuid}`);
    const counts = await deleteSubmissions(manager, selected, 'operator', record);
    return counts.submissions === 0 ? undefined : counts;
  });
}

/**
 * Deletes a form with its steps, fields and, if `withSubmissions`, its submissions. Returns undefined if there is no such
 * form. Locks the form, so that no submission begins meanwhile.
 *
 * @throws CommandError if a capability forbids the deletion
 */
export async function deleteForm(
  dataSource: Pick<DataSource, 'transaction'>,
  slug: string,
  { withSubmissions }: { readonly withSubmissions: boolean },
): Promise<SubmissionCounts | 'has submissions' | undefined> {
  const deletion = asOperator(dataSource, async (manager) => {
    const form = await manager.findOne(Form, { where: { slug }, lock: { mode: 'pessimistic_write' } });
    if (form === null) return undefined;
    const selected = { column: 'form_id', key: form.id } as const;
    if (!withSubmissions && (await countSubmissions(manager, selected)).submissions > 0)
      return 'has submissions';
    const record = recordDeletion(manager, `form:${slug}`);
    const counts = await deleteSubmissions(manager, selected, 'operator', record);
    await manager.delete(Form, { id: form.id });
    return counts;
  });
  try {
    return await deletion;
  } catch (error) {
    // In a distributed database, a submission may begin despite the lock.
    if (!withSubmissions && isForeignKeyViolation(error)) return 'has submissions';
    throw error;
  }
}

const countOfUser = async (manager: EntityManager, { id: userId }: Pick<Person, 'id'>) => ({
  tokens: await manager.countBy(ApiToken, { userId }),
  idempotencyKeys: await manager.countBy(IdempotencyKey, { userId }),
});

/** Counts what {@link eraseUsers} would delete. */
export async function countUserData({ manager }: DataSource, user: Pick<Person, 'id'>): Promise<UserCounts> {
  const counts = await countSubmissions(manager, { column: 'user_id', key: user.id });
  return { ...counts, ...(await countOfUser(manager, user)) };
}

export interface ErasedUser {
  readonly person: Person;
  readonly counts: UserCounts;
  /** The UUIDs of submissions that stay because they are held, and with them the user (T2). */
  readonly held: readonly string[];
}

/**
 * Deletes users with everything that belongs to them, all in one transaction. Locks the users, so that no submission of theirs begins
 * meanwhile.
 */
export function eraseUsers(
  dataSource: Pick<DataSource, 'transaction'>,
  people: readonly Person[],
  reason: 'erasure' | 'restored' = 'erasure',
): Promise<ErasedUser[]> {
  return asOperator(dataSource, async (manager) => {
    await lockPeople(manager, people, 'for update');
    const erased: ErasedUser[] = [];
    for (const person of people) erased.push(await eraseUser(manager, person, reason));
    return erased;
  });
}

async function eraseUser(
  manager: EntityManager,
  person: Person,
  reason: 'erasure' | 'restored',
): Promise<ErasedUser> {
  const { id } = person;
  const selected = { column: 'user_id', key: id } as const;
  const { counts, held } = await deleteSubmissions(manager, selected, reason, async (submissions) => {
    const others = await countOfUser(manager, person);
    const kept = await manager.find(Submission, { where: { userId: id }, select: { uuid: true } });
    const { tokens, idempotencyKeys: idempotency_keys } = others;
    const detail = { ...submissions, tokens, idempotency_keys, held: kept.length };
    await recordAct(manager, { action: 'user.erased', subject: `user:${id}`, detail });
    return { counts: { ...submissions, ...others }, held: kept.map(({ uuid }) => uuid) };
  });
  for (const { deletions } of await loadHooks()) await deletions?.forgetCopiesOfUser?.(manager, id);
  // A trigger notifies every instance that the tokens are deleted. Foreign keys delete what else belongs to the user.
  await manager.delete(ApiToken, { userId: id });
  if (held.length === 0) await manager.delete(User, { id });
  else await manager.delete(IdempotencyKey, { userId: id });
  return { person, counts, held };
}
