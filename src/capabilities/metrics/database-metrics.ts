import { Logger } from '@nestjs/common';
import type { Database } from '../../database/database.js';
import { isDatabaseUnavailable, OverloadedError } from '../../database/database-errors.js';
import { statement, type Statement } from '../../database/statement.js';
import { StatementTimes } from '../../database/statement-times.js';
import { CachedReading } from './cached-reading.js';
import type { Export } from './exporter.js';

/** Exports metrics of the connection pool, of statements from now on, and of the last backup. */
export function exportDatabase(exportMetric: Export, database: Database): void {
  exportMetric('formtrail_database_pool_size', () => database.connections.size);
  exportMetric('formtrail_database_pool_connections', () => {
    const { inUse, idle } = database.connections;
    return { in_use: inUse, idle };
  });
  exportMetric('formtrail_database_pool_waiting', () => database.connections.waiting);
  exportMetric('formtrail_database_pool_saturation', () => {
    const { inUse, waiting, size } = database.connections;
    return (inUse + waiting) / size;
  });
  const { byName } = (database.times = new StatementTimes());
  exportMetric('formtrail_statements_total', () =>
    Object.fromEntries([...byName].map(([name, { count }]) => [name, count])),
  );
  exportMetric('formtrail_statement_seconds_total', () =>
    Object.fromEntries([...byName].map(([name, { milliseconds }]) => [name, milliseconds / 1_000])),
  );
  // Registered last, because the query of this gauge uses a connection, and the gauges above must not count that connection.
  const lastBackup = lastBackupOf(database);
  exportMetric('formtrail_last_backup_timestamp_seconds', () => lastBackup.read());
}

/** Returns a cached row of the database for scrapes. The row is undefined if submissions are distributed. */
export function readingOf<Row>(database: Database, statement: Statement<Row>): CachedReading<Row> {
  const query = async () => (database.isOneServer ? (await database.query(statement))[0] : undefined);
  const onError = (error: unknown) => {
    // Other metrics and the log show that the database is unavailable.
    if (isDatabaseUnavailable(error)) return;
    const reason = (error as Error).message;
    new Logger('Metrics').warn(`metrics are missing, because ${statement.name} failed: ${reason}`);
  };
  return new CachedReading(query, { onError });
}

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
