import type { DataSource } from 'typeorm';
import { User } from '../auth/entities/user.js';
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
    if (await manager.exists(User)) return undefined;
    for (const hooks of await loadHooks()) await hooks.fillNew?.(manager, packageRoot);
    // A hook may have waited for a command that has filled the database.
    return (await manager.exists(User)) ? undefined : issueDevelopmentToken(manager);
  });
}
