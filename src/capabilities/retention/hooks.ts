import type { Hooks } from '../../server/hooks.js';

export const HOOKS: Hooks = {
  async checkNames(...parameters) {
    const { checkNames } = await import('./persons/check-names.js');
    return checkNames(...parameters);
  },
};
