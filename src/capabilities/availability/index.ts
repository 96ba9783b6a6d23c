import { findCommand } from '../../cli/find-command.js';
import type { Capability } from '../../server/capability.js';
import { addCheckCountsCommand } from './commands/check-counts.command.js';
import { AVAILABILITY_FIELD_ERRORS, AVAILABILITY_PROBLEMS } from './problems.js';

/** When a form is open, and how many may answer. */
export const AVAILABILITY: Capability = {
  name: 'availability',
  problems: AVAILABILITY_PROBLEMS,
  fieldErrors: AVAILABILITY_FIELD_ERRORS,
  module: async () => (await import('./availability.module.js')).AvailabilityModule,
  addCommands: (program) => {
    addCheckCountsCommand(findCommand(program, 'forms'));
  },
  openApi: async () => (await import('./availability.openapi.js')).OPEN_API,
};
