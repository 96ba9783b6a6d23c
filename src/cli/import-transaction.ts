import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { CommandError } from './command-error.js';

const ATTEMPTS = 5;

/** SQLSTATEs: deadlock, serialization failure, lock timeout, foreign key violation, unique violation. */
const RETRIED_CODES = ['40P01', '40001', '55P03', '23503', '23505'];

/**
 * Runs an import in a transaction. An advisory lock allows one import at a time, across processes. Retries the import if another
 * program writes at the same time and conflicts, such as the administration panel, or the service when it stores a value.
 */
export async function importTransaction<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await dataSource.transaction(async (manager) => {
        await beginImport(manager);
        return work(manager);
      });
    } catch (error) {
      const { code = '' } = (error instanceof QueryFailedError ? error.driverError : {}) as { code?: string };
      if (!RETRIED_CODES.includes(code)) throw error;
      if (attempt === ATTEMPTS) throw tooManyConflictsError(error as Error);
      await sleep(50 * attempt);
    }
  }
}

/** Prepares a running transaction for an import. */
export async function beginImport(manager: EntityManager): Promise<void> {
  await manager.query(`select pg_advisory_xact_lock(hashtext('formtrail import'))`);
  // A new field may have the name of an entity that the import deletes, and a new entity the code of a deleted field. Steps
  // exchange their numbers.
  await manager.query(
    'set constraints fields_code_entity_name_key, entities_name_field_code_key, steps_form_id_step_number_key deferred',
  );
}

/**
 * Locks the rows of the forms with these slugs. Every change of a form updates its row through triggers, and so waits for the import.
 */
export async function lockForms(
  manager: EntityManager,
  slugs: readonly (string | undefined)[],
): Promise<void> {
  await manager.query('select from forms where slug = any ($1) order by id for no key update', [slugs]);
  // Waiting for another lock may now cause a deadlock. Let the import time out and retry before PostgreSQL detects the deadlock
  // (deadlock_timeout, 1 s), because PostgreSQL might abort a client's request instead.
  await manager.query(`set local lock_timeout = '500ms'`);
}

function tooManyConflictsError({ message }: Error): CommandError {
  return new CommandError(
    `Nothing was imported: other programs kept changing the same forms (${message}); run the import again.`,
  );
}
