import type { DataSource } from 'typeorm';
import { asOperator } from '../../../cli/as-operator.js';
import { isReadOnly } from '../../../database/database-errors.js';
import { Form } from '../../../entities.js';
import { sayToOperator } from '../../../process/say-to-operator.js';
import { recordAct } from '../../../server/load-hooks.js';

/**
 * Records an export. Commits before the export reads the first row, so that an interrupted export is recorded too. On a
 * read-only replica, prints a warning instead.
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
