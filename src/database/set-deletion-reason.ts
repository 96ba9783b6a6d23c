import type { EntityManager } from 'typeorm';

/** Why a program of the service deletes submissions or users. `restored`: a restore has brought them back. */
export type DeletionReason = 'operator' | 'retention' | 'erasure' | 'test' | 'restored';

/**
 * Tells triggers why the transaction deletes submissions or users, for the record that a restore needs. Otherwise the reason is `sql`. A
 * request of a user tells them in its own statement.
 *
 * @param manager the manager of a transaction, from any copy of TypeORM. Without a transaction the call has no effect.
 */
export async function setDeletionReason(
  manager: Pick<EntityManager, 'query'>,
  reason: DeletionReason,
): Promise<void> {
  await manager.query(`select set_config('formtrail.deletion_reason', $1, true)`, [reason]);
}
