import { findCommand } from '../../cli/find-command.js';
import type { Capability } from '../../server/capability.js';
import { addPreviewCommand } from './commands/preview.command.js';
import { respondentsCommand } from './commands/respondents.command.js';
import { RESPONDENT_FIELD_ERRORS, RESPONDENT_PROBLEMS } from './problems.js';

/** Visitors of public forms, who have no account, and previews of forms. */
export const RESPONDENTS: Capability = {
  name: 'respondents',
  settings: async () => (await import('./settings.js')).RespondentSettings,
  problems: RESPONDENT_PROBLEMS,
  fieldErrors: RESPONDENT_FIELD_ERRORS,
  module: async () => (await import('./respondents.module.js')).RespondentsModule,
  addCommands: (program) => {
    program.addCommand(respondentsCommand());
    addPreviewCommand(findCommand(program, 'forms'));
    findCommand(program, 'tokens list').description(
      'list all tokens, except those of respondents: id, email address, name, created, expires, status',
    );
    const purge = findCommand(program, 'submissions purge');
    purge.description(
      `${purge.description()}\nAlways deletes the tests of previews that began over 25 hours ago, which servers do too.`,
    );
  },
  hooks: async () => (await import('./hooks.js')).HOOKS,
  openApi: async () => (await import('./respondents.openapi.js')).OPEN_API,
};
