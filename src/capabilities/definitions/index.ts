import type { Capability } from '../../server/capability.js';
import { formsCommand } from './commands/forms.command.js';

/** Definition files: import, export, check, compare. */
export const DEFINITIONS: Capability = {
  name: 'definitions',
  addCommands: (program, packageRoot) => {
    program.addCommand(formsCommand(packageRoot));
  },
};
