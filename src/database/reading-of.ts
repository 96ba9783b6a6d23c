import { Logger } from '@nestjs/common';
import { CachedReading } from './cached-reading.js';
import type { Database } from './database.js';
import { isDatabaseUnavailable } from './database-errors.js';
import type { Statement } from './statement.js';

/** Returns a cached row of the database for scrapes. */
export function readingOf<Row>(database: Database, statement: Statement<Row>): CachedReading<Row> {
  const query = async () => (await database.query(statement))[0];
  const onError = (error: unknown) => {
    // Other measurements and the log show that the database is unavailable.
    if (isDatabaseUnavailable(error)) return;
    const reason = (error as Error).message;
    new Logger('Measurements').warn(`No value was read, because ${statement.name} failed: ${reason}`);
  };
  return new CachedReading(query, { onError });
}
