import type { EntityManager } from 'typeorm';
import type { ExportExtension, Hooks, SelectedSubmissions } from '../../server/hooks.js';
import { PURGE_DUE } from './purge-due.js';

/** Submissions of a user that are held stay, and the rest is deleted. Everything else with a held submission cannot be deleted (T2). */
async function obstacle(manager: EntityManager, { column, key }: SelectedSubmissions) {
  if (column === 'user_id') return undefined;
  // A small table, because reading the column would read all submissions of the form.
  const all = await manager.query<unknown[]>('select from held_submissions limit 1');
  if (all.length === 0) return undefined;
  const held = await manager.query<{ uuid: string }[]>(
    `select uuid from submissions join held_submissions on uuid = submission_uuid where ${column} = $1 order by uuid limit 11`,
    [key],
  );
  if (held.length === 0) return undefined;
  const uuids = held.slice(0, 10).map(({ uuid }) => uuid);
  const named = held.length > uuids.length ? [...uuids, 'others'] : uuids;
  const names = new Intl.ListFormat('en').format(named);
  return `Nothing was deleted, because ${names} ${named.length === 1 ? 'is' : 'are'} held. Set submissions.held to false first, for example in the administration panel.`;
}

/** Leaves out what fields that are personal now ask for, also retired fields, because their values are exported too. */
const EXPORT_WITHOUT_PERSONAL: ExportExtension = {
  begin: () => Promise.resolve({ without_personal: true }),
  async findLeftOut(manager, formId) {
    const fields = await manager.query<{ id: number }[]>(
      'select id from fields where form_id = $1 and is_personal',
      [formId],
    );
    return new Set(fields.map(({ id }) => id));
  },
};

export const HOOKS: Hooks = {
  deletions: { obstacle, purge: PURGE_DUE },
  beginExport: ({ withoutPersonal }) =>
    Promise.resolve(withoutPersonal === true ? EXPORT_WITHOUT_PERSONAL : undefined),
  async afterRestore(dataSource, options) {
    const { forgetRestored } = await import('./restored.js');
    return forgetRestored(dataSource, options);
  },
  staysBehind: 'Records of deletions, for the time after a restore: UUIDs, ids and hashes, without contents.',
  async checkNames(...parameters) {
    const { checkNames } = await import('./persons/check-names.js');
    return checkNames(...parameters);
  },
};
