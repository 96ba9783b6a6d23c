import { userInfo } from 'node:os';
import type { DataSource, EntityManager } from 'typeorm';
import { setActor } from '../database/set-actor.js';

/** Runs a transaction, or a savepoint of one, in which the actor is the operator at the command line unless the transaction has one. */
export function asOperator<T>(
  dataSource: Pick<DataSource, 'transaction'>,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  return dataSource.transaction(async (manager) => {
    await nameOperator(manager);
    return work(manager);
  });
}

/** Names the user of this process as the actor, unless PGOPTIONS or the database URL has set an actor. */
export async function nameOperator(manager: EntityManager): Promise<void> {
  const [{ actor }] = await manager.query<[{ actor: string | null }]>(
    `select current_setting('formtrail.actor', true) as actor`,
  );
  if (!actor) await setActor(manager, `cli:${userName()}`);
}

/** Returns the name of the user, or the id, because a container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
