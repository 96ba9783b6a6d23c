import type { EntityManager } from 'typeorm';

/** Why a program of the service deletes submissions or users. `restored`: a restore has brought them back. */
export type DeletionReason = 'operator' | 'retention' | 'erasure' | 'test' | 'restored';

/** Tells triggers why the transaction deletes. A request of a user tells them in its own statement. */
export async function setDeletionReason(manager: EntityManager, reason: DeletionReason): Promise<void> {
  await manager.query(`select set_config('formtrail.deletion_reason', $1, true)`, [reason]);
}
