import type { Capability } from '../../server/capability.js';
import { addUserCommands } from './commands/users.command.js';
import type { IdentitySettings } from './settings.js';

/** Users who sign in at identity providers, with JSON web tokens. */
export const IDENTITIES: Capability = {
  name: 'identities',
  settings: async () => (await import('./settings.js')).IdentitySettings,
  module: (environment) =>
    environment.of<IdentitySettings>().jwtIssuers.length === 0
      ? undefined
      : import('./identities.module.js').then(({ IdentitiesModule }) => IdentitiesModule),
  addCommands: (program) => {
    addUserCommands(program);
    program.addHelpText('after', '  formtrail users erase --email ada@example.org');
  },
  hooks: async () => (await import('./hooks.js')).HOOKS,
};
