import type { Hooks } from '../../server/hooks.js';

export const HOOKS: Hooks = {
  async beginExport({ files }) {
    const { fileExportExtension } = await import('./commands/file-export.js');
    return fileExportExtension(files as string | undefined);
  },
};
