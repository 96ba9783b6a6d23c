import type { DataSource, EntityManager } from 'typeorm';
import type { AuditAction } from '../capabilities/audit/entities/audit-entry.js';
import { recordAct } from '../capabilities/audit/record-act.js';
import { isReadOnly } from '../database/database-errors.js';
import { Form } from '../entities.js';
import { sayToOperator } from '../process/say-to-operator.js';
import { asOperator, nameOperator } from './as-operator.js';

/**
 * Records an export in the audit log. Commits before the export reads the first row, so that an interrupted export
 * has an entry too. On a read-only replica, prints a warning instead.
 */
export async function recordExport(
  dataSource: DataSource,
  slug: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  try {
    await asOperator(dataSource, async (manager) => {
      if (!(await manager.existsBy(Form, { slug }))) return;
      await recordAct(manager, { action: 'submissions.exported', subject: `form:${slug}`, detail });
    });
  } catch (error) {
    if (!isReadOnly(error)) throw error;
    sayToOperator('Warning: this database is read-only, so the audit log has no entry of this export.');
  }
}

/** Records a batch of a command on one form, or on all forms, in the transaction of the batch. */
export async function recordBatch(
  manager: EntityManager,
  action: AuditAction,
  slug: string | undefined,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  await nameOperator(manager);
  await recordAct(manager, { action, subject: `form:${slug ?? '*'}`, detail });
}
