import type { Capability } from '../../server/capability.js';
import { addPersonCommands } from './persons/add-person-commands.js';
import { RETENTION_PROBLEMS } from './problems.js';

/** How long submissions and personal answers are kept, what nothing may delete, and what a restore must not bring back. */
export const RETENTION: Capability = {
  name: 'retention',
  settings: async () => (await import('./settings.js')).RetentionSettings,
  problems: RETENTION_PROBLEMS,
  addCommands: addPersonCommands,
  hooks: async () => (await import('./hooks.js')).HOOKS,
};
