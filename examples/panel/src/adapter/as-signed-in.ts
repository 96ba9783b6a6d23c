import type { ActionContext } from 'adminjs';
import { setActor } from 'formtrail-entities';
import type { DataSource, EntityManager } from 'typeorm';

/** Runs a transaction whose changes the service's audit log attributes to the logged-in user. */
export function asSignedIn<T>(
  dataSource: DataSource,
  context: Pick<ActionContext, 'currentAdmin'> | undefined,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  return dataSource.transaction(async (manager) => {
    const email = context?.currentAdmin?.email;
    if (email !== undefined) await setActor(manager, email);
    return work(manager);
  });
}
