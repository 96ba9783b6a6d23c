import { Logger } from '@nestjs/common';
import type { Database } from '../database/database.js';
import { isDatabaseUnavailable } from '../database/database-errors.js';
import type { Statement } from '../database/statement.js';
import { StatementTimes } from '../database/statement-times.js';
import { CachedReading } from './cached-reading.js';
import type { ReadMetrics } from './readings.js';

/** The pool of connections, and from now on the time of its statements. */
export function readDatabase(metrics: ReadMetrics, database: Database): void {
  metrics.gauge('formtrail_database_pool_size', 'How many connections there may be.', [], () => [
    [{}, database.connections.size],
  ]);
  metrics.gauge('formtrail_database_pool_connections', 'Open connections.', ['state'], () => [
    [{ state: 'in_use' }, database.connections.inUse],
    [{ state: 'idle' }, database.connections.idle],
  ]);
  metrics.gauge('formtrail_database_pool_waiting', 'How many callers wait for a connection.', [], () => [
    [{}, database.connections.waiting],
  ]);
  metrics.gauge(
    'formtrail_database_pool_saturation',
    'Connections in use and callers that wait for one, as a ratio of the size of the pool.',
    [],
    () => {
      const { inUse, waiting, size } = database.connections;
      return [[{}, (inUse + waiting) / size]];
    },
  );
  const { byName } = (database.times = new StatementTimes());
  metrics.counter(
    'formtrail_statements_total',
    'Statements that were executed, failed ones included.',
    ['statement'],
    () => [...byName].map(([statement, { count }]) => [{ statement }, count]),
  );
  metrics.counter(
    'formtrail_statement_seconds_total',
    'How long statements took, from sending each to its result.',
    ['statement'],
    () => [...byName].map(([statement, { milliseconds }]) => [{ statement }, milliseconds / 1_000]),
  );
}

/** One row of the database, read for a scrape; there is none where submissions are distributed. */
export function readingOf<Row>(database: Database, statement: Statement<Row>): CachedReading<Row> {
  const query = async () => (database.isOneServer ? (await database.query(statement))[0] : undefined);
  return new CachedReading(query, (error) => {
    // The service says by itself that the database is away.
    if (isDatabaseUnavailable(error)) return;
    const reason = (error as Error).message;
    new Logger('Metrics').warn(`metrics are missing, because ${statement.name} failed: ${reason}`);
  });
}
