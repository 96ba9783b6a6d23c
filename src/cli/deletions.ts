import type { DataSource, EntityManager } from 'typeorm';
import { ApiToken } from '../auth/entities/api-token.js';
import { User } from '../auth/entities/user.js';
import { isForeignKeyViolation } from '../database/database-errors.js';
import { findDistribution } from '../database/distribution.js';
import { Form } from '../forms/entities/form.js';
import { IdempotencyKey } from '../submissions/entities/idempotency-key.js';
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

/** Counts the submissions of a form without tests (P10), and otherwise all. */
export async function countSubmissions(manager: EntityManager, { column, key }: SelectedSubmissions) {
  const selected = `submissions.${column} = $1 ${column === 'form_id' ? 'and not is_test' : ''}`;
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
 * After the lock, no value can be stored. Returns what `record` returns.
 */
async function deleteSubmissions<Counts>(
  manager: EntityManager,
  selected: SelectedSubmissions,
  record: (counts: SubmissionCounts) => Promise<Counts>,
): Promise<Counts> {
  const { column, key } = selected;
  const hooks = await loadHooks();
  await ensureDeletable(manager, selected);
  for (const { deletions } of hooks) await deletions?.lock?.(manager, selected);
  await manager.query((await findDistribution(manager)).textOf(lockSubmissions(column)), [key]);
  const counts = await countSubmissions(manager, selected);
  // Foreign keys delete the values and records.
  await manager.query(`delete from submissions where ${column} = $1`, [key]);
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
    const counts = await deleteSubmissions(manager, selected, recordDeletion(manager, `submission:${uuid}`));
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
    const counts = await deleteSubmissions(manager, selected, recordDeletion(manager, `form:${slug}`));
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

/**
 * Deletes users with everything that belongs to them, all in one transaction. Locks the users, so that no submission of theirs begins
 * meanwhile.
 */
export function eraseUsers(dataSource: DataSource, people: readonly Person[]) {
  return asOperator(dataSource, async (manager) => {
    await lockPeople(manager, people, 'for update');
    const erased: { readonly person: Person; readonly counts: UserCounts }[] = [];
    for (const person of people) erased.push({ person, counts: await eraseUser(manager, person) });
    return erased;
  });
}

async function eraseUser(manager: EntityManager, user: Person): Promise<UserCounts> {
  const selected = { column: 'user_id', key: user.id } as const;
  const counts = await deleteSubmissions(manager, selected, async (submissions) => {
    const others = await countOfUser(manager, user);
    const { tokens, idempotencyKeys: idempotency_keys } = others;
    const detail = { ...submissions, tokens, idempotency_keys };
    await recordAct(manager, { action: 'user.erased', subject: `user:${user.id}`, detail });
    return { ...submissions, ...others };
  });
  // A trigger notifies every instance that the tokens are deleted. Foreign keys delete what else belongs to the user.
  await manager.delete(ApiToken, { userId: user.id });
  await manager.delete(User, { id: user.id });
  return counts;
}
