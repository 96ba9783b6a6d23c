import { findCommand } from '../../cli/find-command.js';
import type { Capability } from '../../server/capability.js';
import { RETENTION_PROBLEMS } from './problems.js';

/** How long submissions and personal answers are kept, what nothing may delete, and what a restore must not bring back. */
export const RETENTION: Capability = {
  name: 'retention',
  settings: async () => (await import('./settings.js')).RetentionSettings,
  problems: RETENTION_PROBLEMS,
  addCommands: (program) => {
    findCommand(program, 'submissions')
      .commands.find((command) => command.name() === 'export')
      ?.option(
        '--without-personal',
        'leave out the values and files of personal fields, the email addresses of users, and meta',
      );
  },
  hooks: async () => (await import('./hooks.js')).HOOKS,
};
