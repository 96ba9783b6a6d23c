import type { Capability } from '../../server/capability.js';
import { auditCommand } from './commands/audit.command.js';

/** Records what operators and panels do, in the table `audit_log`. */
export const AUDIT: Capability = {
  name: 'audit',
  addCommands: (program) => {
    program.addCommand(auditCommand()).addHelpText('after', '  formtrail audit list --since 7d');
  },
  hooks: async () => (await import('./hooks.js')).HOOKS,
};
