import type { DataSource } from 'typeorm';
import { recordReading } from '../../../cli/record-reading.js';
import { Form } from '../../../entities.js';
import { recordAct } from '../../../server/load-hooks.js';

/** Records an export before it reads the first row. */
export const recordExport = (
  dataSource: DataSource,
  slug: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> =>
  recordReading(dataSource, async (manager) => {
    if (!(await manager.existsBy(Form, { slug }))) return;
    await recordAct(manager, { action: 'submissions.exported', subject: `form:${slug}`, detail });
  });
