import type { Hooks } from '../../server/hooks.js';

export const HOOKS: Hooks = {
  staysBehind: 'Records of deletions, for the time after a restore: UUIDs, ids and hashes, without contents.',
  async checkNames(...parameters) {
    const { checkNames } = await import('./persons/check-names.js');
    return checkNames(...parameters);
  },
};
