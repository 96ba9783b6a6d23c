import type { Hooks } from '../../server/hooks.js';

export const HOOKS: Hooks = {
  async beginExport(options) {
    const { languageOfExport } = await import('./commands/export-language.js');
    return languageOfExport(options);
  },
};
