import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { DefinitionError } from './definition-error.js';

const ATTEMPTS = 5;

/** SQLSTATEs: deadlock, serialization failure, lock timeout, and rows that appeared since they were looked up. */
const RETRIED_CODES = ['40P01', '40001', '55P03', '23503', '23505'];

/**
 * Runs one import at a time, whoever starts it, in a transaction. Others that change a form at the same time (the
 * administration panel, a client that stores a value) may conflict with it; then it is retried on what is there now.
 */
export async function importTransaction<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await dataSource.transaction(async (manager) => {
        await manager.query(`select pg_advisory_xact_lock(hashtext('formtrail import'))`);
        // A field may take the name of an entity that goes, and the other way round.
        await manager.query(
          'set constraints fields_code_entity_name_key, entities_name_field_code_key deferred',
        );
        return work(manager);
      });
    } catch (error) {
      if (!RETRIED_CODES.includes(sqlState(error) ?? '')) throw error;
      if (attempt === ATTEMPTS) throw tooManyConflicts(error as Error);
      await sleep(50 * attempt);
    }
  }
}

/** The SQLSTATE of an error of PostgreSQL. */
function sqlState(error: unknown): string | undefined {
  return error instanceof QueryFailedError ? (error.driverError as { code?: string }).code : undefined;
}

function tooManyConflicts({ message }: Error): DefinitionError {
  const sentence = `others kept changing the same forms in the meantime (${message}); import again`;
  return new DefinitionError([{ file: '', path: '', message: sentence }]);
}
