import { findCommand } from '../../cli/find-command.js';
import type { Capability } from '../../server/capability.js';
import { addFormCommands } from './commands/forms.command.js';
import { addSeedCommand } from './commands/seed.command.js';

/** Definition files: import, export, check, compare. */
export const DEFINITIONS: Capability = {
  name: 'definitions',
  addCommands: (program, packageRoot) => {
    addFormCommands(findCommand(program, 'forms'), packageRoot);
    addSeedCommand(findCommand(program, 'db'), packageRoot);
    program.addHelpText(
      'after',
      '  formtrail forms export job-application > job-application.json\n' +
        '  formtrail forms import job-application.json',
    );
  },
  hooks: async () => (await import('./hooks.js')).HOOKS,
};
