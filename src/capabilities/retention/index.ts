import { findCommand } from '../../cli/find-command.js';
import type { Capability } from '../../server/capability.js';
import { exportPersonCommand } from './persons/export.command.js';
import { findPersonCommand } from './persons/find.command.js';
import { RETENTION_PROBLEMS } from './problems.js';

/** How long submissions and personal answers are kept, what nothing may delete, and what a restore must not bring back. */
export const RETENTION: Capability = {
  name: 'retention',
  settings: async () => (await import('./settings.js')).RetentionSettings,
  problems: RETENTION_PROBLEMS,
  addCommands: (program) => {
    const users = findCommand(program, 'users');
    users
      .description(`find and export a person's data, ${users.description()}`)
      .addCommand(findPersonCommand())
      .addCommand(exportPersonCommand());
  },
  hooks: async () => (await import('./hooks.js')).HOOKS,
};
