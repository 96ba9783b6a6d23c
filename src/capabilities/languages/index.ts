import { findCommand } from '../../cli/find-command.js';
import type { Capability } from '../../server/capability.js';
import { addTranslationCommands } from './commands/translations.command.js';
import { LANGUAGE_FIELD_ERRORS } from './problems.js';

/** Forms in several languages. */
export const LANGUAGES: Capability = {
  name: 'languages',
  fieldErrors: LANGUAGE_FIELD_ERRORS,
  module: async () => (await import('./languages.module.js')).LanguagesModule,
  addCommands: (program) => {
    addTranslationCommands(findCommand(program, 'forms'));
    findCommand(program, 'submissions')
      .commands.find((command) => command.name() === 'export')
      ?.option(
        '--locale <tag>',
        'labels in this language, such as de-AT (with --labels or --as-shown); with --as-shown, the default is the language of each submission',
      );
  },
  hooks: async () => (await import('./hooks.js')).HOOKS,
  openApi: async () => (await import('./languages.openapi.js')).OPEN_API,
};
