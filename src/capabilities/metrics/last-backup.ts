import { CachedReading } from '../../database/cached-reading.js';
import type { Database } from '../../database/database.js';
import { OverloadedError } from '../../database/database-errors.js';
import { statement } from '../../database/statement.js';

const FIND_LAST_BACKUP = statement(
  'metrics.find_last_backup',
  'select extract(epoch from taken_at) from backups',
  { seconds: Number },
);

/**
 * Returns the start of the last successful backup, in seconds since 1970. The last value remains while the database is
 * unavailable.
 */
export function lastBackupOf(database: Pick<Database, 'query' | 'connections'>, freshFor = 10_000) {
  const query = async () => {
    const { inUse, size } = database.connections;
    // Do not wait for a connection, because requests have priority.
    if (inUse >= size) throw new OverloadedError();
    return (await database.query(FIND_LAST_BACKUP))[0]?.seconds;
  };
  return new CachedReading(query, { freshFor, keepsLast: true });
}
