import type { ExportExtension, Hooks } from '../../server/hooks.js';

export const HOOKS: Hooks = {
  beginExport: ({ withoutPersonal }) =>
    Promise.resolve(withoutPersonal === true ? EXPORT_WITHOUT_PERSONAL : undefined),
};

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
