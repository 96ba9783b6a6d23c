import type { DataSource } from 'typeorm';
import { recordReading } from '../../../cli/record-reading.js';
import type { Person } from '../../../server/hooks.js';
import { recordAct } from '../../../server/load-hooks.js';
import { countSubmissionsOf } from './submission-numbers.js';

/** Records the export of some people before it reads the first row. */
export const recordPeople = (dataSource: DataSource, people: readonly Person[]): Promise<void> =>
  recordReading(dataSource, async (manager) => {
    for (const { id } of people) {
      const { draft: drafts, completed, held } = await countSubmissionsOf(manager, id);
      const detail = { drafts, completed, held };
      await recordAct(manager, { action: 'user.exported', subject: `user:${id}`, detail });
    }
  });
