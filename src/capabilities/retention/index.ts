import type { Capability } from '../../server/capability.js';
import { addErasureCommands } from './commands/erasures.command.js';
import { addDueOption } from './commands/due-option.js';
import { addWithoutPersonal } from './commands/without-personal.js';
import { addPersonCommands } from './persons/add-person-commands.js';
import { RETENTION_PROBLEMS } from './problems.js';

/** How long submissions and personal answers are kept, what nothing may delete, and what a restore must not bring back. */
export const RETENTION: Capability = {
  name: 'retention',
  settings: async () => (await import('./settings.js')).RetentionSettings,
  problems: RETENTION_PROBLEMS,
  module: async () => (await import('./retention.module.js')).RetentionModule,
  addCommands: (program) => {
    addDueOption(program);
    addErasureCommands(program);
    addWithoutPersonal(program);
    addPersonCommands(program);
  },
  hooks: async () => (await import('./hooks.js')).HOOKS,
  openApi: async () => (await import('./retention.openapi.js')).OPEN_API,
};
