import type { Hooks } from '../../server/hooks.js';

export const HOOKS: Hooks = {
  async beginExport({ files }) {
    const { fileExportPart } = await import('./commands/file-export.js');
    return fileExportPart(files as string | undefined);
  },
};
