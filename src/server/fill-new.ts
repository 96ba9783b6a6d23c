import type { DataSource, EntityManager } from 'typeorm';
import { User } from '../auth/entities/user.js';
import { issueDevelopmentToken } from '../auth/issue-development-token.js';
import { loadHooks } from './load-hooks.js';

/** Lets capabilities fill a new database, which is one without a user. */
export async function fillNew(dataSource: DataSource, packageRoot: string): Promise<void> {
  await withoutUser(dataSource, async (manager) => {
    for (const hooks of await loadHooks()) await hooks.fillNew?.(manager, packageRoot);
  });
}

/** Returns a development token, or undefined if the database has a user already. */
export function firstToken(dataSource: DataSource): Promise<string | undefined> {
  return withoutUser(dataSource, issueDevelopmentToken);
}

function withoutUser<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T | undefined> {
  return dataSource.transaction(async (manager) => {
    // One server at a time, so that two new servers do not both find no user.
    await manager.query(`select pg_advisory_xact_lock(hashtext('formtrail first user'))`);
    return (await manager.exists(User)) ? undefined : work(manager);
  });
}
