import type { ActionContext } from 'adminjs';
import { setActor } from 'formtrail-entities';
import type { DataSource, EntityManager } from 'typeorm';

/** A transaction whose acts the audit log of the service ascribes to the person who is signed in. */
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
