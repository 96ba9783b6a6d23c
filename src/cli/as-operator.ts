import { userInfo } from 'node:os';
import type { DataSource, EntityManager } from 'typeorm';
import { setActor } from '../audit/set-actor.js';

/** A transaction whose acts the audit log ascribes to the operator at the command line. */
export function asOperator<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  return dataSource.transaction(async (manager) => {
    await nameOperator(manager);
    return work(manager);
  });
}

/** Keeps an actor that the connection brings along, as PGOPTIONS and the URL of the database can set one. */
export async function nameOperator(manager: EntityManager): Promise<void> {
  const [{ actor }] = await manager.query<[{ actor: string | null }]>(
    `select current_setting('formtrail.actor', true) as actor`,
  );
  if (!actor) await setActor(manager, `cli:${userName()}`);
}

/** Containers may run as a user id that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
