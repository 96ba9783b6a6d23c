import type { Hooks } from '../../server/hooks.js';

export const HOOKS: Hooks = {
  async beginExport({ files }) {
    const { fileExportExtension } = await import('./commands/file-export.js');
    return fileExportExtension(files as string | undefined);
  },
  personalData: {
    async filesOf(manager, submissions) {
      const { filesOf } = await import('./commands/personal-files.js');
      return filesOf(manager, submissions);
    },
    async openFiles() {
      const { openContents } = await import('./commands/personal-files.js');
      return openContents();
    },
  },
};
