import type { Hooks } from '../../server/hooks.js';

export const HOOKS: Hooks = {
  async beginExport({ files }) {
    const { fileExport } = await import('./commands/file-export.js');
    return fileExport(files as string | undefined);
  },
};
