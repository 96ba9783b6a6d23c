import type { EntityManager } from 'typeorm';

/**
 * Sets the actor until the end of the transaction. The audit log then names this actor instead of the database role.
 *
 * @param manager of a transaction, of any copy of TypeORM; without a transaction the call has no effect
 * @param actor such as the address of the operator who is signed in; at most 255 characters are stored
 */
export async function setActor(manager: Pick<EntityManager, 'query'>, actor: string): Promise<void> {
  await manager.query(`select set_config('formtrail.actor', $1, true)`, [actor]);
}
