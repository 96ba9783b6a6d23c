import type { DataSource, EntityManager } from 'typeorm';
import { issueDevelopmentToken } from '../auth/issue-development-token.js';
import { loadHooks } from './load-hooks.js';

/**
 * Lets capabilities fill a new database, and returns a development token. If the database has a user already, changes nothing and
 * returns undefined.
 */
export function fillNew(dataSource: DataSource, packageRoot: string): Promise<string | undefined> {
  return dataSource.transaction(async (manager) => {
    // One server at a time, so that two new servers do not both find no user.
    await manager.query(`select pg_advisory_xact_lock(hashtext('formtrail first user'))`);
    if (await hasUsers(manager)) return undefined;
    for (const hooks of await loadHooks()) await hooks.fillNew?.(manager, packageRoot);
    // A hook may have waited for a command that has filled the database.
    return (await hasUsers(manager)) ? undefined : issueDevelopmentToken(manager);
  });
}

async function hasUsers(manager: EntityManager): Promise<boolean> {
  return (await manager.query<unknown[]>('select from users limit 1')).length > 0;
}
