import { findCommand } from '../../cli/find-command.js';
import type { Capability } from '../../server/capability.js';
import { addDistributeCommand } from './distribute.command.js';

/** Distributes submissions over several servers (ADR 10). */
export const CITUS: Capability = {
  name: 'citus',
  findDistribution: async (database) => (await import('./citus.js')).Citus.find(database),
  addCommands: (program) => {
    addDistributeCommand(findCommand(program, 'db'));
  },
};
