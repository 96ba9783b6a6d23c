import type { Capability } from '../../server/capability.js';
import { filesCommand } from './commands/files.command.js';
import { FILE_FIELD_ERRORS, FILE_PROBLEMS } from './problems.js';
import type { FileSettings } from './settings.js';

/** Files as values of fields. */
export const FILES: Capability = {
  name: 'files',
  settings: async () => (await import('./settings.js')).FileSettings,
  problems: FILE_PROBLEMS,
  fieldErrors: FILE_FIELD_ERRORS,
  module: (environment) =>
    environment.of<FileSettings>().filesUrl === undefined
      ? undefined
      : import('./files.module.js').then(({ FilesModule }) => FilesModule),
  addCommands: (program) => {
    program.addCommand(filesCommand());
  },
  openApi: async () => (await import('./files.openapi.js')).OPEN_API,
};
