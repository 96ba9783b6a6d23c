import { findCommand } from '../../cli/find-command.js';
import type { Capability } from '../../server/capability.js';
import { addTranslationCommands } from './commands/translations.command.js';

/** Forms in several languages. */
export const LANGUAGES: Capability = {
  name: 'languages',
  addCommands: (program) => addTranslationCommands(findCommand(program, 'forms')),
  openApi: async () => (await import('./languages.openapi.js')).OPEN_API,
};
