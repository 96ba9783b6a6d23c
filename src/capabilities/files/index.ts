import { findCommand } from '../../cli/find-command.js';
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
    findCommand(program, 'submissions')
      .commands.find((command) => command.name() === 'export')
      ?.option(
        '--files <dir>',
        'write the files to this folder too, as <uuid of the submission>/<uuid of the file> with their extension',
      );
  },
  hooks: async () => (await import('./hooks.js')).HOOKS,
  openApi: async () => (await import('./files.openapi.js')).OPEN_API,
};
