import type { Capability } from '../../server/capability.js';
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
  },
  openApi: () =>
    Promise.resolve({
      tags: [
        { name: 'Respondents', description: 'Tokens for visitors of public forms, who have no account.' },
      ],
    }),
};
