import { findCommand } from '../../cli/find-command.js';
import type { Capability } from '../../server/capability.js';
import { exportCommand } from './commands/export.command.js';

/** Exports submissions as CSV and NDJSON. */
export const EXPORTS: Capability = {
  name: 'exports',
  addCommands: (program) => {
    const submissions = findCommand(program, 'submissions');
    submissions.description(`export submissions, ${submissions.description()}`).addCommand(exportCommand());
    program.addHelpText(
      'after',
      '  formtrail submissions export --form job-application --format csv > applications.csv',
    );
  },
};
