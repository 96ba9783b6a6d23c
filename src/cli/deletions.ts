import type { DataSource, EntityManager } from 'typeorm';
import { recordAct } from '../capabilities/audit/record-act.js';
import { isForeignKeyViolation } from '../database/database-errors.js';
import { findDistribution } from '../database/distribution.js';
import { asOperator } from './as-operator.js';
import { lockPeople, type Person } from '../capabilities/identities/commands/people.js';

export interface SubmissionCounts {
  readonly submissions: number;
  readonly values: number;
  readonly records: number;
}

export interface UserCounts extends SubmissionCounts {
  readonly tokens: number;
  readonly idempotencyKeys: number;
}

export type Retirement = 'retired' | 'was retired already' | 'unknown';

/** One statement, so that only one of two parallel calls reports `retired`. */
const RETIRE_FORM = `
  with retired as (
    update forms set is_active = false where slug = $1 and is_active returning id
  )
  select case when exists (select from retired) then 'retired'
              when exists (select from forms where slug = $1) then 'was retired already'
              else 'unknown' end as outcome`;

/** Makes the form reject new submissions. Existing drafts can be completed (F4). */
export async function retireForm({ manager }: DataSource, slug: string): Promise<Retirement> {
  const [{ outcome }] = await manager.query<[{ outcome: Retirement }]>(RETIRE_FORM, [slug]);
  return outcome;
}

type SelectedBy = 'uuid' | 'form_id' | 'user_id';

/** Counts the submissions of a form without tests (P10), and otherwise all. */
export async function countSubmissions(manager: EntityManager, column: SelectedBy, key: string | number) {
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

export const lockSubmissions = (column: SelectedBy) => ({
  name: 'submissions.lock_all',
  text: `select count(*) from (select from submissions where ${column} = $1 order by uuid for update) locked`,
});

/**
 * Locks the submissions first, as every write does. Values that were stored before the lock are counted and deleted.
 * After the lock, no value can be stored.
 */
async function deleteSubmissions(manager: EntityManager, column: SelectedBy, key: string | number) {
  const distribution = await findDistribution(manager);
  await manager.query(distribution.textOf(lockSubmissions(column)), [key]);
  const counts = await countSubmissions(manager, column, key);
  // Foreign keys delete the values and records.
  await manager.query(`delete from submissions where ${column} = $1`, [key]);
  return counts;
}

export function deleteSubmission(dataSource: DataSource, uuid: string) {
  return asOperator(dataSource, async (manager) => {
    const counts = await deleteSubmissions(manager, 'uuid', uuid);
    if (counts.submissions === 0) return undefined;
    await recordDeletion(manager, `submission:${uuid}`, counts);
    return counts;
  });
}

const recordDeletion = (manager: EntityManager, subject: string, counts: SubmissionCounts) =>
  recordAct(manager, { action: 'submissions.deleted', subject, detail: { ...counts } });

/** Returns the ids of the webhook endpoints that receive only events of this form. */
export async function findEndpointsOfForm(manager: EntityManager, formId: number): Promise<number[]> {
  const found = await manager.query<{ id: number }[]>(
    'select id from webhook_endpoints where form_id = $1 order by id',
    [formId],
  );
  return found.map(({ id }) => id);
}

const OF_FORM = 'in (select user_id from respondents where form_id = $1)';

/** Locks the users before their submissions, as every program does (docs/architecture.md). */
const LOCK_RESPONDENTS = `
  select count(*) from (select from users where id ${OF_FORM} order by id for update) locked`;

/** Foreign keys and a trigger delete the respondents and their users together with the form. */
const DELETE_TOKENS_OF_FORM = `delete from api_tokens where user_id ${OF_FORM}`;

/**
 * Deletes a form with its steps, fields and, if `withSubmissions`, its submissions. Returns undefined if there is no such
 * form. Locks the form, so that no submission begins and no webhook endpoint is added meanwhile.
 */
export async function deleteForm(
  dataSource: DataSource,
  slug: string,
  { withSubmissions }: { readonly withSubmissions: boolean },
): Promise<SubmissionCounts | 'has submissions' | { readonly endpoints: readonly number[] } | undefined> {
  const deletion = asOperator(dataSource, async (manager) => {
    const [form] = await manager.query<{ id: number }[]>('select id from forms where slug = $1 for update', [
      slug,
    ]);
    if (form === undefined) return undefined;
    if (!withSubmissions && (await countSubmissions(manager, 'form_id', form.id)).submissions > 0)
      return 'has submissions';
    const endpoints = await findEndpointsOfForm(manager, form.id);
    if (endpoints.length > 0) return { endpoints };
    await manager.query(LOCK_RESPONDENTS, [form.id]);
    const counts = await deleteSubmissions(manager, 'form_id', form.id);
    if (counts.submissions > 0) await recordDeletion(manager, `form:${slug}`, counts);
    await manager.query(DELETE_TOKENS_OF_FORM, [form.id]);
    await manager.query('delete from forms where id = $1', [form.id]);
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

async function countOfUser(manager: EntityManager, { id }: Pick<Person, 'id'>) {
  const [counts] = await manager.query<[Pick<UserCounts, 'tokens' | 'idempotencyKeys'>]>(
    `select (select count(*)::integer from api_tokens where user_id = $1) as tokens,
            (select count(*)::integer from idempotency_keys where user_id = $1) as "idempotencyKeys"`,
    [id],
  );
  return counts;
}

/** Counts what {@link eraseUsers} would delete. */
export async function countUser({ manager }: DataSource, user: Pick<Person, 'id'>): Promise<UserCounts> {
  const counts = await countSubmissions(manager, 'user_id', user.id);
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
  const submissions = await deleteSubmissions(manager, 'user_id', user.id);
  const counts = { ...submissions, ...(await countOfUser(manager, user)) };
  const { tokens, idempotencyKeys: idempotency_keys } = counts;
  const detail = { ...submissions, tokens, idempotency_keys };
  await recordAct(manager, { action: 'user.erased', subject: `user:${user.id}`, detail });
  // A trigger notifies every instance that the tokens are deleted. Foreign keys delete the identities and idempotency keys.
  await manager.query('delete from api_tokens where user_id = $1', [user.id]);
  await manager.query('delete from users where id = $1', [user.id]);
  return counts;
}
