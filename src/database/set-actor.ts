import type { EntityManager } from 'typeorm';

/**
 * Sets the actor until the end of the transaction. The database then records this actor instead of its role.
 *
 * @param manager the manager of a transaction, from any copy of TypeORM. Without a transaction the call has no effect.
 * @param actor the name of the actor, such as the email address of the signed-in operator. At most 255 characters are stored.
 */
export async function setActor(manager: Pick<EntityManager, 'query'>, actor: string): Promise<void> {
  await manager.query(`select set_config('formtrail.actor', $1, true)`, [actor]);
}
