import type { DataSource, EntityManager } from 'typeorm';
import { isReadOnly } from '../database/database-errors.js';
import { sayToOperator } from '../process/say-to-operator.js';
import { asOperator } from './as-operator.js';

/**
 * Records an export. Commits before the export reads the first row, so that an interrupted export is recorded too. On a read-only
 * replica, prints a warning instead.
 */
export async function recordReading(
  dataSource: DataSource,
  record: (manager: EntityManager) => Promise<void>,
): Promise<void> {
  try {
    await asOperator(dataSource, record);
  } catch (error) {
    if (!isReadOnly(error)) throw error;
    sayToOperator('Warning: this database is read-only, so that it has no record of this export.');
  }
}
